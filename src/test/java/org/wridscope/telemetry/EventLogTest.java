// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class EventLogTest {
  private final EventLog log = new EventLog(2 * EventLog.SEGMENT);

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      log.add(i * 10L, EventKind.POST_WRITE, i & 0xffff, i, i * 3L, i * 5L);
    }
  }

  @Test
  void read_returnsWhatWasAdded() {
    add(0, EventLog.SEGMENT + 5);
    assertThat(log.read(EventLog.SEGMENT - 1, 3))
        .isEqualTo(
            IntStream.range(EventLog.SEGMENT - 1, EventLog.SEGMENT + 2)
                .mapToObj(
                    i -> new Event(i, i * 10L, EventKind.POST_WRITE, i & 0xffff, i, i * 3L, i * 5L))
                .toList());
  }

  @Test
  void add_toAFullLog_discardsTheOldestSegmentAndKeepsItsCapacity() {
    add(0, 10 * EventLog.SEGMENT + 1);
    assertThat(log.size()).isEqualTo(10L * EventLog.SEGMENT + 1);
    assertThat(log.size() - log.oldest()).isGreaterThanOrEqualTo(2L * EventLog.SEGMENT);
    assertThat(log.oldest()).isEqualTo(8L * EventLog.SEGMENT);
    List<Event> events = log.read(0, Integer.MAX_VALUE);
    assertThat(events).hasSize((int) (log.size() - log.oldest()));
    assertThat(events).allSatisfy(event -> assertThat(event.wrid()).isEqualTo(event.number() * 3));
  }

  @Test
  void read_stoppedByTheReader_returnsWhereToContinue() {
    add(0, 100);
    long next =
        log.read(10, 50, (number, nanos, kind, detail, length, wrid, argument) -> number < 19);
    assertThat(next).isEqualTo(20);
  }

  @Test
  void read_beyondTheEnd_isEmpty() {
    add(0, 3);
    assertThat(log.read(7, 10)).isEmpty();
    assertThat(log.read(3, 10)).isEmpty();
  }
}
