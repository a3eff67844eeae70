// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.CaptureDisk;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Leftover;
import org.wridscope.guest.SavedGuest;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;

/** The guest of a QEMU or a Wridscope is captured in a file. */
@Slow("a thousand broken captures")
class CaptureTest {
  static final long PAGE = RamBlock.PAGE_SIZE;
  static final long[] LENGTHS = {(3 << 20) + PAGE, 1 << 20, 2 * PAGE};

  /** For a thousand guests: as many blocks, of which one has two chunks. */
  static final long[] SMALL = {(1 << 20) + PAGE, 3 * PAGE, 2 * PAGE};

  /** The stream of QEMU 7.2 before and after its RAM, with and without configuration. */
  static final byte[] PREFIX = Arrays.copyOf(recording(), 26);

  static final byte[] OLD_PREFIX = Arrays.copyOf(PREFIX, 8);
  static final byte[] TAIL = tail(recording());
  static final byte[] SHORT_TAIL = "\4x\0\6\0\0\0\2{}".getBytes(StandardCharsets.ISO_8859_1);

  @TempDir private Path folder;

  private static byte[] recording() {
    try (InputStream in =
        Objects.requireNonNull(
            CaptureTest.class.getResourceAsStream(
                "/org/wridscope/stream/qemu-7.2-pc-whole.stream"))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] tail(byte[] recording) {
    return Arrays.copyOfRange(recording, recording.length - 115686, recording.length);
  }

  static BlockGuest guest() {
    return guest(LENGTHS);
  }

  static BlockGuest guest(long... lengths) {
    return BlockGuest.of(lengths).boot(11, 0.4).zero(2);
  }

  private Path target() {
    return folder.resolve("vm.mig");
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** Checks that a file contains the RAM of a guest, and the rest as it was sent. */
  static void assertHolds(Path file, BlockGuest guest, byte[] tail) throws IOException {
    try (SavedGuest saved = SavedGuest.open(file)) {
      saved.index(() -> {});
      for (int i = 0; i < LENGTHS.length; i++) {
        MemorySegment ram = saved.ramBlocks().get(i).memory();
        saved.fetch(i, 0, ram.byteSize());
        assertThat(ram.mismatch(guest.memory(i))).as("block %d", i).isEqualTo(-1);
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    assertThat(Arrays.copyOfRange(bytes, bytes.length - tail.length, bytes.length)).isEqualTo(tail);
  }

  @ExtendWith(UnderSchedule.class)
  @ParameterizedTest(name = "pin-all {0}, footers {1}, configuration {2}")
  @CsvSource({
    "false, true, true",
    "true, true, true",
    "false, false, false",
    "true, false, false",
  })
  void busyGuestOfAQemu_isKept(boolean pinAll, boolean footers, boolean configuration)
      throws Exception {
    var random = new SplittableRandom(2);
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      byte[] prefix = configuration ? PREFIX : OLD_PREFIX;
      var source = new ScriptedQemuSource(rig, guest, pinAll, prefix, TAIL, Tamper.NONE);
      source.rounds(
          12,
          round -> {
            for (int i = 0; i < 50; i++) {
              int block = random.nextInt(3);
              guest.write(block, random.nextLong(LENGTHS[block]), (byte) random.nextInt());
            }
          });
      if (!footers) {
        source.withoutFooters();
      }
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);

      assertThat(source.end()).isEqualTo("it went to the end");
      assertThat(destination.outcome())
          .isEqualTo(
              "The guest is in %s and is paused. This source cannot confirm that its RAM is equal."
                  .formatted(target()));
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(destination.pinAll()).isEqualTo(pinAll);
      assertThat(source.granted().version()).isEqualTo(1);
      assertThat(source.granted().flags()).isEqualTo(pinAll ? Capabilities.PIN_ALL : 0);
      assertHolds(target(), guest, TAIL);
      var metrics = destination.telemetry().metrics();
      assertThat(metrics.get(Metric.RAM_TOTAL)).isEqualTo(Arrays.stream(LENGTHS).sum());
      assertThat(metrics.get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(13);
      assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
      assertThat(destination.telemetry().messagesSent().get(ControlType.HEARTBEAT)).isZero();
      assertThat(destination.telemetry().messagesSent().get(ControlType.ERROR)).isZero();
      assertThat(destination.unconfirmed()).hasSize(1);
    }
    assertThat(files()).containsExactly("vm.mig");
  }

  /** A machine type without a description of the machine, so that the end is not marked. */
  @Test
  void oldMachine_isKept_andTheDoubtIsNamed() throws Exception {
    byte[] tail = {4, 1, 2, 3, 0};
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var source =
          new ScriptedQemuSource(rig, guest, false, OLD_PREFIX, tail, Tamper.NONE).withoutFooters();
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(destination.unconfirmed()).anyMatch(doubt -> doubt.contains("no mark of its end"));
      assertHolds(target(), guest, tail);
    }
  }

  @ExtendWith(UnderSchedule.class)
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noFileIsLeft_wheneverTheSourceDies(boolean pinAll) throws Exception {
    byte[] before = "QEVM, an older one".getBytes(StandardCharsets.US_ASCII);
    int messages = Integer.MAX_VALUE;
    for (int leaving = 0; leaving <= messages; leaving++) {
      Files.write(target(), before);
      try (var rig = new Rig();
          var guest = guest();
          var captured =
              CapturedGuest.create(Output.of("capture", target(), FileKind.STREAM).replacing())) {
        var source =
            new ScriptedQemuSource(rig, guest, pinAll, PREFIX, TAIL, Tamper.NONE)
                .rounds(2, round -> {})
                .leavingAt(leaving);
        var destination = rig.destination(captured, Rig.parameters(false, true));
        rig.run(destination, source);
        boolean complete = source.end().equals("it went to the end");
        assertThat(destination.telemetry().status())
            .as("%d: %s", leaving, destination.outcome())
            .isEqualTo(complete ? MigrationStatus.COMPLETED : MigrationStatus.FAILED);
        if (complete) {
          messages = leaving;
          assertHolds(target(), guest, TAIL);
        } else {
          assertThat(destination.outcome())
              .contains("disconnected")
              .endsWith("The guest was not kept here.");
          assertThat(Files.readAllBytes(target())).isEqualTo(before);
        }
        assertThat(files()).as("after the session").containsExactly("vm.mig");
      }
    }
    assertThat(messages).isGreaterThan(15);
  }

  @ExtendWith(UnderSchedule.class)
  @Test
  void secondConnectionOfPostCopy_isRefused_andTheSentenceSaysWhatToSwitchOff() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var source =
          new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE).withReturnPath();
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(source.isRejected()).isTrue();
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome())
          .contains("switch its capabilities postcopy-ram and return-path off");
    }
    assertThat(files()).isEmpty();
  }

  @ExtendWith(UnderSchedule.class)
  @Test
  void secondConnectionOfPostCopy_isNotTheSource_andTheDestinationWaitsOn() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var withPostCopy =
          new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE).withReturnPath();
      var without = new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE);
      var destination = rig.listening(captured, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      withPostCopy.run();
      TurnedAway turnedAway = destination.telemetry().turnedAway();
      // Until it is known that the first connection has ended, this could be a second one.
      while (turnedAway.counts().total() < 2) {
        Time.sleep(Duration.ofMillis(10));
      }
      without.run();
      Rig.join(there, destination);
      assertThat(withPostCopy.isRejected()).isTrue();
      assertThat(turnedAway.counts().reasons())
          .isEqualTo(Map.of(TurnedAway.Reason.REFUSED, 1L, TurnedAway.Reason.LEFT, 1L));
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void guestOfANewMachineType_isKept(boolean pinAll) throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var source =
          new ScriptedQemuSource(rig, guest, pinAll, PREFIX, TAIL, Tamper.NONE)
              .withSwitchoverStart();
      var destination = rig.destination(captured, Rig.parameters(pinAll, true));
      rig.run(destination, source);
      assertThat(source.end()).as(destination.outcome()).isEqualTo("it went to the end");
      assertHolds(target(), guest, TAIL);
    }
  }

  /** What the source registers and where it writes do not show it before it is too late. */
  @Test
  void sourceWithLargerChunks_isToldWhatToSet() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(11, 0);
        var captured = CapturedGuest.create(target())) {
      var source =
          new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE).chunks(2 << 20);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(source.end()).startsWith("a write completed with REM_ACCESS_ERR");
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome())
          .contains("QEMU 11.1 or later, set its parameter x-rdma-chunk-size to 1048576");
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void sourceWithLargerChunks_isCapturedWithPinAll() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(11, 0);
        var captured = CapturedGuest.create(target())) {
      var source =
          new ScriptedQemuSource(rig, guest, true, PREFIX, TAIL, Tamper.NONE).chunks(2 << 20);
      rig.run(rig.destination(captured, Rig.parameters(true, true)), source);
      assertThat(source.end()).isEqualTo("it went to the end");
      assertHolds(target(), guest, TAIL);
    }
  }

  /** Its sentences name no chunks when a source only disconnects. */
  @Test
  void sourceThatGoes_isNotToldOfChunks() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(
          destination,
          new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE).leavingAt(4));
      assertThat(destination.outcome()).doesNotContain("x-rdma-chunk-size");
    }
  }

  @ExtendWith(UnderSchedule.class)
  @Test
  void cancelledCapture_leavesNothing() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var destination = rig.destination(captured, Rig.parameters(false, true));
      var source =
          new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE)
              .rounds(
                  50,
                  round -> {
                    if (round == 20) {
                      destination.cancel();
                    }
                  });
      rig.run(destination, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(source.end()).isNotEqualTo("it went to the end");
      assertThat(files()).isEmpty();
    }
  }

  private static void assertCaptured(MigrationSession destination) {
    assertThat(destination.telemetry().status())
        .as(destination.outcome())
        .isEqualTo(MigrationStatus.COMPLETED);
    assertThat(destination.mustFinish()).isFalse();
  }

  /** QEMU has handed its guest over as soon as its last message has arrived. */
  @Test
  void cancel_whileTheLastMessageIsOnItsWay_comesTooLate() throws Exception {
    var messages = new ArrayList<byte[]>();
    hostile(false, Tamper.recording(messages), "to count them", LENGTHS);
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var destination = rig.destination(captured, Rig.parameters(false, true));
      Tamper cancelling =
          (index, message) -> {
            if (index == messages.size() - 1) {
              destination.cancel();
              while (!destination.mustFinish() && !destination.telemetry().status().isEnd()) {
                Thread.onSpinWait();
              }
            }
            return List.of(message);
          };
      var source = new ScriptedQemuSource(rig, guest, false, PREFIX, SHORT_TAIL, cancelling);
      rig.run(destination, source);
      assertThat(source.end()).isEqualTo("it went to the end");
      assertCaptured(destination);
    }
    assertHoldsAlone(SHORT_TAIL);
  }

  private void assertHoldsAlone(byte[] tail) throws IOException {
    try (var guest = guest()) {
      assertHolds(target(), guest, tail);
    }
    assertThat(files()).filteredOn(name -> name.contains("vm.mig")).containsExactly("vm.mig");
  }

  @Test
  void cancel_whileTheDiskIsSlowAtTheEnd_comesTooLate() throws Exception {
    try (var disk = CaptureDisk.waiting();
        var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var source = new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      source.run();
      disk.awaitBusy();
      destination.cancel();
      assertThat(destination.mustFinish()).isTrue();
      assertThat(destination.telemetry().waitingFor()).isEqualTo(new Wait(Wait.Kind.GUEST_ON_DISK));
      disk.goOn();
      Rig.join(there, destination);
      assertCaptured(destination);
    }
    assertHoldsAlone(TAIL);
  }

  /** The guest is in memory, and nowhere else, until somebody frees space. */
  @Test
  void diskThatIsFullAtTheEnd_isWaitedFor() throws Exception {
    try (var disk = CaptureDisk.full(5);
        var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var source = new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Thread here = Thread.ofPlatform().start(() -> runQuietly(source));
      disk.awaitBusy();
      awaitRoom(destination);
      there.interrupt();
      destination.cancel();
      assertThat(destination.mustFinish()).isTrue();
      disk.goOn();
      here.join();
      Rig.join(there, destination);
      assertCaptured(destination);
    }
    assertHoldsAlone(TAIL);
    try (var rig = new Rig();
        var saved = SavedGuest.open(target());
        var copy = CapturedGuest.create(folder.resolve("restored.mig"))) {
      var source = rig.source(saved, Rig.parameters(false, true));
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(source.verified()).as(source.outcome()).isTrue();
    }
    try (var guest = guest()) {
      assertHolds(folder.resolve("restored.mig"), guest, TAIL);
    }
  }

  private static void awaitRoom(MigrationSession destination) throws InterruptedException {
    var space = new Wait(Wait.Kind.SPACE_FOR_STATES, "No space left on device");
    var limit = new TimeLimit();
    while (!space.equals(destination.telemetry().waitingFor())) {
      assertThat(destination.telemetry().status().isEnd()).as(destination.outcome()).isFalse();
      limit.glance(space.text());
    }
  }

  @Test
  void diskThatFailsAtTheEnd_doesNotLoseTheGuest() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target());
        var _ = CaptureDisk.failing()) {
      var source = new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      Path kept = Leftover.in(folder).getFirst().path();
      assertThat(destination.outcome())
          .contains("Input/output error")
          .contains("it is kept in " + kept);
      assertHolds(kept, guest, TAIL);
    }
    assertThat(Leftover.in(folder))
        .singleElement()
        .satisfies(left -> {
          assertThat(left.target()).isEqualTo(target());
          assertThat(left.complete()).isFalse();
        });
  }

  /** Even an incomplete file is kept, since its RAM may be nowhere else. */
  @Test
  void diskThatBreaksBehindTheRam_keepsTheFile() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target());
        var _ = CaptureDisk.brokenAtTheStates()) {
      var source = new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome())
          .contains("Input/output error")
          .contains("it is kept in " + Leftover.in(folder).getFirst().path());
    }
    assertThat(Leftover.in(folder))
        .singleElement()
        .satisfies(left ->
            assertThat(Files.size(left.path())).isGreaterThan(Arrays.stream(LENGTHS).sum() / 3));
  }

  /** If the process is killed then, the name of the file shows that it is complete. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void completeCapture_isMarked_beforeItHasItsName(boolean wridscope) throws Exception {
    var leaving = new CountDownLatch(1);
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      var destination = rig.destination(captured, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      if (wridscope) {
        // The destination waits for the source's digests.
        guest.holdDigests(leaving);
        var source = rig.source(guest, Rig.parameters(false, true));
        Thread here = rig.start(source);
        awaitMark(destination);
        leaving.countDown();
        Rig.join(here, source);
      } else {
        var source =
            new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, Tamper.NONE)
                .stayingUntil(leaving);
        Thread here = Thread.ofPlatform().start(() -> runQuietly(source));
        awaitMark(destination);
        leaving.countDown();
        here.join();
      }
      Rig.join(there, destination);
      assertCaptured(destination);
    }
    assertThat(files()).containsExactly("vm.mig");
  }

  private void awaitMark(MigrationSession destination) throws IOException, InterruptedException {
    var limit = new TimeLimit();
    while (files().stream().noneMatch(name -> name.startsWith(".vm.mig.complete-"))) {
      assertThat(destination.telemetry().status().isEnd()).as(destination.outcome()).isFalse();
      limit.glance("the mark of a complete file");
    }
    assertThat(destination.mustFinish()).isTrue();
    assertThat(Leftover.in(folder)).as("it is in use").isEmpty();
  }

  static void runQuietly(ScriptedQemuSource source) {
    try {
      source.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void guestThatDoesNotFit_isRefusedBeforeMemoryIsTaken() throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var captured = CapturedGuest.create(target())) {
      // The first block, and the sum of all, are longer by 2^50 bytes.
      Tamper huge =
          (index, message) -> {
            if (index > 0) {
              return List.of(message);
            }
            byte[] longer = message.clone();
            int list = 16 + PREFIX.length + 5 + 4 + 8;
            longer[list + 1] = 4;
            longer[list + 8 + 7 + 1] = 4;
            return List.of(longer);
          };
      var source = new ScriptedQemuSource(rig, guest, false, PREFIX, TAIL, huge);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome()).contains("1.00 PiB of RAM, and only");
    }
  }

  private record Case(boolean pinAll, int message, Attack attack) {}

  @ExtendWith(UnderSchedule.class)
  @TestFactory
  Stream<DynamicTest> captureEndsWell_whateverTheSourceSends() throws Exception {
    var cases = new ArrayList<Case>();
    addCases(false, cases);
    addCases(true, cases);
    return Concurrently.tests(
        cases,
        test ->
            hostile(
                test.pinAll,
                test.attack.at(test.message),
                test.attack.name() + " at " + test.message,
                SMALL));
  }

  private void addCases(boolean pinAll, List<Case> cases) throws Exception {
    var good = new ArrayList<byte[]>();
    hostile(pinAll, Tamper.recording(good), "good", SMALL);
    for (int message = 0; message < good.size(); message++) {
      List<Attack> attacks = Attack.on(good.get(message));
      for (int i = message % 3; i < attacks.size(); i += 3) {
        cases.add(new Case(pinAll, message, attacks.get(i)));
      }
      for (int seed = 0; seed < 8; seed++) {
        cases.add(new Case(pinAll, message, Attack.flip(seed)));
      }
    }
  }

  private void hostile(boolean pinAll, Tamper tamper, String what, long... lengths)
      throws Exception {
    Path own = Files.createTempDirectory(folder, "own");
    Path file = own.resolve("vm.mig");
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = guest(lengths);
        var captured = CapturedGuest.create(file)) {
      var source = new ScriptedQemuSource(rig, guest, pinAll, PREFIX, SHORT_TAIL, tamper);
      var destination = rig.destination(captured, Rig.parameters(false, true));
      rig.run(destination, source);
      boolean completed = destination.telemetry().status() == MigrationStatus.COMPLETED;
      assertThat(Files.exists(file)).as("%s: %s", what, destination.outcome()).isEqualTo(completed);
    }
    try (var files = Files.list(own)) {
      assertThat(files.filter(f -> !f.equals(file))).as(what).isEmpty();
    }
  }

  /** Between two Wridscopes everything is acknowledged and compared. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void guestOfAWridscope_isKept_andComesBack(boolean pinAll) throws Exception {
    try (var guest = guest()) {
      try (var rig = new Rig();
          var captured = CapturedGuest.create(target())) {
        var source = rig.source(guest, Rig.parameters(pinAll, true));
        var destination = rig.destination(captured, Rig.parameters(false, true));
        rig.run(source, destination);
        assertThat(destination.outcome())
            .isEqualTo(
                "The guest is in %s and is paused. Its RAM is equal at both ends."
                    .formatted(target()));
        assertThat(source.outcome())
            .isEqualTo(
                "The guest is in a file at the destination and is paused. Its RAM is equal at"
                    + " both ends.");
        assertThat(source.verified()).isTrue();
        assertThat(guest.isRunning()).isFalse();
        assertThat(destination.unconfirmed()).isEmpty();
      }
      try (var rig = new Rig();
          var saved = SavedGuest.open(target());
          var copy = BlockGuest.of(LENGTHS)) {
        var source = rig.source(saved, Rig.parameters(pinAll, true));
        var destination = rig.destination(copy, Rig.parameters(false, true));
        rig.run(source, destination);
        assertThat(source.outcome())
            .startsWith(
                "The guest runs at the destination %s:%d. "
                    .formatted(rig.address().getHostString(), rig.address().getPort()));
        assertThat(destination.telemetry().status())
            .as(destination.outcome())
            .isEqualTo(MigrationStatus.COMPLETED);
        assertThat(destination.verified()).isTrue();
        assertThat(copy.isRunning()).isTrue();
        assertThat(copy.hasEqualRam(guest)).isTrue();
      }
    }
  }
}
