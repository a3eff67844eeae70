// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.guest.virtio.Bench.Action;

/** Random schedules, compared with the observations of a watcher of the rings. */
final class VirtioBusTest {

  @ParameterizedTest
  @CsvSource({"4, 1, 1500", "8, 2, 3000", "16, 8, 3000", "64, 32, 3000", "256, 128, 1000"})
  void anySchedule_completesEachRequestOnce(int blockSize, int netSize, int actions) {
    for (long seed = 1; seed <= 6; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench bench = new Bench(blockSize, netSize, VirtioFault.NONE, random);
      for (int i = 0; i < actions; i++) {
        actSoundly(bench, Action.random(random), "seed %d, action %d".formatted(seed, i));
      }
      assertDrained(bench, "seed " + seed);
    }
  }

  @Test
  void indicesThatWrapAround_loseNothing() {
    for (long seed = 1; seed <= 8; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench bench = new Bench(16, 8, VirtioFault.NONE, random);
      bench.advanceIndices(65536 - 64);
      for (int i = 0; i < 1200; i++) {
        Action action = Action.random(random);
        actSoundly(
            bench,
            action == Action.DRIVER_RESET ? Action.MIGRATE : action,
            "seed %d, action %d".formatted(seed, i));
      }
      bench.bus.publish();
      assertThat(bench.bus.snapshot().queues())
          .as("seed %d: all have wrapped", seed)
          .allMatch(queue -> queue.completed() > 64 && queue.availIndex() < 1000);
      assertDrained(bench, "seed " + seed);
    }
  }

  private static void actSoundly(Bench bench, Action action, String when) {
    bench.act(action);
    assertThat(bench.bus.check()).as("%s, %s", when, action).isEmpty();
    assertThat(bench.watcher.anomalies).as("%s, %s", when, action).isEmpty();
  }

  /** Each submitted request was completed once, and packets in order. */
  private static void assertDrained(Bench bench, String when) {
    bench.drain();
    bench.bus.publish();
    List<QueueSnapshot> queues = bench.bus.snapshot().queues();
    assertThat(bench.watcher.anomalies).as(when).isEmpty();
    assertThat(bench.bus.check()).as(when).isEmpty();

    QueueSnapshot requests = queues.get(RingWatcher.REQUESTS);
    assertThat(requests.completed()).as(when).isEqualTo(requests.nextRequest() - 1);
    Map<Long, Integer> expected = new LinkedHashMap<>();
    for (long request = 1; request < requests.nextRequest(); request++) {
      expected.merge(Disk.mix(request) & Disk.SECTORS - 1, 1, Integer::sum);
    }
    assertThat(bench.watcher.sectorsRead()).as(when).isEqualTo(expected);

    QueueSnapshot sent = queues.get(RingWatcher.TRANSMIT);
    List<Long> packets = LongStream.range(1, sent.nextRequest()).boxed().toList();
    assertThat(bench.watcher.side(RingWatcher.TRANSMIT).completed).as(when).isEqualTo(packets);
    assertThat(bench.watcher.side(RingWatcher.RECEIVE).completed).as(when).isEqualTo(packets);
    assertThat(bench.watcher.side(RingWatcher.RECEIVE).outstanding).hasSize(bench.layout.netSize());
    for (QueueSnapshot queue : queues) {
      assertThat(queue.inFlight()).as(when).isEmpty();
      assertThat(queue.deviceUsed()).as(when).isEqualTo(queue.usedIndex());
      assertThat(queue.lastUsed()).as(when).isEqualTo(queue.usedIndex());
    }
  }

  @Test
  void theBlockDevice_completesOutOfOrder() {
    Bench bench = new Bench(64, 32, VirtioFault.NONE, new SplittableRandom(2));
    for (int i = 0; i < 40; i++) {
      bench.act(Action.SUBMIT);
      bench.act(Action.PROCESS_BLOCK);
    }
    bench.drain();
    List<Long> inOrder =
        LongStream.range(1, bench.watcher.side(RingWatcher.REQUESTS).completed.size() + 1)
            .map(request -> Disk.mix(request) & Disk.SECTORS - 1)
            .boxed()
            .toList();
    assertThat(bench.watcher.side(RingWatcher.REQUESTS).completed)
        .containsExactlyInAnyOrderElementsOf(inOrder)
        .isNotEqualTo(inOrder);
  }

  @ParameterizedTest
  @EnumSource(
      value = VirtioFault.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "SUSPEND_FAILS", "QUERY_FAILS"})
  void aWrongDevice_isFoundWithinSomeActions(VirtioFault fault) {
    for (long seed = 1; seed <= 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench bench = new Bench(16, 8, fault, random);
      Action wrong =
          fault == VirtioFault.INDEX_KEPT_AT_RESET ? Action.DRIVER_RESET : Action.STOP_AND_START;
      int actions = 0;
      List<RequestFailure> failures = List.of();
      while (failures.isEmpty()) {
        bench.act(actions % 20 == 19 ? wrong : Action.ALL[random.nextInt(5)]);
        failures = bench.bus.check();
        actions++;
        assertThat(actions).as("%s, seed %d: actions without failure", fault, seed).isLessThan(600);
      }
      assertThat(failures.getFirst().request()).as("%s, seed %d", fault, seed).isPositive();
      bench.bus.publish();
      for (RequestFailure failure : failures) {
        QueueSnapshot queue =
            bench.bus.snapshot().queues().stream()
                .filter(q -> q.name().equals(failure.queue()))
                .findFirst()
                .orElseThrow();
        assertThat(failure.request())
            .as("%s, seed %d: %s", fault, seed, failure.prediction())
            .isBetween(1L, queue.nextRequest());
      }
    }
  }

  @Test
  void requestsForgottenInFlight_areThoseThatNeverComeBack() {
    int lost = 0;
    for (long seed = 1; seed <= 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench bench = new Bench(64, 8, VirtioFault.IN_FLIGHT_FORGOTTEN, random);
      for (int i = 0; i < 10 + random.nextInt(40); i++) {
        bench.act(random.nextBoolean() ? Action.SUBMIT : Action.PROCESS_BLOCK);
      }
      bench.act(Action.STOP_AND_START);
      List<RequestFailure> failures = bench.bus.check();
      bench.drain();
      assertThat(failures)
          .extracting(RequestFailure::kind)
          .allMatch(RequestFailure.Kind.LOST::equals);
      assertThat(failures.stream().map(f -> Disk.mix(f.request()) & Disk.SECTORS - 1))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(
              bench.watcher.side(RingWatcher.REQUESTS).outstanding.values());
      assertThat(bench.watcher.anomalies).isEmpty();
      lost += failures.size();
    }
    assertThat(lost).isPositive();
  }

  @Test
  void indicesClearedBeforeTheyWereRead_haveRequestsDoneTwice() {
    int twice = 0;
    for (long seed = 1; seed <= 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench bench = new Bench(16, 8, VirtioFault.INDEX_CLEARED_BEFORE_READ, random);
      // Nothing is reaped: after another round of receive buffers the device would notice at once
      // that the driver is too far ahead, and do nothing.
      while (bench.watcher.side(RingWatcher.TRANSMIT).completed.size() < 5 + seed % 3) {
        bench.act(Action.SEND);
        bench.act(Action.PROCESS_NET);
      }
      bench.act(Action.STOP_AND_START);
      List<RequestFailure> failures = bench.bus.check();
      // The check predicts it; the rings show it when the device continues.
      for (int i = 0; i < 50; i++) {
        bench.act(Action.PROCESS_NET);
      }
      assertThat(failures).as("seed %d", seed).isNotEmpty();
      assertThat(bench.watcher.anomalies).as("seed %d", seed).isNotEmpty();
      twice +=
          (int) failures.stream().filter(f -> f.kind() == RequestFailure.Kind.DONE_TWICE).count();
    }
    assertThat(twice).isPositive();
  }

  @Test
  void driversWithoutTheCheck_noticeAUsedIndexThatWasNotRestored() throws Exception {
    for (long seed = 1; seed <= 30; seed++) {
      Bench bench =
          new Bench(16, 8, VirtioFault.USED_INDEX_NOT_RESTORED, new SplittableRandom(seed));
      for (int i = 0; i < 12; i++) {
        bench.act(Action.SUBMIT);
        bench.act(Action.SEND);
        bench.act(Action.PROCESS_NET);
        bench.act(Action.REAP);
      }
      VirtioDevice device = bench.bus.device(VirtioKind.NET);
      DeviceState state = device.stop();
      GuestMemory memory = memoryOf(bench);
      NetDevice again = new NetDevice(memory, VirtioFault.USED_INDEX_NOT_RESTORED);
      again.restore(state);
      NetDriver driver = new NetDriver(memory, bench.layout);
      RequestFailure found = null;
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < 100 && found == null; i++) {
        try {
          var _ = driver.send();
          again.process(random);
          driver.reap();
        } catch (RequestFailureException e) {
          found = e.failure();
        }
      }
      assertThat(found).as("seed %d", seed).isNotNull();
      assertThat(found.request()).isPositive();
    }
  }

  static GuestMemory memoryOf(Bench bench) {
    MemoryMap map =
        new MemoryMap(List.of(new MemoryMap.Mapping(Bench.BASE, bench.memory, 5L << 12)));
    return new GuestMemory(map, bench);
  }

  @Test
  void steps_keepEverythingBusyAndCorrect() {
    Bench bench = new Bench(64, 32, VirtioFault.NONE, new SplittableRandom(5));
    VirtioBus bus = bench.bus();
    bus.boot(new VirtioLoad(1000, 50, 100));
    bus.start();
    for (int i = 0; i < 20_000; i++) {
      bus.step();
      if (i % 100 == 0) {
        assertThat(bus.check()).as("step %d", i).isEmpty();
      }
    }
    bus.publish();
    VirtioSnapshot snapshot = bus.snapshot();
    assertThat(snapshot.predicted()).isEmpty();
    assertThat(snapshot.observed()).isEmpty();
    assertThat(snapshot.mapChanges()).isBetween(300L, 500L);
    assertThat(snapshot.resets()).isBetween(130L, 270L);
    assertThat(snapshot.queues()).allMatch(queue -> queue.completed() > 8000);
    Map<String, Integer> sizes =
        snapshot.queues().stream()
            .collect(Collectors.toMap(QueueSnapshot::name, QueueSnapshot::size));
    assertThat(sizes)
        .containsEntry("virtio-blk requestq", 64)
        .containsEntry("virtio-net receiveq1", 32)
        .containsEntry("virtio-net transmitq1", 32);
  }

  @Test
  void begun_staysWhatTheDevicesBeganWith() {
    Bench bench = new Bench(16, 8, VirtioFault.NONE, new SplittableRandom(6));
    List<QueueSnapshot> booted = bench.bus.snapshot().begun();
    assertThat(booted).extracting(QueueSnapshot::availIndex).containsExactly(0, 8, 0);
    for (int i = 0; i < 30; i++) {
      bench.act(Action.SUBMIT);
      bench.act(Action.PROCESS_BLOCK);
    }
    bench.act(Action.CHANGE_MAP);
    assertThat(bench.bus.snapshot().begun()).isEqualTo(booted);
    bench.act(Action.MIGRATE);
    assertThat(bench.bus.snapshot().begun())
        .isEqualTo(bench.bus.snapshot().queues())
        .isNotEqualTo(booted);
  }

  /** What the check predicts, a driver meets; and none meets what was not predicted. */
  @ParameterizedTest
  @EnumSource(
      value = VirtioFault.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "SUSPEND_FAILS", "QUERY_FAILS"})
  void whatIsPredicted_happensToADriver(VirtioFault fault) {
    for (long seed = 1; seed <= 15; seed++) {
      Bench bench = new Bench(64, 32, fault, new SplittableRandom(seed));
      VirtioBus bus = bench.bus();
      bus.boot(VirtioLoad.IDLE);
      bus.start();
      int steps = 0;
      while (bus.snapshot().predicted().isEmpty()) {
        bus.step();
        if (steps++ % 20 == 19) {
          disturb(bus, fault);
        }
        bus.publish();
        assertThat(bus.snapshot().observed()).as("seed %d: not predicted", seed).isEmpty();
        assertThat(steps).as("%s, seed %d: steps without prediction", fault, seed).isLessThan(1000);
      }
      RequestFailure predicted = bus.snapshot().predicted().orElseThrow();
      assertThat(bus.check()).startsWith(predicted);
      long completed = completed(bus);
      steps = 0;
      while (bus.snapshot().observed().isEmpty()) {
        bus.step();
        bus.publish();
        assertThat(steps++).as("%s, seed %d: steps without harm", fault, seed).isLessThan(3000);
      }
      assertThat(bus.snapshot().predicted()).as("stays as it was").hasValue(predicted);
      assertThat(completed(bus)).isGreaterThanOrEqualTo(completed);
      RequestFailure observed = bus.snapshot().observed().orElseThrow();
      assertThat(bus.check()).startsWith(observed);
      assertThat(observed.observation()).matches("virtio-(blk|net) \\S+: request \\d+ .*\\.");
    }
  }

  private static void disturb(VirtioBus bus, VirtioFault fault) {
    if (fault == VirtioFault.INDEX_KEPT_AT_RESET) {
      bus.reset(VirtioKind.BLOCK);
    } else {
      bus.changeMap();
    }
  }

  private static long completed(VirtioBus bus) {
    return bus.snapshot().queues().stream().mapToLong(QueueSnapshot::completed).sum();
  }

  @Test
  void aPrediction_doesNotStopTheDrivers_anObservationDoes_andBothTravelWithTheRam() {
    Bench bench = new Bench(64, 32, VirtioFault.IN_FLIGHT_FORGOTTEN, new SplittableRandom(5));
    VirtioBus bus = bench.bus();
    bus.boot(new VirtioLoad(1000, 0, 0));
    bus.start();
    while (bus.snapshot().predicted().isEmpty()) {
      bus.step();
      bus.stop();
      bus.start();
    }
    RequestFailure predicted = bus.snapshot().predicted().orElseThrow();
    assertThat(predicted.prediction())
        .matches(
            "virtio-blk requestq: request \\d+ is lost: it will never be completed(; so it is with .* later requests?)?\\.");
    assertThat(bus.snapshot().observed()).isEmpty();

    long sent = bus.snapshot().queues().getLast().nextRequest();
    for (int i = 0; i < 20; i++) {
      bus.step();
    }
    VirtioBus there = migrated(bench, bus);
    assertThat(there.snapshot().predicted()).hasValue(predicted);
    assertThat(there.snapshot().observed()).isEmpty();
    assertThat(there.snapshot().queues().getLast().nextRequest()).isGreaterThan(sent);
    while (there.snapshot().observed().isEmpty()) {
      there.step();
      there.publish();
    }
    RequestFailure observed = there.snapshot().observed().orElseThrow();
    assertThat(observed.observation())
        .matches("virtio-blk requestq: request \\d+ did not come back, although .* 256 times\\.");

    VirtioBus last = migrated(bench, there);
    assertThat(last.snapshot().predicted()).hasValue(predicted);
    assertThat(last.snapshot().observed()).hasValue(observed);
    assertThat(last.check()).startsWith(observed).contains(predicted);
    List<QueueSnapshot> queues = last.snapshot().queues();
    for (int i = 0; i < 10; i++) {
      last.step();
    }
    last.publish();
    assertThat(last.snapshot().queues()).as("nothing goes on").isEqualTo(queues);
  }

  /** Another bus on the same RAM, with the state of the devices. */
  private static VirtioBus migrated(Bench bench, VirtioBus from) {
    from.stop();
    VirtioBus to = bench.bus();
    to.load(VirtioKind.BLOCK, Bench.save(from, VirtioKind.BLOCK));
    to.load(VirtioKind.NET, Bench.save(from, VirtioKind.NET));
    to.start();
    return to;
  }

  /** The guest continues with the same devices, and no state is passed off as theirs. */
  @ParameterizedTest
  @EnumSource(
      value = VirtioFault.class,
      names = {"SUSPEND_FAILS", "QUERY_FAILS"})
  void aDeviceWhoseFirmwareRefuses_isKept_andLosesNothing(VirtioFault fault) {
    Bench bench = new Bench(16, 8, fault, new SplittableRandom(3));
    VirtioBus bus = bench.bus;
    VirtioDevice block = bus.device(VirtioKind.BLOCK);
    for (int round = 0; round < 30; round++) {
      for (int i = 0; i < 20; i++) {
        bench.act(Action.ALL[i % 5]);
      }
      List<QueueState> before = block.queueStates();
      bus.stop();
      assertThatThrownBy(() -> bus.device(VirtioKind.BLOCK)).hasMessageContaining("does not run");
      for (VirtioKind kind : VirtioKind.values()) {
        assertThatThrownBy(() -> bus.save(kind))
            .isInstanceOf(DeviceStateException.class)
            .hasMessageStartingWith(kind.queues().getFirst() + ": the firmware does not ");
      }
      assertThat(bus.isReady()).isTrue();
      assertThat(bus.snapshot().running()).isFalse();
      bus.start();
      assertThat(bus.device(VirtioKind.BLOCK)).isSameAs(block);
      assertThat(block.queueStates()).isEqualTo(before);
      bus.changeMap();
      assertThat(bus.device(VirtioKind.BLOCK)).as("the map stays").isSameAs(block);
      assertThat(bus.snapshot().mapChanges()).isZero();
    }
    assertDrained(bench, fault.text());
  }
}
