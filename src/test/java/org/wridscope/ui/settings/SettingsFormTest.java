// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.AddressRange;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

final class SettingsFormTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(Kind.class)
  void form_untouched_hasNoErrors(Kind kind) {
    assertThat(new SettingsForm(kind).values().errors()).isEmpty();
  }

  @Test
  void source_typed_becomesSettings() {
    var form = new SettingsForm(Kind.SOURCE);
    form.set(Field.URI, "rdma:10.9.0.1:4444");
    form.set(Field.RAM, "512MiB");
    form.set(Field.DIRTY_RATE, "1GiB/s");
    form.set(Field.of(GuestSetting.WORKING_SET), "64MiB");
    form.set(Field.of(GuestSetting.ZERO), "25%");
    form.set(Field.of(GuestSetting.SEED), "99");
    form.set(Field.BANDWIDTH, "10Gbit/s");
    form.set(Field.DOWNTIME_LIMIT, "1.5s");
    form.set(Field.TIMEOUT, "2min");
    form.set(MigrationSetting.PIN_ALL, true);
    form.set(MigrationSetting.MONITORED, false);
    form.set(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true);
    var settings = form.values().source();
    assertThat(settings.uri()).isEqualTo("rdma:10.9.0.1:4444");
    assertThat(settings.migration())
        .isEqualTo(
            new MigrationSettings(
                    new GuestSettings.Synthetic(512 << 20, 1 << 30, 64 << 20, 0.25, 99))
                .with(MigrationSetting.PIN_ALL, true)
                .with(MigrationSetting.BANDWIDTH, 1_250_000_000L)
                .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(1500))
                .with(MigrationSetting.TIMEOUT, Duration.ofMinutes(2))
                .with(MigrationSetting.MONITORED, false)
                .with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true));
  }

  @Test
  void of_settings_givesThemBack() {
    var settings =
        new LabSettings(
            new MigrationSettings(new GuestSettings.Synthetic(3L << 30, 0, 1 << 20, 0.125, -4))
                .with(MigrationSetting.PIN_ALL, true)
                .with(MigrationSetting.BANDWIDTH, (3L << 20) + 1)
                .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(30))
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(60))
                .with(MigrationSetting.MONITORED, false)
                .with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true));
    assertThat(SettingsForm.of(settings).values().lab()).isEqualTo(settings);
  }

  @Test
  void allowedAddresses_areTheDestinations() {
    var destination = new SettingsForm(Kind.DESTINATION);
    assertThat(destination.values().destination().allowed()).isEmpty();
    destination.set(Field.ALLOW, "10.9.0.0/24 fd00::/8");
    assertThat(destination.values().destination().allowed())
        .extracting(AddressRange::bits)
        .containsExactly(24, 8);
    destination.set(Field.ALLOW, "10.9.0.1/24");
    assertThat(destination.values().error(Field.ALLOW)).startsWith("Allow: ");
    assertThat(new SettingsForm(Kind.SOURCE).fields()).doesNotContain(Field.ALLOW);
  }

  @Test
  void refusePinAll_isTheDestinations_andGivenBack() {
    var lab = new SettingsForm(Kind.LAB);
    var destination = new SettingsForm(Kind.DESTINATION);
    assertThat(lab.values().lab().get(MigrationSetting.REFUSE_PIN_ALL)).isFalse();
    assertThat(destination.values().destination().get(MigrationSetting.REFUSE_PIN_ALL)).isFalse();
    lab.set(MigrationSetting.REFUSE_PIN_ALL, true);
    destination.set(MigrationSetting.REFUSE_PIN_ALL, true);
    assertThat(destination.values().destination().get(MigrationSetting.REFUSE_PIN_ALL)).isTrue();
    assertThat(
            SettingsForm.of(lab.values().lab()).values().lab().get(MigrationSetting.REFUSE_PIN_ALL))
        .isTrue();
  }

  @Test
  void of_aBalloon_givesItBack() {
    var settings =
        new LabSettings(
            new MigrationSettings(
                    new GuestSettings.Synthetic(
                        3L << 30,
                        0,
                        1 << 20,
                        0.125,
                        -4,
                        new VirtioSettings(0, VirtioFault.NONE),
                        5 << 20))
                .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(30))
                .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(60))
                .with(MigrationSetting.MONITORED, false));
    assertThat(SettingsForm.of(settings).values().lab()).isEqualTo(settings);
    var form = new SettingsForm(Kind.LAB);
    form.set(Field.of(GuestSetting.BALLOON), "much");
    assertThat(form.values().error(Field.of(GuestSetting.BALLOON)))
        .startsWith("Balloon: ")
        .endsWith(".");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2TiB", "1500KiB", "12MiB"})
  void balloonThatNoGuestHas_isAnErrorOfItsField(String balloon) {
    var form = new SettingsForm(Kind.LAB);
    form.set(Field.RAM, "16MiB");
    form.set(Field.of(GuestSetting.BALLOON), balloon);
    assertThat(form.values().errors()).containsOnlyKeys(Field.of(GuestSetting.BALLOON));
    assertThat(form.values().error(Field.of(GuestSetting.BALLOON)))
        .contains("steps of 1MiB up to ", "below the working set");
  }

  @Test
  void of_faultyVirtioDevices_givesThemBack() {
    for (long requests : new long[] {1000, 7}) {
      var settings =
          new LabSettings(
              new MigrationSettings(
                      new GuestSettings.Synthetic(
                          1 << 20,
                          4096,
                          0,
                          0.5,
                          1,
                          new VirtioSettings(requests, VirtioFault.IN_FLIGHT_FORGOTTEN)))
                  .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(30)));
      assertThat(SettingsForm.of(settings).values().lab()).isEqualTo(settings);
    }
    var form = new SettingsForm(Kind.LAB);
    form.set(Field.of(GuestSetting.VIRTIO_POLICY), "used-index");
    assertThat(form.values().error(Field.of(GuestSetting.VIRTIO_POLICY)))
        .contains("used-index-as-base")
        .endsWith(".");
    form.set(Field.of(GuestSetting.VIRTIO_POLICY), "");
    form.set(Field.of(GuestSetting.VIRTIO_FAULT), "index-kept");
    assertThat(form.values().error(Field.of(GuestSetting.VIRTIO_FAULT)))
        .contains("index-kept-at-reset")
        .endsWith(".");
  }

  @Test
  void of_anotherPolicyAndLoad_givesThemBack_untilTheyAreChanged() {
    var virtio =
        new VirtioSettings(
            new VirtioLoad(70, 9, 3),
            new VirtioVariant(VirtioFault.NONE, VirtioPolicy.USED_INDEX_AS_BASE));
    var settings =
        new LabSettings(
            new MigrationSettings(new GuestSettings.Synthetic(1 << 20, 4096, 0, 0.5, 1, virtio))
                .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(30)));
    SettingsForm form = SettingsForm.of(settings);
    assertThat(form.get(Field.of(GuestSetting.VIRTIO_POLICY))).isEqualTo("used-index-as-base");
    assertThat(form.values().lab()).isEqualTo(settings);
    assertThat(form.copy().values().lab()).isEqualTo(settings);
    form.set(Field.of(GuestSetting.VIRTIO_POLICY), "");
    assertThat(form.values().lab().guest())
        .isEqualTo(
            new GuestSettings.Synthetic(
                1 << 20, 4096, 0, 0.5, 1, new VirtioSettings(70, VirtioVariant.SOUND)));
  }

  @ParameterizedTest
  @CsvSource({
    "uri, localhost:4444, rdma:HOST:PORT",
    "uri, rdma:localhost:0, port 0",
    "ram, 0, 4096",
    "ram, lots, 2GiB",
    "dirty-rate, fast, 200MiB/s",
    "working-set, 3GiB, more than the guest's RAM",
    "working-set, 5000B, 4096",
    "zero, 140%, 100%",
    "seed, one, whole number",
    "bandwidth, -1, 200MiB/s",
    "downtime-limit, 0, 1ms",
    "downtime-limit, 1h, 2000s",
    "timeout, 5, 300ms"
  })
  void error_nonsense_isASentenceThatSaysWhatIsAllowed(String name, String typed, String allowed) {
    Field field = Fields.named(name);
    var form = new SettingsForm(Kind.SOURCE);
    form.set(field, typed);
    assertThat(form.values().error(field)).isNotNull().contains(allowed).endsWith(".");
    assertThat(form.values().errors()).containsOnlyKeys(field);
    assertThatThrownBy(form.values()::source).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void error_portZeroOfADestination_isAllowed() {
    var form = new SettingsForm(Kind.DESTINATION);
    form.set(Field.URI, "rdma:127.0.0.1:0");
    assertThat(form.values().errors()).isEmpty();
  }

  @Test
  void error_fieldThatDoesNotMatter_isNone() {
    var form = new SettingsForm(Kind.DESTINATION);
    form.set(Field.of(GuestSetting.ZERO), "nonsense");
    form.set(Field.BANDWIDTH, "nonsense");
    assertThat(form.values().errors()).isEmpty();
  }

  @Test
  void image_file_isMeasuredAndChecked() throws IOException {
    Path file = Files.write(directory.resolve("ram"), new byte[8192]);
    Path odd = Files.write(directory.resolve("odd"), new byte[5000]);
    Path empty = Files.write(directory.resolve("empty"), new byte[0]);
    var form = new SettingsForm(Kind.LAB);
    form.setGuest(GuestKind.IMAGE);
    assertThat(form.values().errors()).containsOnlyKeys(Field.FILE, Field.OUT);
    form.set(Field.FILE, file.toString());
    form.set(Field.OUT, directory.resolve("copy").toString());
    assertThat(form.values().errors()).isEmpty();
    assertThat(form.values().lab().guest())
        .isEqualTo(
            new GuestSettings.Image(
                file, Output.of("Write to", directory.resolve("copy"), FileKind.RAM), 8192));
    for (Path bad : new Path[] {odd, empty}) {
      form.set(Field.FILE, bad.toString());
      assertThat(form.values().error(Field.FILE)).contains("4096");
    }
    form.set(Field.FILE, directory.resolve("none").toString());
    assertThat(form.values().error(Field.FILE)).contains("does not exist");
    form.set(Field.OUT, directory.toString());
    assertThat(form.values().error(Field.OUT)).contains("is a directory");
    form.set(Field.OUT, directory.resolve("no/such").toString());
    assertThat(form.values().error(Field.OUT)).contains("does not exist");
  }

  @Test
  void image_writtenToItself_isRefused_throughLinksToo() throws IOException {
    Path file = Files.write(directory.resolve("ram"), new byte[8192]);
    Path symbolic = Files.createSymbolicLink(directory.resolve("symbolic"), file);
    Path hard = Files.createLink(directory.resolve("hard"), file);
    Path folder = Files.createSymbolicLink(directory.resolve("folder"), directory);
    var form = new SettingsForm(Kind.LAB);
    form.setGuest(GuestKind.IMAGE);
    form.set(Field.FILE, file.toString());
    for (Path same :
        new Path[] {
          file, symbolic, hard, folder.resolve("ram"), directory.resolve("folder/../ram")
        }) {
      form.set(Field.OUT, same.toString());
      assertThat(form.values().error(Field.OUT))
          .as("%s", same)
          .isEqualTo("Write to: %s is the image itself; name another file.".formatted(same));
    }
    form.set(Field.FILE, symbolic.toString());
    form.set(Field.OUT, file.toString());
    assertThat(form.values().error(Field.OUT)).contains("is the image itself");
    form.set(Field.OUT, Files.write(directory.resolve("other"), new byte[8192]).toString());
    assertThat(form.values().errors()).isEmpty();
  }
}
