// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.ArrayList;
import java.util.List;

/**
 * The newest events of a session, kept after they left the ring. It grows as they come, segment by
 * segment, and gives up the oldest segment when it is full, or when all logs together have used up
 * their {@link EventBudget}. Thread-safe.
 */
public final class EventLog {
  private static final int SEGMENT_SHIFT = 14;

  /** Events of a segment, 512 KiB. */
  static final int SEGMENT = 1 << SEGMENT_SHIFT;

  static final int SEGMENT_BYTES = SEGMENT * EventRing.RECORD * Long.BYTES;

  /** {@link #endNanos()} of a session that goes on. */
  static final long NOT_ENDED = Long.MAX_VALUE;

  private final List<long[]> segments = new ArrayList<>();
  private final int maxSegments;
  private final EventBudget budget;
  private final boolean aside;
  private volatile long endNanos = NOT_ENDED;
  private long oldest;
  private long written;

  /** Takes events out, oldest first. */
  @FunctionalInterface
  public interface Reader {
    /**
     * An event; {@link Event} and its kind say what the fields are.
     *
     * @return whether to go on
     */
    boolean event(
        long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument);
  }

  /**
   * @param capacity events kept at least, once there were so many
   */
  public EventLog(int capacity) {
    this(capacity, EventBudget.OF_PROCESS);
  }

  EventLog(int capacity, EventBudget budget) {
    maxSegments = 1 + (capacity + SEGMENT - 1) / SEGMENT;
    this.budget = budget;
    aside = false;
    budget.join(this);
  }

  private EventLog(EventLog of) {
    maxSegments = of.maxSegments;
    budget = of.budget;
    aside = true;
    segments.addAll(of.segments);
    oldest = of.oldest;
    written = of.written;
  }

  /**
   * Another log with the same events, which is moved ahead while this one stands and is read, and
   * then {@linkplain #become takes its place}; for a session that is only replayed. There is one at
   * a time: it writes behind the events of this one.
   */
  synchronized EventLog aside() {
    return new EventLog(this);
  }

  /**
   * Takes over what was made {@link #aside()}, in an instant.
   *
   * @param moved not used any more
   */
  void become(EventLog moved) {
    synchronized (this) {
      segments.clear();
      segments.addAll(moved.segments);
      oldest = moved.oldest;
      written = moved.written;
    }
    budget.makeRoom();
  }

  void drain(EventRing ring) {
    while (drainSome(ring) == SEGMENT) {
      // a reader that fell behind catches up
    }
  }

  private int drainSome(EventRing ring) {
    // Within a segment's worth of events, one new segment is begun.
    budget.makeRoom();
    synchronized (this) {
      return ring.drain(this::append, SEGMENT);
    }
  }

  /** Adds an event to the end; for one thread. */
  public void add(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    if ((size() & (SEGMENT - 1)) == 0) {
      budget.makeRoom();
    }
    synchronized (this) {
      append(nanos, kind, detail, length, wrid, argument);
    }
  }

  private void append(
      long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    int i = (int) (written & (SEGMENT - 1)) * EventRing.RECORD;
    if (i == 0) {
      long[] segment =
          segments.size() < maxSegments ? new long[SEGMENT * EventRing.RECORD] : giveUpOldest();
      segments.add(segment);
    }
    long[] records = segments.getLast();
    records[i] = nanos;
    records[i + 1] =
        (long) kind.ordinal() << 48 | (long) (detail & 0xffff) << 32 | (length & 0xffffffffL);
    records[i + 2] = wrid;
    records[i + 3] = argument;
    written++;
  }

  private long[] giveUpOldest() {
    oldest += SEGMENT;
    long[] segment = segments.removeFirst();
    return aside ? new long[segment.length] : segment;
  }

  /** Notes that the session has ended. */
  void end() {
    endNanos = System.nanoTime();
  }

  /** When the session ended, or {@link #NOT_ENDED}. */
  long endNanos() {
    return endNanos;
  }

  synchronized int segments() {
    return segments.size();
  }

  /**
   * Gives up the oldest segment, unless it is the only one.
   *
   * @return whether there was one
   */
  synchronized boolean shrink() {
    if (segments.size() < 2) {
      return false;
    }
    giveUpOldest();
    return true;
  }

  /**
   * Forgets all events, and goes on with another number, for a session that is only replayed.
   *
   * @param number of the next event, a multiple of {@link #SEGMENT}
   */
  public synchronized void restart(long number) {
    if (number % SEGMENT != 0) {
      throw new IllegalArgumentException(number + " is not at a segment's edge");
    }
    segments.clear();
    oldest = number;
    written = number;
  }

  /**
   * Forgets the newest events, for a session that is only replayed.
   *
   * @param size how many there were then, from {@link #oldest()} to what there are now
   */
  public synchronized void truncate(long size) {
    if (size < oldest || size > written) {
      throw new IllegalArgumentException(
          "event %d is not kept, %d to %d are".formatted(size, oldest, written));
    }
    written = size;
    int kept = (int) ((size - oldest + SEGMENT - 1) >> SEGMENT_SHIFT);
    segments.subList(kept, segments.size()).clear();
    if (aside && !segments.isEmpty()) {
      segments.addLast(segments.removeLast().clone());
    }
  }

  /** How many events there ever were; the newest has this number minus one. */
  public synchronized long size() {
    return written;
  }

  /** The number of the oldest event that is still kept. */
  public synchronized long oldest() {
    return oldest;
  }

  /**
   * Hands events to a reader in order, without an object for each. The log stands still meanwhile:
   * a reader that takes long asks for few.
   *
   * @param from number of the first wanted; older ones than are kept are skipped
   * @param limit how many at most
   * @return the number to go on from
   */
  public synchronized long read(long from, int limit, Reader reader) {
    long number = Math.max(from, oldest);
    long end = Math.min(written, number + limit);
    while (number < end) {
      long[] records = segments.get((int) ((number - oldest) >> SEGMENT_SHIFT));
      int i = (int) (number & (SEGMENT - 1)) * EventRing.RECORD;
      long packed = records[i + 1];
      boolean more =
          reader.event(
              number++,
              records[i],
              EventKind.of((int) (packed >>> 48)),
              (int) (packed >>> 32) & 0xffff,
              (int) packed,
              records[i + 2],
              records[i + 3]);
      if (!more) {
        break;
      }
    }
    return number;
  }

  /**
   * Events in order, from a number on.
   *
   * @param from number of the first wanted; older ones than are kept are skipped
   * @param limit how many at most
   */
  public synchronized List<Event> read(long from, int limit) {
    var events = new ArrayList<Event>(Math.clamp(written - Math.max(from, oldest), 0, limit));
    read(
        from,
        limit,
        (number, nanos, kind, detail, length, wrid, argument) ->
            events.add(new Event(number, nanos, kind, detail, length, wrid, argument)));
    return events;
  }
}
