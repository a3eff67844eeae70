// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.engine.MachineQemu.Memory;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.RecordingGuards;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.guest.qemu.WaitingQemu;
import org.wridscope.telemetry.MigrationStatus;

/** Migrations between real QEMUs that fail: the guest goes on at the source, as it was. */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.engine.MachineQemu#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class MachineFailureTest {
  private static final long RAM = (long) MachineQemu.RAM_MIB << 20;
  private static final CounterGuest GUEST = new CounterGuest(RAM, 20 << 20, 16 << 20, false);

  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  private String temporary = "";

  private MachineQemu start(String name, Memory memory, String... more)
      throws IOException, InterruptedException {
    return MachineQemu.start(folder, name, "pc", memory, GUEST, more);
  }

  /** The settings of a QEMU before a migration. */
  private record Before(Map<String, Boolean> capabilities, JsonObject parameters) {
    static Before of(MachineQemu qemu) throws IOException, InterruptedException {
      // Others than the defaults, so that restoring is not forgetting.
      qemu.execute("migrate-set-parameters", "max-bandwidth", 12345678, "downtime-limit", 77);
      qemu.monitor().setCapabilities(Map.of("xbzrle", true, "auto-converge", true));
      return new Before(qemu.monitor().capabilities(), qemu.monitor().parameters());
    }

    void requireRestored(MachineQemu qemu) throws IOException, InterruptedException {
      assertThat(qemu.monitor().capabilities()).isEqualTo(capabilities);
      assertThat(qemu.monitor().parameters()).isEqualTo(parameters);
      assertThat(qemu.status()).isEqualTo("running");
      qemu.awaitCounting();
      assertThat(qemu.monitor().migration().isInProgress()).isFalse();
    }
  }

  private static RunningQemu lift(MachineQemu here, RecordingGuards guards) {
    return RunningQemu.of(here.address(), DirtyLogChoice.COMPARE, Throttle.OFF, guards);
  }

  private static void assertFailed(MigrationSession session, String reason) {
    assertThat(session.telemetry().status())
        .as(session.outcome())
        .isIn(MigrationStatus.FAILED, MigrationStatus.CANCELLED);
    assertThat(session.outcome()).contains(reason);
  }

  /** The sockets for migration streams are made here. */
  @BeforeEach
  void setTemporaryFolder() {
    temporary = System.setProperty("java.io.tmpdir", folder.toString());
  }

  @AfterEach
  void requireNothingLeft() throws IOException {
    System.setProperty("java.io.tmpdir", temporary);
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .isSubsetOf("source", "destination");
    }
  }

  /** Each note of a guard comes before the step that it guards, so that step is not done. */
  @ParameterizedTest
  @ValueSource(strings = {"guard source", "stopping", "resumed", "handing over"})
  void aGuardThatIsGone_atTheSource(String note) throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      Before before = Before.of(here);
      var guards = RecordingGuards.failingAt(note);
      try (var leaving = lift(here, guards);
          var arriving = WaitingQemu.of(there.address(), false, new RecordingGuards())) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        Thread other = rig.start(destination);
        Thread one = rig.start(source);
        Rig.join(one, source);
        destination.cancel();
        Rig.join(other, destination);
        assertFailed(source, "The guard is gone.");
      }
      before.requireRestored(here);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"guard destination", "loading", "loaded", "switching over"})
  void aGuardThatIsGone_atTheDestination(String note) throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      Before before = Before.of(here);
      var guards = RecordingGuards.failingAt(note);
      try (var leaving = lift(here, new RecordingGuards());
          var arriving = WaitingQemu.of(there.address(), false, guards)) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        rig.run(source, destination);
        assertFailed(destination, "The guard is gone.");
        assertFailed(source, "The guest goes on running in QEMU " + here.pid());
      }
      before.requireRestored(here);
      if (note.equals("guard destination") || note.equals("loading")) {
        assertThat(there.status()).isEqualTo("inmigrate");
      } else {
        there.awaitEnd();
      }
    }
  }

  /**
   * A source that gets no acknowledgement has given its guest up: this may be the only copy. The
   * stream of an old machine type ends without a description.
   */
  @ParameterizedTest
  @ValueSource(strings = {"pc", "pc-i440fx-2.2"})
  void aGuestThatMayBeTheOnlyOne_isKept(String machine) throws Exception {
    try (var here = MachineQemu.start(folder, "source", machine, Memory.MEMFD, GUEST);
        var there =
            MachineQemu.start(
                folder, "destination", machine, Memory.MEMFD, GUEST, "-incoming", "defer");
        var rig = new Rig(MachineMigrationTest.LIMITS)) {
      here.awaitCounting();
      try (var leaving = lift(here, new RecordingGuards());
          var arriving =
              WaitingQemu.of(there.address(), false, RecordingGuards.failingAt("switching over"))) {
        var source = rig.source(leaving, Rig.parameters(false, false));
        var destination = rig.destination(arriving, Rig.parameters(false, false));
        rig.run(source, destination);
        assertFailed(destination, "The guest may be loaded in QEMU " + there.pid());
      }
      assertThat(there.monitor().status().running()).isFalse();
      there.monitor().cont();
      there.awaitCounting();
    }
  }

  /** A device that only the source has: QEMU itself refuses its state, and says why. */
  @Test
  void aDestinationWithoutADevice_refusesTheState() throws Exception {
    try (var here = start("source", Memory.MEMFD, "-device", "virtio-rng-pci");
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig();
        var leaving = lift(here, new RecordingGuards());
        var arriving = WaitingQemu.of(there.address(), false, new RecordingGuards())) {
      here.awaitCounting();
      Before before = Before.of(here);
      var source = rig.source(leaving, Rig.parameters(false, true));
      var destination = rig.destination(arriving, Rig.parameters(false, true));
      rig.run(source, destination);
      assertFailed(
          destination,
          "QEMU %d did not load the guest: it ended and printed: qemu-system-x86_64: "
              .formatted(there.pid()));
      assertFailed(source, "The guest goes on running in QEMU " + here.pid());
      before.requireRestored(here);
      there.awaitEnd();
    }
  }

  /** Its devices have other RAM blocks; or only its type differs, which is known after the RAM. */
  @ParameterizedTest
  @CsvSource({
    "q35, The source has a RAM block",
    "pc-i440fx-7.1, 'The machine type is pc-i440fx-7.2 at the source and pc-i440fx-7.1 in QEMU'"
  })
  void anotherMachine_isRefusedBeforeAnythingIsLoaded(String machine, String why) throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there =
            MachineQemu.start(
                folder, "destination", machine, Memory.MEMFD, GUEST, "-incoming", "defer");
        var rig = new Rig();
        var leaving = lift(here, new RecordingGuards());
        var arriving = WaitingQemu.of(there.address(), false, new RecordingGuards())) {
      here.awaitCounting();
      Before before = Before.of(here);
      var source = rig.source(leaving, Rig.parameters(false, true));
      var destination = rig.destination(arriving, Rig.parameters(false, true));
      rig.run(source, destination);
      assertFailed(destination, why);
      assertFailed(source, "The guest goes on running in QEMU " + here.pid());
      before.requireRestored(here);
      assertThat(there.status()).isEqualTo("inmigrate");
    }
  }

  @Test
  void aDestinationThatDies_whileItLoads() throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      Before before = Before.of(here);
      var guards = new RecordingGuards();
      guards.at("loaded", there::kill);
      try (var leaving = lift(here, new RecordingGuards());
          var arriving = WaitingQemu.of(there.address(), false, guards)) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        rig.run(source, destination);
        assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
        assertFailed(source, "The guest goes on running in QEMU " + here.pid());
      }
      before.requireRestored(here);
    }
  }

  /** It may have started the guest before, so that the guest stays paused here. */
  @Test
  void aDestinationThatDies_whileItStartsTheGuest() throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig(Rig.NO_INQUIRY)) {
      here.awaitCounting();
      var guards = new RecordingGuards();
      guards.at("switching over", there::kill);
      try (var leaving = lift(here, new RecordingGuards());
          var arriving = WaitingQemu.of(there.address(), false, guards)) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        rig.run(source, destination);
        assertFailed(destination, "It may run in QEMU " + there.pid());
        assertThat(source.telemetry().status())
            .as(source.outcome())
            .isEqualTo(MigrationStatus.UNDECIDED);
      }
      assertThat(guards.notes).last().isEqualTo("take over");
      assertThat(here.status()).isEqualTo("postmigrate");
      here.monitor().cont();
      here.awaitCounting();
    }
  }

  @Test
  void aSourceThatDies_isNotRestored() throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      var guards = new RecordingGuards();
      guards.at("guard destination", here::kill);
      try (var leaving = lift(here, new RecordingGuards());
          var arriving = WaitingQemu.of(there.address(), false, guards)) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        rig.run(source, destination);
        assertFailed(source, "it has ended, and its guest with it");
        assertThat(destination.telemetry().status()).isNotEqualTo(MigrationStatus.COMPLETED);
      }
      assertThat(there.status()).isEqualTo("inmigrate");
    }
  }

  @Test
  void cancelled_theGuestGoesOn_andCanBeMigratedAgain() throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      Before before = Before.of(here);
      var guards = new RecordingGuards();
      try (var leaving = lift(here, new RecordingGuards());
          var arriving = WaitingQemu.of(there.address(), false, guards)) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        guards.at("guard destination", source::cancel);
        rig.run(source, destination);
        assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      }
      before.requireRestored(here);
      rig.listenAgain();
      try (var leaving = lift(here, new RecordingGuards());
          var arriving = WaitingQemu.of(there.address(), true, new RecordingGuards())) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        rig.run(source, destination);
        Rig.assertCompleted(source, destination);
      }
      int count = here.count();
      there.await("the guest to count on", () -> there.count() > count + 2);
    }
  }

  /** A guest that its user paused before is not continued. */
  @Test
  void aPausedGuest_staysPausedAfterAFailure() throws Exception {
    try (var here = start("source", Memory.MEMFD);
        var there = start("destination", Memory.MEMFD, "-incoming", "defer");
        var rig = new Rig()) {
      here.awaitCounting();
      here.monitor().stop();
      int count = here.count();
      try (var leaving = lift(here, new RecordingGuards());
          var arriving =
              WaitingQemu.of(there.address(), false, RecordingGuards.failingAt("loaded"))) {
        var source = rig.source(leaving, Rig.parameters(false, true));
        var destination = rig.destination(arriving, Rig.parameters(false, true));
        rig.run(source, destination);
        assertFailed(source, "The guest is paused in QEMU %d, as it was".formatted(here.pid()));
      }
      assertThat(here.monitor().status().running()).isFalse();
      assertThat(here.count()).isEqualTo(count);
      here.monitor().cont();
      here.awaitCounting();
    }
  }
}
