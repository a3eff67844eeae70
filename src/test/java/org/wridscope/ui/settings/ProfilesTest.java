// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.remembered.StoredJson;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

final class ProfilesTest {
  private final StoredJson store = Remembered.inMemory().choices();
  private final Profiles profiles = new Profiles(store);

  @Test
  void whatWasSaved_isEnteredAsItWas_inItsDialogOnly() {
    var form = new SettingsForm(Kind.SOURCE);
    form.setGuest(GuestKind.IMAGE);
    form.set(Field.URI, "rdma:10.9.0.7:4711");
    form.set(MigrationSetting.PIN_ALL, true);
    profiles.save("the lab upstairs", form);
    assertThat(profiles.names(DialogKind.SOURCE)).containsExactly("the lab upstairs");
    assertThat(profiles.names(DialogKind.DESTINATION)).isEmpty();

    var other = new SettingsForm(Kind.SOURCE);
    other.set(Field.of(GuestSetting.WORKING_SET), "1GiB");
    other.set(MigrationSetting.UNREGISTER, true);
    new Profiles(store).enter("The Lab Upstairs", other);
    assertThat(other.inputs()).isEqualTo(form.inputs());
    assertThat(other.guest()).isEqualTo(GuestKind.IMAGE);
    assertThat(other.get(Field.of(GuestSetting.WORKING_SET))).isEmpty();
  }

  @Test
  void engineAndAddressOfAProfile_areTaken_whateverSuitedBetter() {
    var form = new QemuMigrationForm(List.of());
    form.setEngine(QemuMigrationForm.Engine.QEMU);
    form.set(Field.URI, "tcp:10.9.0.2:4444");
    profiles.save("by QEMU", form);
    var next = new QemuMigrationForm(List.of());
    profiles.enter("by QEMU", next);
    assertThat(next.engine()).isEqualTo(QemuMigrationForm.Engine.QEMU);
    assertThat(next.get(Field.URI)).isEqualTo("tcp:10.9.0.2:4444");
  }

  @Test
  void aName_isTakenByOneOnly_andADeletedOneIsPutBack() {
    profiles.save("a", new SettingsForm(Kind.LAB));
    profiles.save("b", new SettingsForm(Kind.LAB));
    assertThat(profiles.rename(DialogKind.LAB, "a", " B ")).isFalse();
    assertThat(profiles.rename(DialogKind.LAB, "a", "  ")).isTrue();
    assertThat(profiles.names(DialogKind.LAB)).containsExactly("a", "b");
    assertThat(profiles.rename(DialogKind.LAB, "a", "A")).isTrue();
    assertThat(profiles.rename(DialogKind.LAB, "b", " c ")).isTrue();
    assertThat(profiles.names(DialogKind.LAB)).containsExactly("A", "c");
    Runnable back = profiles.delete(DialogKind.LAB, "c");
    assertThat(profiles.names(DialogKind.LAB)).containsExactly("A");
    back.run();
    assertThat(profiles.names(DialogKind.LAB)).containsExactly("A", "c");
  }

  @Test
  void whatAnotherWindowHasSavedMeanwhile_stays(@TempDir Path directory) {
    Profiles first = in(directory);
    Profiles second = in(directory);
    first.save("a", new SettingsForm(Kind.LAB));
    second.save("b", new SettingsForm(Kind.LAB));
    assertThat(in(directory).names(DialogKind.LAB)).containsExactly("a", "b");
    Runnable _ = first.delete(DialogKind.LAB, "a");
    assertThat(in(directory).names(DialogKind.LAB)).containsExactly("b");
  }

  private static Profiles in(Path directory) {
    return new Profiles(Remembered.in(directory, directory, Runnable::run).choices());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "[\"a\"]",
        "{\"a\": 7, \"\": {}, \" b\": {}, \"good\": {}}",
        "{\"a\": null, \"good\": {\"texts\": null, \"options\": {\"pin-all\": null}}}",
        "{\"a\": {\"texts\": [1]}, \"good\": {\"choice\": \"of-another-version\"}}",
      })
  void whatMakesNoSense_isLeftOut(String stored) {
    store.put("source-profiles", JsonParser.parseString(stored));
    assertThat(profiles.names(DialogKind.SOURCE))
        .isSubsetOf("good")
        .hasSize(stored.contains("good") ? 1 : 0);
    var form = new SettingsForm(Kind.SOURCE);
    profiles.enter("good", form);
    assertThat(form.inputs()).isEqualTo(new SettingsForm(Kind.SOURCE).inputs());
    profiles.save("mine", form);
    assertThat(profiles.names(DialogKind.SOURCE)).contains("mine");
  }

  @Test
  void thereAreNoMoreThanAMenuHasRoomFor() {
    for (int i = 0; !profiles.isFull(DialogKind.LAB); i++) {
      profiles.save("p" + i, new SettingsForm(Kind.LAB));
    }
    assertThat(profiles.names(DialogKind.LAB)).hasSize(30);
    assertThat(Profiles.nameOf("x".repeat(500))).hasSize(60);
  }
}
