// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
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
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.RecordingGuards;
import org.wridscope.guest.qemu.RunningQemu;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.guest.qemu.WaitingQemu;
import org.wridscope.protocol.InquiryAnswer.Outcome;
import org.wridscope.telemetry.MigrationStatus;

/** Migrations between real QEMUs that fail: the guest goes on at the source, as it was. */
@Tag("qemu")
@EnabledIf(
    value = "org.wridscope.engine.MachineQemu#isInstalled",
    disabledReason = "qemu-system-x86_64 is not installed")
final class MachineFailureTest {
  private static final long RAM = (long) MachineQemu.RAM_MIB << 20;
  private static final CounterGuest GUEST = new CounterGuest(RAM, 1 << 20, 1 << 20, false);

  @TempDir(factory = SharedMemoryFolder.class)
  private Path folder;

  private String temporary = "";

  /** A QEMU whose guest counts, and one that waits for it. */
  private final class Pair implements AutoCloseable {
    final MachineQemu here;
    final MachineQemu there;
    final Rig rig;

    /**
     * @param more arguments of the first QEMU
     */
    Pair(Limits limits, String machine, String other, String... more) throws Exception {
      rig = new Rig(limits);
      here = MachineQemu.start(folder, "source", machine, Memory.MEMFD, GUEST, more);
      there =
          MachineQemu.start(
              folder, "destination", other, Memory.MEMFD, GUEST, "-incoming", "defer");
      here.awaitCounting();
    }

    Pair() throws Exception {
      this(Limits.DEFAULT, "pc", "pc");
    }

    Attempt attempt(RecordingGuards one, RecordingGuards other) {
      return new Attempt(this, one, other, true);
    }

    @Override
    public void close() throws IOException {
      here.close();
      there.close();
      rig.close();
    }
  }

  /** A migration from one QEMU of a pair to the other. */
  private static final class Attempt implements AutoCloseable {
    private final Pair pair;
    private final RunningQemu leaving;
    private final WaitingQemu arriving;
    final SourceSession source;
    final DestinationSession destination;

    Attempt(Pair pair, RecordingGuards one, RecordingGuards other, boolean acknowledged) {
      this.pair = pair;
      leaving = RunningQemu.of(pair.here.address(), DirtyLogChoice.COMPARE, Throttle.OFF, one);
      arriving = WaitingQemu.of(pair.there.address(), acknowledged, other);
      source = pair.rig.source(leaving, Rig.parameters(false, acknowledged));
      destination = pair.rig.destination(arriving, Rig.parameters(false, acknowledged));
    }

    Attempt run() throws InterruptedException {
      pair.rig.run(source, destination);
      return this;
    }

    /** With a source that may never connect. */
    void runUntilTheSourceEnds() throws InterruptedException {
      Thread there = pair.rig.start(destination);
      Thread here = pair.rig.start(source);
      Rig.join(here, source);
      destination.cancel();
      Rig.join(there, destination);
    }

    void assertGoesOnHere() {
      assertFailed(source, "The guest keeps running in QEMU " + pair.here.pid());
    }

    @Override
    public void close() {
      arriving.close();
      leaving.close();
    }
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
    try (var pair = new Pair()) {
      Before before = Before.of(pair.here);
      var guards = RecordingGuards.failingAt(note);
      try (var attempt = pair.attempt(guards, new RecordingGuards())) {
        attempt.runUntilTheSourceEnds();
        assertFailed(attempt.source, "The guard is gone.");
      }
      // The journal may say that the guest was handed over.
      assertThat(guards.notes.contains("taken back")).isEqualTo(note.equals("handing over"));
      before.requireRestored(pair.here);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"guard destination", "loading", "loaded", "switching over"})
  void aGuardThatIsGone_atTheDestination(String note) throws Exception {
    try (var pair = new Pair()) {
      Before before = Before.of(pair.here);
      try (var attempt = pair.attempt(new RecordingGuards(), RecordingGuards.failingAt(note))) {
        attempt.run().assertGoesOnHere();
        assertFailed(attempt.destination, "The guard is gone.");
      }
      before.requireRestored(pair.here);
      if (note.equals("guard destination") || note.equals("loading")) {
        assertThat(pair.there.status()).isEqualTo("inmigrate");
      } else {
        pair.there.awaitEnd();
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
    MachineQemu.assumeMachine(machine);
    try (var pair = new Pair(MachineMigrationTest.LIMITS, machine, machine)) {
      RecordingGuards guards = RecordingGuards.failingAt("switching over");
      try (var attempt = new Attempt(pair, new RecordingGuards(), guards, false)) {
        assertFailed(
            attempt.run().destination, "The guest may be loaded in QEMU " + pair.there.pid());
      }
      assertThat(guards.notes).as("the journal stays").endsWith("kept");
      assertThat(pair.there.monitor().status().running()).isFalse();
      pair.there.monitor().cont();
      pair.there.awaitCounting();
    }
  }

  /** A device that only the source has: QEMU itself refuses its state, and says why. */
  @Test
  void aDestinationWithoutADevice_refusesTheState() throws Exception {
    try (var pair = new Pair(Limits.DEFAULT, "pc", "pc", "-device", "virtio-rng-pci");
        var attempt = pair.attempt(new RecordingGuards(), new RecordingGuards())) {
      Before before = Before.of(pair.here);
      attempt.run().assertGoesOnHere();
      assertFailed(
          attempt.destination, "QEMU %d did not load the guest: ".formatted(pair.there.pid()));
      // Older QEMUs end, newer ones answer before that.
      assertThat(attempt.destination.outcome())
          .containsAnyOf(
              ": it ended and printed: qemu-system-x86_64: ",
              ": load of migration failed: Invalid argument.");
      before.requireRestored(pair.here);
      pair.there.awaitEnd();
    }
  }

  /** Its devices have other RAM blocks; or only its type differs, which is known after the RAM. */
  @ParameterizedTest
  @CsvSource({
    "q35, The source has a RAM block",
    "pc-i440fx-7.1, 'The machine type is %s at the source and pc-i440fx-7.1 in QEMU'"
  })
  void anotherMachine_isRefusedBeforeAnythingIsLoaded(String machine, String why) throws Exception {
    try (var pair = new Pair(Limits.DEFAULT, "pc", machine);
        var attempt = pair.attempt(new RecordingGuards(), new RecordingGuards())) {
      Before before = Before.of(pair.here);
      attempt.run().assertGoesOnHere();
      assertFailed(attempt.destination, why.formatted(MachineQemu.machineOf("pc")));
      before.requireRestored(pair.here);
      assertThat(pair.there.status()).isEqualTo("inmigrate");
    }
  }

  @Test
  void aDestinationThatDies_whileItLoads() throws Exception {
    try (var pair = new Pair()) {
      Before before = Before.of(pair.here);
      var guards = new RecordingGuards().at("loaded", pair.there::kill);
      try (var attempt = pair.attempt(new RecordingGuards(), guards)) {
        attempt.run().assertGoesOnHere();
        assertThat(attempt.destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      }
      before.requireRestored(pair.here);
    }
  }

  /** It may have started the guest before, so that the guest stays paused here. */
  @Test
  void aDestinationThatDies_whileItStartsTheGuest() throws Exception {
    try (var pair = new Pair(Rig.NO_INQUIRY, "pc", "pc")) {
      var guards = new RecordingGuards().at("switching over", pair.there::kill);
      try (var attempt = pair.attempt(new RecordingGuards(), guards)) {
        assertFailed(attempt.run().destination, "It may run in QEMU " + pair.there.pid());
        assertThat(attempt.source.telemetry().status())
            .as(attempt.source.outcome())
            .isEqualTo(MigrationStatus.UNDECIDED);
      }
      assertThat(guards.notes).last().isEqualTo("take over");
      assertThat(pair.here.status()).isEqualTo("postmigrate");
      pair.here.monitor().cont();
      pair.here.awaitCounting();
    }
  }

  /** The start takes a while, in which a source may ask that has lost its connection. */
  @Test
  void aQuestionWhileTheGuestIsStarted_getsNoAnswerThatMayBecomeFalse() throws Exception {
    try (var pair = new Pair()) {
      var guards = new RecordingGuards();
      var replies = new ArrayList<Inquiry.Reply>();
      guards.at("switching over", () -> replies.add(askOnce(pair, guards)));
      try (var attempt = pair.attempt(new RecordingGuards(), guards).run()) {
        Rig.assertCompleted(attempt.source, attempt.destination);
      }
      assertThat(replies).containsExactly(new Inquiry.Reply(Outcome.UNKNOWN, null));
      assertThat(pair.there.status()).isEqualTo("running");
    }
  }

  private static Inquiry.Reply askOnce(Pair pair, RecordingGuards guards)
      throws InterruptedException {
    Handover handover = Objects.requireNonNull(guards.handover);
    return new Inquiry(pair.rig.sourceDevice, handover, Rig.END, Duration.ZERO).ask();
  }

  @Test
  void aSourceThatDies_isNotRestored() throws Exception {
    try (var pair = new Pair()) {
      var guards = new RecordingGuards().at("guard destination", pair.here::kill);
      try (var attempt = pair.attempt(new RecordingGuards(), guards)) {
        assertFailed(attempt.run().source, "it has ended, and its guest with it");
        assertThat(attempt.destination.telemetry().status())
            .isNotEqualTo(MigrationStatus.COMPLETED);
      }
      assertThat(pair.there.status()).isEqualTo("inmigrate");
    }
  }

  @Test
  void cancelled_theGuestGoesOn_andCanBeMigratedAgain() throws Exception {
    try (var pair = new Pair()) {
      Before before = Before.of(pair.here);
      var guards = new RecordingGuards();
      try (var attempt = pair.attempt(new RecordingGuards(), guards)) {
        guards.at("guard destination", attempt.source::cancel);
        assertThat(attempt.run().source.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      }
      before.requireRestored(pair.here);
      pair.rig.listenAgain();
      try (var attempt = pair.attempt(new RecordingGuards(), new RecordingGuards()).run()) {
        Rig.assertCompleted(attempt.source, attempt.destination);
      }
      int count = pair.here.count();
      pair.there.await("the guest to count on", () -> pair.there.count() > count + 2);
    }
  }

  /** A guest that its user paused before is not continued. */
  @Test
  void aPausedGuest_staysPausedAfterAFailure() throws Exception {
    try (var pair = new Pair()) {
      pair.here.monitor().stop();
      int count = pair.here.count();
      try (var attempt = pair.attempt(new RecordingGuards(), RecordingGuards.failingAt("loaded"))) {
        assertFailed(
            attempt.run().source,
            "The guest is paused in QEMU %d, as it was".formatted(pair.here.pid()));
      }
      assertThat(pair.here.monitor().status().running()).isFalse();
      assertThat(pair.here.count()).isEqualTo(count);
      pair.here.monitor().cont();
      pair.here.awaitCounting();
    }
  }
}
