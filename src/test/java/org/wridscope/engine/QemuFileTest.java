// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.SavedGuest;
import org.wridscope.telemetry.MigrationStatus;

/** Files that a real QEMU saves, restored into a capture that a real QEMU loads. */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.engine.MachineQemu#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class QemuFileTest {
  /** Short limits for the machine type whose stream has no marked end, so that it waits. */
  private static final Limits LIMITS =
      new Limits(
          Limits.DEFAULT.connect(),
          Limits.DEFAULT.answer(),
          Limits.DEFAULT.work(),
          Duration.ofMillis(50),
          Duration.ofSeconds(1),
          Limits.DEFAULT.heartbeat(),
          Limits.DEFAULT.silence());

  @TempDir private Path folder;

  /** Sends the guest in a file over the device to another file. */
  private static void pass(Path from, Path to, boolean pinAll, boolean extensions)
      throws Exception {
    try (var rig = new Rig(LIMITS);
        var saved = SavedGuest.open(from);
        var captured = CapturedGuest.create(to)) {
      var source = rig.source(saved, Rig.parameters(pinAll, extensions));
      var destination = rig.destination(captured, Rig.parameters(pinAll, extensions));
      rig.run(source, destination);
      Rig.assertCompleted(source, destination);
      assertThat(destination.pinAll()).isEqualTo(pinAll);
    }
  }

  /** With footers and description; without footers; with neither. */
  @ParameterizedTest
  @CsvSource({"pc, false", "q35, true", "pc-i440fx-2.3, false", "pc-i440fx-2.2, true"})
  void stoppedGuest_comesBackByteForByte_andGoesOn(String machine, boolean pinAll)
      throws Exception {
    MachineQemu.assumeMachine(machine);
    Path saved = folder.resolve("saved");
    Path captured = folder.resolve("captured");
    byte[] ram;
    int counter;
    try (var qemu = MachineQemu.small(folder, machine)) {
      qemu.awaitCounting();
      qemu.execute("stop");
      qemu.save(saved);
      ram = qemu.ram();
      counter = qemu.count();
    }
    pass(saved, captured, pinAll, true);
    try (var qemu = MachineQemu.small(folder, machine, "-S", "-incoming", "exec:cat " + captured)) {
      qemu.awaitLoaded();
      assertThat(qemu.ram()).isEqualTo(ram);
      assertThat(qemu.count()).isEqualTo(counter);
      qemu.execute("cont");
      qemu.awaitCounting();
      assertThat(qemu.count()).isGreaterThan(counter);
    }
    Path again = folder.resolve("again");
    pass(captured, again, !pinAll, true);
    assertThat(Files.mismatch(captured, again)).isEqualTo(-1);
  }

  /** The file contains many pages more than once. */
  @Test
  void runningGuest_isWhatQemuItselfLoads() throws Exception {
    Path saved = folder.resolve("saved");
    Path captured = folder.resolve("captured");
    try (var qemu = MachineQemu.small(folder, "pc")) {
      qemu.awaitCounting();
      qemu.execute("migrate-set-parameters", "max-bandwidth", 8 << 20);
      qemu.save(saved);
    }
    pass(saved, captured, false, true);
    assertThat(Files.size(captured)).isLessThan(Files.size(saved));
    byte[] expected;
    try (var qemu = MachineQemu.small(folder, "pc", "-S", "-incoming", "exec:cat " + saved)) {
      qemu.awaitLoaded();
      expected = qemu.ram();
    }
    try (var qemu = MachineQemu.small(folder, "pc", "-S", "-incoming", "exec:cat " + captured)) {
      qemu.awaitLoaded();
      assertThat(qemu.ram()).isEqualTo(expected);
      qemu.execute("cont");
      qemu.awaitCounting();
    }
  }

  @Test
  void compressedPages_areRefusedWithAdvice() throws Exception {
    Path saved = folder.resolve("saved");
    try (var qemu = MachineQemu.small(folder, "q35")) {
      assumeThat(qemu.monitor().capabilities())
          .as("capabilities; QEMU had this one until 9.0")
          .containsKey("compress");
      qemu.awaitCounting();
      qemu.execute("stop");
      qemu.setCapability("compress", true);
      qemu.save(saved);
    }
    try (var rig = new Rig();
        var guest = SavedGuest.open(saved)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      source.run();
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .contains("switch the capability compress off and save the guest again");
    }
  }
}
