// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.guest.virtio.Bench.Action;

/**
 * Runs each policy with each kind of device until a driver is hurt, or for a long time, and
 * compares the results with the table in {@code docs/scenarios.md}.
 */
final class VirtioPolicyTest {
  private static final int SEEDS = 12;
  private static final int ACTIONS = 1500;

  /** A column of the table. */
  private enum Device {
    NET_IN_ORDER(VirtioKind.NET, Action.SEND, Action.PROCESS_NET),
    BLOCK_IN_ORDER(VirtioKind.BLOCK, Action.SUBMIT, Action.PROCESS_BLOCK),
    BLOCK_ANY_ORDER(VirtioKind.BLOCK, Action.SUBMIT, Action.PROCESS_BLOCK);

    private final VirtioKind kind;
    private final List<Action> actions;

    Device(VirtioKind kind, Action... actions) {
      this.kind = kind;
      this.actions = Stream.concat(Stream.of(actions), Stream.of(Action.REAP)).toList();
    }

    private VirtioDevice make(VirtioKind made, GuestMemory memory) {
      return this == BLOCK_IN_ORDER && made == VirtioKind.BLOCK
          ? new InOrder(memory)
          : made.make(memory, VirtioFault.NONE);
    }
  }

  /** A block device that has requests in flight, and happens to complete them in order. */
  private static final class InOrder extends BlockDevice {
    InOrder(GuestMemory memory) {
      super(memory, VirtioFault.NONE);
    }

    @Override
    int next(List<Integer> inFlight, SplittableRandom random) {
      return inFlight.getFirst();
    }
  }

  @ParameterizedTest
  @EnumSource(VirtioPolicy.class)
  void theTable_isWhatRunningThemShows(VirtioPolicy policy) throws Exception {
    String row =
        Stream.of(Device.values())
            .map(device -> cell(policy, device))
            .collect(Collectors.joining(" | ", "| `%s` | ".formatted(policy.text()), " |"));
    assertThat(Files.readAllLines(Path.of("docs/scenarios.md"))).contains(row);
  }

  private static String cell(VirtioPolicy policy, Device device) {
    Set<RequestFailure.Kind> met = EnumSet.noneOf(RequestFailure.Kind.class);
    for (long seed = 1; seed <= SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Bench bench = new Bench(64, 32, device::make, policy, random);
      run(bench, device, random);
      VirtioSnapshot snapshot = bench.bus.snapshot();
      String when = "%s, %s, seed %d".formatted(policy, device, seed);
      assertThat(snapshot.predicted().isPresent())
          .as(when)
          .isEqualTo(snapshot.observed().isPresent());
      snapshot.observed().map(RequestFailure::kind).ifPresent(met::add);
      if (snapshot.observed().isEmpty()) {
        assertCompletedOnce(bench, device, when);
      }
    }
    return met.isEmpty()
        ? "harmless"
        : met.stream()
            .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', ' '))
            .collect(Collectors.joining(", "));
  }

  /** Only this device has work, and it is stopped and started again from time to time. */
  private static void run(Bench bench, Device device, SplittableRandom random) {
    for (int i = 0; i < ACTIONS && bench.bus.snapshot().observed().isEmpty(); i++) {
      bench.act(device.actions.get(random.nextInt(device.actions.size())));
      if (random.nextInt(20) == 0) {
        bench.act(random.nextBoolean() ? Action.STOP_AND_START : Action.CHANGE_MAP);
      }
      bench.bus.publish();
    }
  }

  private static void assertCompletedOnce(Bench bench, Device device, String when) {
    bench.drain();
    bench.bus.publish();
    assertThat(bench.watcher.anomalies).as(when).isEmpty();
    assertThat(bench.bus.check()).as(when).isEmpty();
    QueueSnapshot queue =
        bench.bus.snapshot().queues().get(device.kind == VirtioKind.BLOCK ? 0 : 2);
    assertThat(queue.completed()).as(when).isEqualTo(queue.nextRequest() - 1).isGreaterThan(100);
  }
}
