// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.ArrayList;
import java.util.List;

/** The newest events of a session, kept after they left the ring. Thread-safe. */
public final class EventLog {
  private final long[] records;
  private final int capacity;
  private long written;

  /**
   * @param capacity events kept, at least 1
   */
  public EventLog(int capacity) {
    this.capacity = capacity;
    records = new long[capacity * EventRing.RECORD];
  }

  synchronized void drain(EventRing ring) {
    while (ring.drain(this::add, capacity) == capacity) {
      // a reader that fell behind catches up
    }
  }

  private void add(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    int i = (int) (written++ % capacity) * EventRing.RECORD;
    records[i] = nanos;
    records[i + 1] = (long) kind.ordinal() << 48 | (long) detail << 32 | (length & 0xffffffffL);
    records[i + 2] = wrid;
    records[i + 3] = argument;
  }

  /** How many events there ever were; the newest has this number minus one. */
  public synchronized long size() {
    return written;
  }

  /** The number of the oldest event that is still kept. */
  public synchronized long oldest() {
    return Math.max(0, written - capacity);
  }

  /**
   * Events in order, from a number on.
   *
   * @param from number of the first wanted; older ones than are kept are skipped
   * @param limit how many at most
   */
  public synchronized List<Event> read(long from, int limit) {
    long first = Math.max(from, oldest());
    var events = new ArrayList<Event>(Math.clamp(written - first, 0, limit));
    for (long number = first; number < written && events.size() < limit; number++) {
      int i = (int) (number % capacity) * EventRing.RECORD;
      long packed = records[i + 1];
      events.add(
          new Event(
              number,
              records[i],
              EventKind.of((int) (packed >>> 48)),
              (int) (packed >>> 32) & 0xffff,
              (int) packed,
              records[i + 2],
              records[i + 3]));
    }
    return events;
  }
}
