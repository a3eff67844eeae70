// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SettingTableTest {
  static List<Setting<?>> all() {
    return SettingTable.ALL;
  }

  @Test
  void names_areUnique() {
    assertThat(all()).extracting(Setting::name).doesNotHaveDuplicates();
    assertThat(SettingTable.that(Setting::isOption))
        .extracting(Setting::option)
        .doesNotHaveDuplicates()
        .allMatch(option -> option.matches("--[a-z-]+"));
    assertThat(SettingTable.that(Setting::isInput))
        .extracting(Setting::label)
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void usualValue_isReadAsItIsWritten(Setting<T> setting) {
    String text = setting.text(Settings.USUAL);
    assertThat(setting.parse("f", text)).isEqualTo(setting.usual());
    assertThat(setting.parse("f", setting.entry(Settings.USUAL))).isEqualTo(setting.usual());
    setting
        .choices()
        .forEach(choice -> assertThat(setting.text(setting.parse("f", choice))).isEqualTo(choice));
  }

  @ParameterizedTest
  @MethodSource("all")
  void nonsense_isASentenceAboutTheField(Setting<?> setting) {
    assertThatThrownBy(() -> setting.parse("the field", "\u0000nonsense"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the field")
        .hasMessageEndingWith(".");
  }

  @ParameterizedTest
  @MethodSource("all")
  void canBeGivenSomewhere_andIsExplainedThere(Setting<?> setting) {
    boolean given = Stream.of(Place.values()).anyMatch(setting::isAt);
    // A client of QMP says "stop".
    assertThat(given).isEqualTo(setting != MigrationSetting.PAUSED);
    if (setting.isInput()) {
      assertThat(setting.hint()).endsWith(".");
      assertThat(setting.prompt().isEmpty()).isEqualTo(setting.isFlag());
    }
    if (setting.isOption()) {
      assertThat(setting.help(Defaults.LAB)).doesNotEndWith(".");
      assertThat(setting.placeholder().isEmpty()).isEqualTo(setting.isFlag());
    }
  }

  @Test
  void settings_areEqual_ifAllValuesAre() {
    Settings changed = Settings.USUAL.with(MigrationSetting.BANDWIDTH, 5L);
    assertThat(changed).isNotEqualTo(Settings.USUAL);
    assertThat(changed.with(MigrationSetting.BANDWIDTH, 0L)).isEqualTo(Settings.USUAL);
    assertThat(changed).hasToString("[bandwidth=5B/s]");
  }
}
