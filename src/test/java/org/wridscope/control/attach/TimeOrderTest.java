// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Lines of several processors. */
final class TimeOrderTest {
  private static final long SECOND = 1_000_000_000L;

  private final List<Long> passed = new ArrayList<>();
  private final Set<Long> offline = new HashSet<>();
  private final TimeOrder order =
      new TimeOrder(line -> passed.add(line.nanos()), cpu -> !offline.contains(cpu));

  private void line(long nanos) {
    add("o %x 1 1 0 1".formatted(nanos));
  }

  private void beat(long nanos, int cpu) {
    add("t %x %x".formatted(nanos, cpu));
  }

  private void add(String line) {
    order.add(Objects.requireNonNull(TraceLine.parse(line)));
  }

  @Test
  void linesOfTwoProcessors_areOrderedByTime() {
    beat(SECOND, 0);
    beat(SECOND, 1);
    line(SECOND + 20);
    line(SECOND + 40);
    line(SECOND + 10);
    line(SECOND + 30);
    beat(2 * SECOND, 0);
    assertThat(passed).isEmpty();
    beat(2 * SECOND, 1);

    assertThat(passed).containsExactly(SECOND + 10, SECOND + 20, SECOND + 30, SECOND + 40);
    assertThat(order.late()).isZero();
  }

  @Test
  void readUntil_isTheOldestOfTheNewestBeats() {
    assertThat(order.readUntil()).isZero();
    beat(SECOND, 0);
    beat(2 * SECOND, 1);
    assertThat(order.readUntil()).isEqualTo(SECOND);
    beat(3 * SECOND, 0);
    assertThat(order.readUntil()).isEqualTo(2 * SECOND);
  }

  @Test
  void linesOfOneTime_keepTheirOrder() {
    add("o 5 1 1 0 1");
    add("o 5 2 1 0 1");
    var pids = new ArrayList<Long>();
    var same = new TimeOrder(line -> pids.add(line.pid()), _ -> true);
    for (int pid = 1; pid < 20; pid++) {
      same.add(Objects.requireNonNull(TraceLine.parse("o 5 %x 1 0 1".formatted(pid))));
    }
    same.end();

    assertThat(pids).isSorted().hasSize(19);
  }

  @Test
  void aProcessorThatIsOffline_isNotAwaited() {
    beat(SECOND, 0);
    beat(SECOND, 1);
    line(SECOND + 1);
    for (int i = 2; i < 9; i++) {
      beat(i * SECOND, 0);
    }
    assertThat(passed).isEmpty();
    offline.add(1L);
    beat(9 * SECOND, 0);

    assertThat(passed).containsExactly(SECOND + 1);
    assertThat(order.late()).isZero();
  }

  /** What it has seen is still in its buffer: bpftrace reads one buffer after the other. */
  @Test
  void aProcessorThatIsSilentForLong_isAwaited() {
    beat(SECOND, 0);
    beat(SECOND, 1);
    for (int i = 2; i < 60; i++) {
      line(i * SECOND);
      beat(i * SECOND, 0);
    }
    line(SECOND + 1);
    beat(60 * SECOND, 1);

    assertThat(passed).isSorted().contains(SECOND + 1, 58 * SECOND);
    assertThat(order.late()).isZero();
  }

  /** One that never tells the time again must not fill the memory. */
  @Test
  void moreLinesThanAreKept_arePassedOn() {
    beat(SECOND, 0);
    beat(SECOND, 1);
    for (int i = 0; i < TimeOrder.MOST_WAITING; i++) {
      line(2 * SECOND + i);
    }
    assertThat(passed).isEmpty();
    line(3 * SECOND);

    assertThat(passed).isSorted().isNotEmpty();
  }

  @Test
  void aLineThatComesTooLate_isPassedOnAndCounted() {
    line(2 * SECOND);
    beat(9 * SECOND, 0);
    line(SECOND);
    order.end();

    assertThat(passed).containsExactly(2 * SECOND, SECOND);
    assertThat(order.late()).isEqualTo(1);
  }

  @Test
  void theEnd_passesOnEverything() {
    line(7);
    line(6);
    order.end();

    assertThat(passed).containsExactly(6L, 7L);
  }
}
