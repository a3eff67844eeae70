// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.SavedGuest;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.ShownState;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;

/** RAM is deregistered at both ends before the migration ends, unless it is in use. */
@Slow("migrations that withdraw chunks, in real time")
class UnregisterTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {150 * MIB + PAGE, PAGE, 3 * MIB};

  @TempDir Path folder;

  private static MigrationParameters manyRounds(boolean extensions) {
    return Rig.unregistering(extensions, Duration.ofNanos(1));
  }

  /** A guest that writes to scattered pages after each of the first rounds. */
  private static BlockGuest busyGuest(long... lengths) {
    var random = new SplittableRandom(7);
    var guest = BlockGuest.of(lengths).boot(1, 0.1);
    return guest.onSync(sync -> {
      for (int i = 0; i < 3_000 && sync <= 6; i++) {
        int block = i % 16 == 0 ? lengths.length - 1 : 0;
        guest.write(
            block,
            random.nextLong(lengths[block] / PAGE) * PAGE + i % 4096,
            (byte) random.nextInt());
      }
    });
  }

  @ParameterizedTest(name = "extensions {0}")
  @ValueSource(booleans = {true, false})
  void busyGuestArrives_andAllIsGivenBack(boolean extensions) throws Exception {
    try (var rig = new Rig();
        var guest = busyGuest(LENGTHS);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, manyRounds(extensions));
      var destination = rig.destination(copy, Rig.parameters(false, extensions));

      rig.run(source, destination);

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertThat(copy.guardsAreIntact()).isTrue();
      assertGivenBack(source.telemetry().metrics());
      assertGivenBack(destination.telemetry().metrics());
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.DIRTY_SYNC_COUNT)).isGreaterThan(6);
      assertThat(metrics.get(Metric.UNREGISTRATIONS))
          .isEqualTo(metrics.get(Metric.REGISTRATIONS_TOTAL));
      assertThat(destination.telemetry().messagesReceived().get(ControlType.UNREGISTER_REQUEST))
          .isPositive();
    }
  }

  /** With whole chunks; a batch of scattered pages may need all RAM to be registered. */
  @ParameterizedTest(name = "extensions {0}")
  @ValueSource(booleans = {true, false})
  void idleGuest_isPinnedInParts(boolean extensions) throws Exception {
    long ram = 310 * MIB;
    try (var rig = new Rig();
        var guest = BlockGuest.of(ram).boot(1, 0);
        var copy = BlockGuest.of(ram)) {
      var source = rig.source(guest, Rig.unregistering(extensions, Duration.ofDays(1)));
      var destination = rig.destination(copy, Rig.parameters(false, extensions));

      rig.run(source, destination);

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      for (Metrics metrics :
          List.of(source.telemetry().metrics(), destination.telemetry().metrics())) {
        assertThat(metrics.get(Metric.REGISTERED_BYTES_PEAK))
            .as("a batch that is written, one that follows and one not yet over")
            .isBetween(1L, 3 * WriteBatch.MAX_BYTES + MIB)
            .isLessThan(ram);
      }
    }
  }

  private static void assertGivenBack(Metrics metrics) {
    assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
    assertThat(metrics.get(Metric.REGISTRATIONS_TOTAL))
        .isGreaterThan(metrics.get(Metric.REGISTRATIONS_PEAK));
  }

  @Test
  void guestThatWritesAllTheTime_arrives() throws Exception {
    long ram = 24 * MIB;
    try (var rig = new Rig();
        var guest = BlockGuest.of(ram).boot(1, 0.1);
        var copy = BlockGuest.of(ram)) {
      var source = rig.source(guest, Rig.unregistering(true, Duration.ofSeconds(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var paused = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                var random = new SplittableRandom(3);
                while (!paused.get()) {
                  synchronized (paused) {
                    if (guest.isRunning()) {
                      guest.write(0, random.nextLong(ram), (byte) random.nextInt());
                    }
                  }
                  Thread.onSpinWait();
                }
              });
      guest.onPause(() -> {
        synchronized (paused) {
          paused.set(true);
        }
      });

      rig.run(source, destination);

      paused.set(true);
      writer.join();
      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(copy.hasEqualRam(guest)).isTrue();
      assertGivenBack(source.telemetry().metrics());
    }
  }

  /** Chunks that are in transit, or will be written next, stay registered until later. */
  @Test
  void registrationInUse_isDeferred_andGivenBackLater() throws Exception {
    long length = 9 * MIB;
    try (var rig = new Rig();
        var guest = BlockGuest.of(length).boot(1, 0);
        var copy = BlockGuest.of(length)) {
      guest.onSync(sync -> {
        for (long page = 0; sync == 1 && page < length / PAGE; page += 2) {
          guest.write(0, page * PAGE, (byte) sync);
        }
      });
      // Writes stay in transit while the next batch is filled.
      rig.sourceDevice.setFaultPlan((queuePair, ordinal, opcode, workRequestId) ->
          opcode == SendRequest.Opcode.RDMA_WRITE
              ? new Fault.HoldCompletion(TimeUnit.MILLISECONDS.toNanos(20), false)
              : Fault.PROCEED);
      var source = rig.source(guest, manyRounds(true));
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.UNREGISTRATIONS_DEFERRED)).isPositive();
      assertThat(metrics.get(Metric.REGISTRATIONS_TOTAL)).isEqualTo(3);
      assertThat(metrics.get(Metric.UNREGISTRATIONS)).isEqualTo(3);
    }
  }

  @ParameterizedTest(name = "extensions {0}")
  @ValueSource(booleans = {true, false})
  void peerOfItsOwn_isAskedForWhatItHas(boolean extensions) throws Exception {
    long[] lengths = {70 * MIB, 2 * MIB + PAGE};
    try (var rig = new Rig();
        var guest = busyGuest(lengths);
        var copy = BlockGuest.of(lengths)) {
      var source = rig.source(guest, manyRounds(true));
      var peer = new ScriptedDestination(rig, copy, extensions, Tamper.NONE);
      rig.run(source, peer);

      assertThat(source.telemetry().status())
          .as("%s, %s", source.outcome(), peer.end())
          .isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.digests()).isEqualTo(guest.digests());
      assertThat(peer.unregistered()).isGreaterThan(6);
      assertThat(peer.registered()).isZero();
    }
  }

  @Test
  void savedGuest_keepsNothingRegistered() throws Exception {
    Path file = folder.resolve("guest.mig");
    long[] lengths = {130 * MIB, MIB};
    try (var rig = new Rig();
        var guest = BlockGuest.of(lengths).boot(3, 0.1);
        var captured = CapturedGuest.create(file)) {
      rig.run(
          rig.source(guest, Rig.parameters(false, true)),
          rig.destination(captured, Rig.parameters(false, true)));
      try (var again = new Rig();
          var saved = SavedGuest.open(file);
          var copy = BlockGuest.of(lengths)) {
        var destination = again.destination(copy, Rig.parameters(false, true));
        var source = again.source(saved, Rig.unregistering(true));
        again.run(source, destination);
        assertThat(source.telemetry().status())
            .as(source.outcome())
            .isEqualTo(MigrationStatus.COMPLETED);
        assertThat(copy.digests()).isEqualTo(guest.digests());
        for (MigrationSession end : List.of(source, destination)) {
          var metrics = end.telemetry().metrics();
          assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
          assertThat(source.telemetry().metrics().get(Metric.UNREGISTRATIONS))
              .isEqualTo(metrics.get(Metric.REGISTRATIONS_TOTAL));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4096})
  void wrongAnswer_endsTheMigration(int repeat) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(MIB).boot(1, 0);
        var copy = BlockGuest.of(MIB)) {
      var source = rig.source(guest, Rig.unregistering(true));
      var peer =
          new ScriptedDestination(
              rig,
              copy,
              true,
              (index, message) ->
                  TestPeer.typeOf(message) == ControlType.UNREGISTER_FINISHED
                      ? List.of(
                          TestPeer.message(ControlType.UNREGISTER_FINISHED, repeat, payload -> {}))
                      : List.of(message));
      rig.run(source, peer);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).contains("UNREGISTER FINISHED repeat", "1, as asked");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  // ------------------------------------------------------------------------------------- hints

  @Test
  void hint_givesBackWhatCoversTheRange_andNoMore() throws Exception {
    long[] lengths = {3 * MIB, 2 * MIB};
    try (var rig = new Rig();
        var guest = BlockGuest.of(lengths).boot(1, 0);
        var copy = BlockGuest.of(lengths)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      guest.onSync(sync -> {
        if (sync == 1) {
          source.notNeeded(1, MIB - 1, 2);
          guest.write(0, 0, (byte) 1);
        }
      });
      var keys = new ArrayList<Integer>();
      guest.onPause(() -> {
        List<ChunkTable> tables = source.telemetry().blocks();
        keys.add(tables.get(0).remoteKey(0));
        keys.add(tables.get(1).remoteKey(0));
        keys.add(tables.get(1).remoteKey(1));
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.REGISTRATIONS_TOTAL)).isEqualTo(2);
      assertThat(metrics.get(Metric.UNREGISTRATIONS)).isEqualTo(1);
      assertThat(keys.subList(1, 3)).as("released").containsOnly(0);
      assertThat(keys.getFirst()).as("kept").isNotZero();
    }
  }

  /** The hint comes while a write of the chunk's batch is being executed. */
  @Test
  void hintOfAChunkInTransit_waitsForItsCompletion() throws Exception {
    long length = 9 * MIB;
    try (var rig = new Rig();
        var guest = BlockGuest.of(length).boot(1, 0);
        var copy = BlockGuest.of(length)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      guest.onSync(sync -> {
        for (long page = 0; sync == 1 && page < length / PAGE; page += 2) {
          guest.write(0, page * PAGE, (byte) sync);
        }
      });
      var writes = new int[1];
      rig.sourceDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
        if (opcode == SendRequest.Opcode.RDMA_WRITE && ++writes[0] == 40) {
          source.notNeeded(0, 0, length);
        }
        return Fault.PROCEED;
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.UNREGISTER_HINTS)).isEqualTo(length / MIB);
      // The send queue holds half a batch, so the hint came before the second batch was filled.
      assertThat(metrics.get(Metric.UNREGISTRATIONS_DEFERRED)).isPositive();
      assertThat(metrics.get(Metric.UNREGISTRATIONS)).isEqualTo(1);
    }
  }

  /** A guest in a file is deregistered as it is sent, so that hints have no effect. */
  @Test
  void hintForAGuestInAFile_isLeftOut() throws Exception {
    Path file = folder.resolve("guest.mig");
    long length = 40 * MIB;
    try (var rig = new Rig();
        var guest = BlockGuest.of(length).boot(3, 0);
        var captured = CapturedGuest.create(file)) {
      rig.run(
          rig.source(guest, Rig.parameters(false, true)),
          rig.destination(captured, Rig.parameters(false, true)));
      try (var again = new Rig();
          var saved = SavedGuest.open(file);
          var copy = BlockGuest.of(length)) {
        var source = again.source(saved, Rig.parameters(false, true));
        again.sourceDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
          if (opcode == SendRequest.Opcode.RDMA_WRITE) {
            source.notNeeded(0, 0, length);
          }
          return Fault.PROCEED;
        });
        again.run(source, again.destination(copy, Rig.parameters(false, true)));
        assertThat(source.telemetry().status())
            .as(source.outcome())
            .isEqualTo(MigrationStatus.COMPLETED);
        assertThat(copy.digests()).isEqualTo(guest.digests());
        assertThat(source.telemetry().metrics().get(Metric.UNREGISTER_HINTS)).isZero();
      }
    }
  }

  // ------------------------------------------------------------------------------ steps, queue

  private static List<UnregisterStep> steps(MigrationSession end, int block, int first) {
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, first);
    return end.telemetry().log().read(0, Integer.MAX_VALUE).stream()
        .filter(event -> event.kind() == EventKind.UNREGISTER && event.wrid() == wrid)
        .map(event -> UnregisterStep.of(event.detail()))
        .filter(step -> step != UnregisterStep.ALREADY_QUEUED)
        .toList();
  }

  /** Both ends record each step, and their chunks say what has become of the registration. */
  @Test
  void bothEndsRecordTheSteps_andShowWhatWasGivenBack() throws Exception {
    long[] lengths = {3 * MIB, 2 * MIB};
    try (var rig = new Rig().monitored();
        var sampler = new Sampler();
        var guest = BlockGuest.of(lengths).boot(1, 0);
        var copy = BlockGuest.of(lengths)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      sampler.add(source.telemetry());
      sampler.add(destination.telemetry());
      guest.onSync(sync -> {
        if (sync == 1) {
          source.notNeeded(1, 0, 1);
          guest.write(0, 0, (byte) 1);
        }
      });
      rig.run(source, destination);
      sampler.remove(source.telemetry());
      sampler.remove(destination.telemetry());

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertThat(steps(source, 1, 0))
          .containsExactly(
              UnregisterStep.QUEUED,
              UnregisterStep.TURN,
              UnregisterStep.REQUESTED,
              UnregisterStep.CONFIRMED);
      assertThat(steps(destination, 1, 0))
          .containsExactly(UnregisterStep.ASKED, UnregisterStep.DEREGISTERED);
      for (MigrationSession end : List.of(source, destination)) {
        List<ChunkTable> tables = end.telemetry().blocks();
        assertThat(tables.get(0).count(ShownState.GIVEN_BACK)).as("kept to the end").isZero();
        assertThat(tables.get(1).count(ShownState.GIVEN_BACK)).isEqualTo(2);
        Metrics metrics = end.telemetry().metrics();
        assertThat(metrics.get(Metric.DEREGISTRATIONS_TOTAL))
            .isEqualTo(metrics.get(Metric.REGISTRATIONS_TOTAL));
      }
    }
  }

  /** QEMU's queue has 512 places; what finds none waits for one. */
  @Test
  void moreHintsThanTheQueueHolds_areAllTakenInTurn() throws Exception {
    int registrations = Unregistrations.CAPACITY + 8;
    int chunks = 2 * registrations;
    try (var rig = new Rig().monitored();
        var sampler = new Sampler();
        var guest = BlockGuest.of(chunks * MIB);
        var copy = BlockGuest.of(chunks * MIB)) {
      // Every second chunk is zero, so that each registration covers one chunk.
      for (int chunk = 0; chunk < chunks; chunk += 2) {
        guest.write(0, chunk * MIB, (byte) 1);
      }
      // The pair at the end shows that the destination's chunks are as large as ours.
      guest.write(0, (chunks - 1) * MIB, (byte) 1);
      guest.boot(1, 1);
      var source = rig.source(guest, Rig.parameters(false, false, Duration.ofNanos(1)));
      sampler.add(source.telemetry());
      guest.onSync(sync -> {
        if (sync == 1) {
          source.notNeeded(0, 0, chunks * MIB);
          guest.write(0, 0, (byte) 2);
        }
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, false)));
      sampler.remove(source.telemetry());

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.UNREGISTER_HINTS)).isEqualTo(chunks);
      assertThat(metrics.get(Metric.UNREGISTRATIONS_REFUSED)).isEqualTo(1);
      assertThat(metrics.get(Metric.UNREGISTRATIONS)).isEqualTo(registrations + 1);
      // After 512 places the ring begins again; the one that found none is the first in it.
      assertThat(steps(source, 0, 2 * Unregistrations.CAPACITY))
          .containsExactly(
              UnregisterStep.QUEUE_FULL,
              UnregisterStep.QUEUED,
              UnregisterStep.TURN,
              UnregisterStep.REQUESTED,
              UnregisterStep.CONFIRMED);
    }
  }

  // --------------------------------------------------------------------------------------- now

  /** The caller waits while the rest is written, and nothing of the range is registered then. */
  @Test
  void unregister_returnsWhenNeitherEndHasTheRangeRegistered() throws Exception {
    long[] lengths = {9 * MIB, 2 * MIB};
    try (var rig = new Rig();
        var guest = BlockGuest.of(lengths).boot(1, 0);
        var copy = BlockGuest.of(lengths)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var released = new CompletableFuture<Integer>();
      var keys = new ArrayList<Integer>();
      guest.onSync(sync -> {
        if (sync == 1) {
          // Dirty pages of the range are still to be sent when the caller begins to wait.
          for (long page = 0; page < lengths[0] / PAGE; page += 2) {
            guest.write(0, page * PAGE, (byte) 7);
          }
        }
      });
      var asked = new AtomicBoolean();
      rig.sourceDevice.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
        if (opcode == SendRequest.Opcode.RDMA_WRITE
            && source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT) == 2
            && asked.compareAndSet(false, true)) {
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  released.complete(source.release(0, MIB, 3 * MIB, Rig.END));
                } catch (StillRegisteredException | InterruptedException e) {
                  released.completeExceptionally(e);
                }
              });
          await(source);
        }
        return Fault.PROCEED;
      });
      guest.onPause(() -> {
        for (MigrationSession end : List.of(source, destination)) {
          ChunkTable table = end.telemetry().blocks().getFirst();
          for (int chunk = 1; chunk < 4; chunk++) {
            keys.add(table.localKey(chunk));
          }
        }
      });
      rig.run(source, destination);

      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertThat(released).succeedsWithin(Rig.END).isEqualTo(1);
      assertThat(keys).hasSize(6).containsOnly(0);
      assertThat(source.telemetry().blocks().getFirst().release(2))
          .isEqualTo(ChunkRelease.GIVEN_BACK);
      assertThat(source.telemetry().metrics().get(Metric.UNREGISTRATIONS)).isEqualTo(1);
    }
  }

  /** Waits until a caller waits for a range. */
  private static void await(SourceSession source) {
    while (!source.isUnregistering()) {
      Thread.onSpinWait();
    }
  }

  /** What was never registered is given back at once, and what cannot be is refused. */
  @Test
  void unregister_isRefusedWithTheReason() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(2 * MIB).boot(1, 0);
        var copy = BlockGuest.of(2 * MIB)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofDays(1)));
      assertThatExceptionOfType(StillRegisteredException.class)
          .isThrownBy(() -> source.release(0, 0, 1, Rig.END))
          .withMessage("The session is not sending RAM now, so no RAM is registered.");
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThatExceptionOfType(StillRegisteredException.class)
          .isThrownBy(() -> source.release(0, 0, 1, Rig.END))
          .withMessageContaining("has sent all RAM");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> source.release(0, MIB, 2 * MIB, Rig.END));
    }
    try (var rig = new Rig();
        var guest = BlockGuest.of(2 * MIB).boot(1, 0);
        var copy = BlockGuest.of(2 * MIB)) {
      var source = rig.source(guest, Rig.parameters(true, true, Duration.ofNanos(1)));
      var refusals = new ArrayList<Throwable>();
      guest.onSync(sync -> {
        if (sync == 1) {
          refusals.add(catchThrowable(() -> source.release(0, 0, 1, Rig.END)));
        }
      });
      rig.run(source, rig.destination(copy, Rig.parameters(true, true)));
      assertThat(refusals)
          .singleElement()
          .isInstanceOf(StillRegisteredException.class)
          .asString()
          .contains("With pin-all, RAM stays registered to the end");
    }
  }

  /** Nobody waits for a source that has ended. */
  @Test
  void unregister_isRefused_whenTheMigrationEndsMeanwhile() throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(2 * MIB).boot(1, 0);
        var copy = BlockGuest.of(2 * MIB)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofDays(1)));
      var released = new CompletableFuture<Integer>();
      var asked = new AtomicBoolean();
      rig.sourceDevice.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
        if (opcode == SendRequest.Opcode.RDMA_WRITE && asked.compareAndSet(false, true)) {
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try {
                  released.complete(source.release(0, 0, MIB, Rig.END));
                } catch (StillRegisteredException | InterruptedException e) {
                  released.completeExceptionally(e);
                }
              });
          await(source);
          return Fault.CUT;
        }
        return Fault.PROCEED;
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(released)
          .failsWithin(Rig.END)
          .withThrowableThat()
          .havingCause()
          .withMessageContaining("has ended");
    }
  }

  /** The write never completes, so that the range stays in use. */
  @Test
  void unregister_ofWhatStaysInUse_isRefusedAfterTheLimit() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(2 * MIB).boot(1, 0);
        var copy = BlockGuest.of(2 * MIB)) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofDays(1)));
      var refusals = new ArrayList<Throwable>();
      var asked = new AtomicBoolean();
      rig.sourceDevice.setFaultPlan((queuePair, ordinal, opcode, workRequestId) -> {
        if (opcode == SendRequest.Opcode.RDMA_WRITE && asked.compareAndSet(false, true)) {
          // The device executes nothing meanwhile.
          refusals.add(catchThrowable(() -> source.release(0, 0, MIB, Duration.ofMillis(30))));
        }
        return Fault.PROCEED;
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertThat(refusals)
          .singleElement()
          .isInstanceOf(StillRegisteredException.class)
          .asString()
          .contains("still being sent after 30 ms; it is released once that is done");
    }
  }

  @ParameterizedTest
  @CsvSource({"-1, 0, 1", "2, 0, 1", "0, -1, 1", "0, 0, 0", "0, 0, 8193", "1, 4096, 1"})
  void hintOutsideOfRam_isAMistake(int block, long offset, long length) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(2 * PAGE, PAGE).boot(1, 0)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> source.notNeeded(block, offset, length));
    }
  }

  @Test
  void pinAllAndUnregister_excludeEachOther() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new MigrationParameters(
                Settings.USUAL
                    .with(MigrationSetting.PIN_ALL, true)
                    .with(MigrationSetting.UNREGISTER, true)
                    .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofSeconds(1))));
  }
}
