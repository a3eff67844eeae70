// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.guard.GuardProcesses;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.engine.MachineQemu.Memory;
import org.wridscope.guest.Handover;
import org.wridscope.guest.Tracking;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.RecordingGuards;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.guest.qemu.WaitingQemu;
import org.wridscope.qmp.QmpException;

/** Guests of real QEMUs that leave while they run, and arrive in other real QEMUs. */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.engine.MachineQemu#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class MachineMigrationTest {
  private static final int DISK = 16 << 20;

  /** Short limits for peers that do not acknowledge, of which each waits for the other. */
  static final Limits LIMITS =
      new Limits(
          Limits.DEFAULT.connect(),
          Limits.DEFAULT.answer(),
          Limits.DEFAULT.work(),
          Duration.ofMillis(50),
          Duration.ofSeconds(1),
          Limits.DEFAULT.heartbeat(),
          Limits.DEFAULT.silence());

  private static final long RAM = (long) MachineQemu.RAM_MIB << 20;

  /** A guest that writes 20 MB a second. */
  private static final CounterGuest GUEST = new CounterGuest(RAM, 20 << 20, 16 << 20, false);

  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  @TempDir private Path disks;

  private MachineQemu start(String name, String machine, Memory memory, String... more)
      throws IOException, InterruptedException {
    return MachineQemu.start(folder, name, machine, memory, GUEST, more);
  }

  @ParameterizedTest
  @CsvSource({
    "pc, FILE, false",
    "q35, MEMFD, true",
    "pc, FOLDER, false",
    "q35, TWO_NODES, false",
    "pc, DIMM, false",
  })
  void runningGuest_goesOnAtTheDestination(String machine, Memory memory, boolean pinAll)
      throws Exception {
    try (var here = start("source", machine, memory);
        var there = start("destination", machine, memory, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      Map<String, Boolean> capabilities = here.monitor().capabilities();
      var parameters = here.monitor().parameters();
      var sourceNotes = new RecordingGuards();
      var counts = new int[2];
      var destinationNotes =
          new RecordingGuards()
              .at(
                  "switching over",
                  () -> {
                    assertThat(there.ram()).isEqualTo(here.ram());
                    assertThat(there.status()).isEqualTo("paused");
                    counts[0] = here.count();
                  });
      try (var leaving =
              RunningQemu.of(here.address(), DirtyLogChoice.COMPARE, Throttle.OFF, sourceNotes);
          var arriving = WaitingQemu.of(there.address(), true, destinationNotes)) {
        var source = rig.source(leaving, Rig.parameters(pinAll, true));
        var destination = rig.destination(arriving, Rig.parameters(pinAll, true));
        rig.run(source, destination);
        Rig.assertCompleted(source, destination);
        assertThat(source.unconfirmed()).as(source.outcome()).isEmpty();
      }
      assertThat(counts[0]).isPositive();
      assertThat(here.status()).isEqualTo("postmigrate");
      assertThat(here.count()).isEqualTo(counts[0]);
      assertThat(there.status()).isEqualTo("running");
      there.await("the guest to count on", () -> there.count() > counts[0] + 2);
      assertThat(here.monitor().capabilities()).isEqualTo(capabilities);
      assertThat(here.monitor().parameters()).isEqualTo(parameters);
      assertThat(there.monitor().capabilities()).isEqualTo(capabilities);
      assertThat(sourceNotes.notes)
          .containsExactly(
              "guard source", "stopping", "resumed", "stopping", "handing over", "handed over");
      assertThat(destinationNotes.notes)
          .containsExactly("guard destination", "loading", "loaded", "switching over", "running");
      Handover from = Objects.requireNonNull(sourceNotes.handover);
      Handover to = Objects.requireNonNull(destinationNotes.handover);
      assertThat(from.migration()).isNotNull().isEqualTo(to.migration());
      assertThat(from.destination()).isEqualTo(to.destination());
    }
  }

  /** A paused guest stays paused, both ends say so, and its state arrives all the same. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void pausedGuest_staysPaused(boolean compared) throws Exception {
    try (var here = start("source", "pc", Memory.MEMFD);
        var there = start("destination", "pc", Memory.FILE, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      here.monitor().stop();
      int count = here.count();
      SourceSession source = move(rig, here, there, Throttle.OFF, compared);
      assertThat(source.outcome()).contains("The guest is paused at the destination.");
      assertThat(there.status()).isEqualTo("paused");
      assertThat(there.ram()).isEqualTo(here.ram());
      there.monitor().cont();
      there.await("the guest to count on", () -> there.count() > count + 2);
    }
  }

  /** More than the software device sends: only a long downtime limit or the throttle ends that. */
  @ParameterizedTest
  @ValueSource(ints = {0, 60})
  void guestThatWritesHard_arrives(int throttle) throws Exception {
    var hard = new CounterGuest(RAM, 4L << 30, 20 << 20, true);
    try (var here = MachineQemu.start(folder, "source", "pc", Memory.MEMFD, hard);
        var there =
            MachineQemu.start(
                folder, "destination", "pc", Memory.MEMFD, hard, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      move(rig, here, there, new Throttle(throttle));
      int count = here.count();
      there.await("the guest to count on", () -> there.count() > count + 2);
    }
  }

  /** Both QEMUs name the same image, and QEMU locks images that are in use. */
  @ParameterizedTest
  @ValueSource(strings = {"raw", "qcow2"})
  void disk_changesHandsAtTheSwitchOver(String format) throws Exception {
    Path image = folder.resolve("disk");
    Files.write(image, format.equals("raw") ? new byte[DISK] : emptyQcow2());
    String[] disk = {
      "-drive",
      "file=" + image + ",format=" + format + ",if=none,id=disk",
      "-device",
      "virtio-blk-pci,drive=disk"
    };
    String[] incoming = Arrays.copyOf(disk, disk.length + 2);
    incoming[disk.length] = "-incoming";
    incoming[disk.length + 1] = "defer";
    try (var here = start("source", "q35", Memory.MEMFD, disk);
        var there = start("destination", "q35", Memory.MEMFD, incoming);
        var rig = new Rig()) {
      here.awaitCounting();
      move(rig, here, there, Throttle.OFF);
      int count = here.count();
      there.await("the guest to count on", () -> there.count() > count + 2);
      var _ = there.monitor().humanMonitor("qemu-io disk \"write -P 65 0 4096\"");
      var _ = there.monitor().humanMonitor("qemu-io disk flush");
      assertThat(Files.readString(image, StandardCharsets.ISO_8859_1)).contains("A".repeat(4096));
      assertThatExceptionOfType(QmpException.class)
          .as("the source has given the image up")
          .isThrownBy(() -> here.monitor().cont());
    }
  }

  /** The peer is not a Wridscope, as far as either end knows: nothing is acknowledged. */
  @Test
  void withoutExtensions_theGuestArrives() throws Exception {
    try (var here = start("source", "pc", Memory.MEMFD);
        var there = start("destination", "pc", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig(LIMITS);
        var leaving = lift(here, Throttle.OFF);
        var arriving = WaitingQemu.of(there.address(), false, new RecordingGuards())) {
      here.awaitCounting();
      var source = rig.source(leaving, Rig.parameters(false, false));
      var destination = rig.destination(arriving, Rig.parameters(false, false));
      rig.run(source, destination);
      Rig.assertCompleted(source, destination);
      int count = here.count();
      there.await("the guest to count on", () -> there.count() > count + 2);
    }
  }

  /** An image with a header, a refcount table and block, and an L1 table (docs/interop/qcow2). */
  private static byte[] emptyQcow2() {
    int cluster = 1 << 16;
    ByteBuffer image = ByteBuffer.allocate(4 * cluster);
    image.putInt(0x514649fb).putInt(2).putLong(0).putInt(0).putInt(16).putLong(DISK).putInt(0);
    image.putInt(1).putLong(3L * cluster).putLong(cluster).putInt(1).putInt(0).putLong(0);
    image.putLong(cluster, 2L * cluster);
    for (int i = 0; i < 4; i++) {
      image.putShort(2 * cluster + 2 * i, (short) 1);
    }
    return image.array();
  }

  /**
   * With the real guard, which has QEMU open the userfaultfd. A disk that is opened with O_DIRECT
   * makes the guest stand still for each collection.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void userfaultfd_findsEveryWrite(boolean direct) throws Exception {
    // O_DIRECT needs a file system that is not in memory.
    Path image = Files.write(disks.resolve("disk"), new byte[DISK]);
    String[] disk = {
      "-drive",
      "file=" + image + ",format=raw,if=none,id=disk,cache.direct=" + (direct ? "on" : "off"),
      "-device",
      "virtio-blk-pci,drive=disk"
    };
    String[] incoming = Arrays.copyOf(disk, disk.length + 2);
    incoming[disk.length] = "-incoming";
    incoming[disk.length + 1] = "defer";
    try (var here = start("source", "q35", Memory.TWO_NODES, disk);
        var there = start("destination", "q35", Memory.TWO_NODES, incoming);
        var rig = new Rig();
        var leaving =
            RunningQemu.of(
                here.address(), DirtyLogChoice.AUTO, Throttle.OFF, GuardProcesses.ofUser());
        var arriving = WaitingQemu.of(there.address(), true, GuardProcesses.ofUser())) {
      here.awaitCounting();
      var source = rig.source(leaving, Rig.parameters(false, true));
      var destination = rig.destination(arriving, Rig.parameters(false, true));
      rig.run(source, destination);
      Rig.assertCompleted(source, destination);
      assertThat(source.unconfirmed()).as(source.outcome()).isEmpty();
      Tracking tracking = leaving.tracking().orElseThrow();
      if (tracking.method().equals("userfaultfd")) {
        assertThat(tracking.pausedNanos() > 0).isEqualTo(direct);
      } else {
        assertThat(tracking.reason()).startsWith("userfaultfd does not work here: ");
      }
      try (var descriptors = Files.list(Path.of("/proc/" + here.pid() + "/fd"))) {
        assertThat(descriptors.map(MachineMigrationTest::target))
            .noneMatch(target -> target.contains("userfaultfd"));
      }
      int count = here.count();
      there.await("the guest to count on", () -> there.count() > count + 2);
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "";
    }
  }

  private static RunningQemu lift(MachineQemu here, Throttle throttle) {
    return RunningQemu.of(here.address(), DirtyLogChoice.COMPARE, throttle, new RecordingGuards());
  }

  private static void move(Rig rig, MachineQemu here, MachineQemu there, Throttle throttle)
      throws Exception {
    SourceSession source = move(rig, here, there, throttle, true);
    assertThat(source.unconfirmed()).as(source.outcome()).isEmpty();
  }

  private static SourceSession move(
      Rig rig, MachineQemu here, MachineQemu there, Throttle throttle, boolean compared)
      throws Exception {
    try (var leaving = lift(here, throttle);
        var arriving = WaitingQemu.of(there.address(), compared, new RecordingGuards())) {
      var source = rig.source(leaving, Rig.parameters(false, true));
      var destination = rig.destination(arriving, Rig.parameters(false, true));
      rig.run(source, destination);
      Rig.assertCompleted(source, destination);
      return source;
    }
  }
}
