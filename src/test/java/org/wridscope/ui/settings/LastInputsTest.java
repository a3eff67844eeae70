// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import javafx.stage.FileChooser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.remembered.StoredJson;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

final class LastInputsTest {
  private final StoredJson store = Remembered.inMemory().state();
  private final LastInputs inputs = new LastInputs(store);

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatWasAccepted_isInTheNextDialogOfThatKind_only(Kind kind) {
    var form = new SettingsForm(kind);
    form.setGuest(GuestKind.IMAGE);
    form.set(Field.TIMEOUT, "17s");
    form.set(MigrationSetting.MONITORED, false);
    form.set(MigrationSetting.PIN_ALL, true);
    inputs.keep(form);
    form.set(Field.TIMEOUT, "changed later");
    for (Kind each : Kind.values()) {
      SettingsForm next = inputs.form(each);
      assertThat(next.get(Field.TIMEOUT).equals("17s")).isEqualTo(each == kind);
      assertThat(next.guest() == GuestKind.IMAGE).isEqualTo(each == kind);
      assertThat(next.has(MigrationSetting.MONITORED)).isEqualTo(each != kind);
      assertThat(next.has(MigrationSetting.PIN_ALL)).isEqualTo(each == kind);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "[]",
        "{\"texts\": 7}",
        "{\"texts\": {\"uri\": null, \"ram\": [1]}}",
        "{\"options\": {\"pin-all\": \"perhaps\", \"monitored\": null}, \"choice\": \"stream\"}",
        "{\"texts\": {\"of-another-version\": \"x\"}, \"choice\": \"of-another-version\"}",
      })
  void whatMakesNoSense_leavesTheUsualInputs(String stored) {
    store.put("lab-dialog", JsonParser.parseString(stored));
    SettingsForm form = inputs.form(Kind.LAB);
    var usual = new SettingsForm(Kind.LAB);
    assertThat(form.values().errors()).isEmpty();
    assertThat(form.values().lab()).isEqualTo(usual.values().lab());
  }

  @Test
  void aFileChooser_beginsWhereTheFileOfItsFieldWasLast_inAnyDialog(@TempDir Path directory) {
    var form = new SettingsForm(Kind.SOURCE);
    form.setGuest(GuestKind.IMAGE);
    form.set(Field.FILE, directory.resolve("guest.img").toString());
    form.set(Field.RESTORE, "/of/another/guest");
    inputs.keep(form);
    assertThat(folder(Field.FILE)).isEqualTo(directory.toFile());
    assertThat(folder(Field.RESTORE)).isNull();

    form.set(Field.FILE, directory.resolve("gone/guest.img").toString());
    inputs.keep(form);
    assertThat(folder(Field.FILE)).isNull();

    Memory folders =
        inputs.memories().stream()
            .filter(memory -> memory.id().equals("recent-folders"))
            .findFirst()
            .orElseThrow();
    assertThat(folders.content().get()).isEqualTo("1 folder");
    Runnable _ = folders.forget();
    assertThat(folders.isThere()).isFalse();
  }

  private @Nullable File folder(Field field) {
    var chooser = new FileChooser();
    inputs.begin(field, chooser);
    return chooser.getInitialDirectory();
  }

  @Test
  void aTextThatIsTooLong_isNotEntered() {
    var form = new SettingsForm(Kind.SOURCE);
    form.set(Field.URI, "x".repeat(5000));
    inputs.keep(form);
    assertThat(inputs.form(Kind.SOURCE).get(Field.URI)).isEqualTo("rdma:127.0.0.1:4444");
  }

  @Test
  void ofAQemu_theEngineThatSuitsIsKept_andAnAddressOnlyForTheSameEngine() {
    var form = new QemuMigrationForm(List.of());
    form.setEngine(QemuMigrationForm.Engine.QEMU);
    form.set(Field.URI, "tcp:10.9.0.2:4444");
    form.set(Field.BANDWIDTH, "1Gbit/s");
    inputs.keep(form);

    var own = new QemuMigrationForm(List.of());
    inputs.enterInto(own);
    assertThat(own.engine()).isEqualTo(QemuMigrationForm.Engine.WRIDSCOPE);
    assertThat(own.get(Field.URI)).isEqualTo("rdma:127.0.0.1:4444");
    assertThat(own.get(Field.BANDWIDTH)).isEqualTo("1Gbit/s");

    var qemus = new QemuMigrationForm(List.of());
    qemus.setEngine(QemuMigrationForm.Engine.QEMU);
    inputs.enterInto(qemus);
    assertThat(qemus.get(Field.URI)).isEqualTo("tcp:10.9.0.2:4444");
  }
}
