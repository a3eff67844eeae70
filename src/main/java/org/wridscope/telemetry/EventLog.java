// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.wridscope.time.Time;

/**
 * The newest events of a session, after they have left the ring. It grows segment by segment. When
 * it is full, or when all logs together exceed their {@link EventBudget}, the oldest segment is
 * discarded. Thread-safe.
 */
public final class EventLog {
  private static final int SEGMENT_SHIFT = 14;

  /** Number of events in a segment, which takes 512 KiB. */
  static final int SEGMENT = 1 << SEGMENT_SHIFT;

  static final int SEGMENT_BYTES = SEGMENT * EventRecord.LONGS * Long.BYTES;

  /** {@link #endNanos()} of a session that has not ended. */
  static final long NOT_ENDED = Long.MAX_VALUE;

  private final List<long[]> segments = new ArrayList<>();
  private final int maxSegments;
  private final EventBudget budget;
  private final boolean aside;
  private volatile long endNanos = NOT_ENDED;
  private long oldest;
  private long written;

  /**
   * Moment of the last event that did not come through the ring, whose writer reads the clock a
   * moment before its event can be seen.
   */
  private long lastOther = Long.MIN_VALUE;

  /** Receives events, oldest first. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Receives an event; see {@link Event} and {@link EventKind} for the fields.
     *
     * @return whether to continue
     */
    boolean event(
        long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument);
  }

  /**
   * @param capacity lower limit of how many of the newest events are kept
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

  /** Its session is closed: it takes no room from the logs of others any more. */
  public void leaveBudget() {
    budget.leave(this);
  }

  /**
   * For a replayed session: a second log with the same events, which can be moved to another moment
   * while this one is still read, and then {@linkplain #become takes its place}. At most one may
   * exist at a time, because both share segments.
   */
  synchronized EventLog aside() {
    return new EventLog(this);
  }

  /**
   * Replaces the events by those of a log that was made by {@link #aside()}.
   *
   * @param moved must not be used afterwards
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

  /**
   * Takes the events of the engine from its ring, and those of others, in the order of time.
   *
   * @param others oldest first
   */
  void drain(EventRing ring, Queue<Event> others) {
    long begin = Time.nanos();
    while (drainSome(ring, others) == SEGMENT) {
      // until the reader has caught up
    }
    synchronized (this) {
      // The ring may have events since then, which are older than later ones of others.
      appendUntil(begin, others);
    }
  }

  private int drainSome(EventRing ring, Queue<Event> others) {
    // As many events as a segment holds need at most one new segment.
    budget.makeRoom();
    synchronized (this) {
      return ring.drain(
          (nanos, kind, detail, length, wrid, argument) -> {
            appendUntil(nanos, others);
            append(Math.max(nanos, lastOther), kind, detail, length, wrid, argument);
          },
          SEGMENT);
    }
  }

  private void appendUntil(long nanos, Queue<Event> others) {
    Event first = others.peek();
    while (first != null && first.nanos() <= nanos) {
      others.remove();
      // They come from several threads.
      lastOther = Math.max(lastOther, first.nanos());
      append(
          lastOther, first.kind(), first.detail(), first.length(), first.wrid(), first.argument());
      first = others.peek();
    }
  }

  /** Appends an event; only one thread may append. */
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
    int i = (int) (written & (SEGMENT - 1)) * EventRecord.LONGS;
    if (i == 0) {
      long[] segment =
          segments.size() < maxSegments ? new long[SEGMENT * EventRecord.LONGS] : removeOldest();
      segments.add(segment);
    }
    long[] records = segments.getLast();
    EventRecord.put(records, i, nanos, kind, detail, length, wrid, argument);
    written++;
  }

  private long[] removeOldest() {
    oldest += SEGMENT;
    long[] segment = segments.removeFirst();
    return aside ? new long[segment.length] : segment;
  }

  /** Records that the session has ended. */
  void end() {
    endNanos = Time.nanos();
  }

  /** When the session ended, or {@link #NOT_ENDED}. */
  long endNanos() {
    return endNanos;
  }

  synchronized int segments() {
    return segments.size();
  }

  /**
   * Discards the oldest segment, unless it is the only one.
   *
   * @return whether a segment was discarded
   */
  synchronized boolean shrink() {
    if (segments.size() < 2) {
      return false;
    }
    removeOldest();
    return true;
  }

  /**
   * For a replayed session: removes all events and continues with another number.
   *
   * @param number of the next event, a multiple of {@link #SEGMENT}
   */
  public synchronized void restart(long number) {
    if (number % SEGMENT != 0) {
      throw new IllegalArgumentException(number + " is not at the start of a segment");
    }
    segments.clear();
    oldest = number;
    written = number;
  }

  /**
   * For a replayed session: removes the newest events.
   *
   * @param size the new {@link #size()}, at least {@link #oldest()} and at most the present size
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

  /** How many events there have been; the newest one has this number minus one. */
  public synchronized long size() {
    return written;
  }

  /** The number of the oldest kept event. */
  public synchronized long oldest() {
    return oldest;
  }

  /**
   * The moment of an event.
   *
   * @param number of the event; if it is not kept, the moment is that of the nearest one that is
   * @return 0 if none is kept
   */
  public synchronized long nanos(long number) {
    return written == oldest ? 0 : nanosOf(Math.clamp(number, oldest, written - 1));
  }

  private long nanosOf(long number) {
    long[] records = segments.get((int) ((number - oldest) >> SEGMENT_SHIFT));
    return records[(int) (number & (SEGMENT - 1)) * EventRecord.LONGS];
  }

  /**
   * The number of the first kept event at or after a moment, {@link #size()} if there is none.
   * Takes logarithmic time.
   */
  public synchronized long indexOf(long nanos) {
    long low = oldest;
    long high = written;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (nanosOf(middle) < nanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Passes events to a reader in order, without allocating. The log is locked meanwhile, so a slow
   * reader should ask for few.
   *
   * @param from number of the first event; events that are no longer kept are skipped
   * @param limit upper limit of the number of events
   * @return the number to continue from
   */
  public synchronized long read(long from, int limit, Reader reader) {
    long number = Math.max(from, oldest);
    long end = Math.min(written, number + limit);
    while (number < end) {
      long[] records = segments.get((int) ((number - oldest) >> SEGMENT_SHIFT));
      int i = (int) (number & (SEGMENT - 1)) * EventRecord.LONGS;
      boolean more =
          reader.event(
              number++,
              records[i],
              EventRecord.kind(records, i),
              EventRecord.detail(records, i),
              EventRecord.length(records, i),
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
   * @param from number of the first event; events that are no longer kept are skipped
   * @param limit upper limit of the number of events
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
