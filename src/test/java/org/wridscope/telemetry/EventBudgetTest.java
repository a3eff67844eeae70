// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several logs share a budget of ten segments; each of them alone could use it up. */
final class EventBudgetTest {
  private static final int SEGMENTS = 10;

  private final EventBudget budget = new EventBudget(SEGMENTS);

  private EventLog log() {
    return new EventLog(100 * EventLog.SEGMENT, budget);
  }

  /** Adds events whose wrids are their numbers. */
  private static void add(EventLog log, int segments) {
    for (int i = 0; i < segments * EventLog.SEGMENT; i++) {
      log.add(i, EventKind.POST_WRITE, 0, 0, log.size(), 0);
    }
  }

  private static int sum(List<EventLog> logs) {
    return logs.stream().mapToInt(EventLog::segments).sum();
  }

  @Test
  void endedLogs_loseTheirOldestEvents_theFirstToEndBeforeTheOther() {
    EventLog first = log();
    add(first, 4);
    first.end();
    EventLog second = log();
    add(second, 4);
    second.end();
    EventLog running = log();
    add(running, 4);
    assertThat(first.oldest()).isEqualTo(2L * EventLog.SEGMENT);
    assertThat(second.oldest()).isZero();
    assertThat(running.oldest()).isZero();
    assertThat(first.size()).isEqualTo(4L * EventLog.SEGMENT);
    assertThat(first.read(0, 1).getFirst().wrid()).isEqualTo(2L * EventLog.SEGMENT);
    add(running, 4);
    assertThat(first.segments()).isOne();
    assertThat(second.segments()).isOne();
    assertThat(running.oldest()).isZero();
  }

  @Test
  void endedLogsWithoutSpareSegments_letTheLargestLoseItsOldest() {
    EventLog ended = log();
    add(ended, 2);
    ended.end();
    EventLog stuck = log();
    add(stuck, 3);
    EventLog busy = log();
    add(busy, 20);
    assertThat(ended.segments()).isOne();
    assertThat(stuck.oldest()).isZero();
    assertThat(busy.segments()).isEqualTo(SEGMENTS - 4);
    assertThat(busy.oldest()).isEqualTo((20L - SEGMENTS + 4) * EventLog.SEGMENT);
  }

  /**
   * Before, they counted until their memory was collected, and others lost their events to them.
   */
  @Test
  void logsOfClosedSessions_takeNoRoomFromOthers() {
    EventLog closed = log();
    add(closed, 6);
    closed.leaveBudget();
    EventLog running = log();
    add(running, SEGMENTS);
    assertThat(running.oldest()).isZero();
    assertThat(closed.oldest()).isZero();
  }

  @Test
  void manySessions_neverExceedTheBudget_andTheNewestIsComplete() {
    var logs = new ArrayList<EventLog>();
    for (int i = 0; i < SEGMENTS - 2; i++) {
      EventLog log = log();
      logs.add(log);
      add(log, 3);
      log.end();
      assertThat(sum(logs)).isLessThanOrEqualTo(SEGMENTS);
    }
    assertThat(logs.getFirst().segments()).isOne();
    assertThat(logs.getLast().oldest()).isZero();
  }

  @Test
  void threadsThatFillTheirLogs_doNotDeadlock() throws Exception {
    var logs = List.of(log(), log(), log());
    var threads = new ArrayList<Thread>();
    for (EventLog log : logs) {
      threads.add(Thread.ofPlatform().start(() -> add(log, 40)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(sum(logs)).isLessThanOrEqualTo(SEGMENTS + logs.size());
    for (EventLog log : logs) {
      assertThat(log.size()).isEqualTo(40L * EventLog.SEGMENT);
      assertThat(log.read(0, 1).getFirst().wrid()).isEqualTo(log.oldest());
    }
  }
}
