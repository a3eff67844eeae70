// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.telemetry.SessionTelemetry;

/**
 * Unusual completions, in the order in which they were polled, and requests that were sent again
 * with a memory that had been released, or that met trouble on the wire. Only the newest are kept,
 * but all are counted. Times are {@link System#nanoTime()}. Not thread-safe.
 */
public final class Marks extends LongTable {
  private static final Kind[] KINDS = Kind.values();

  private static final int NANOS = 0;
  private static final int EVENT = 1;
  private static final int KIND = 2;
  private static final int REQUEST = 3;
  private static final int OTHER = 4;
  private static final int PHRASE = 5;
  private static final int COLUMNS = 6;

  /** What is unusual. */
  public enum Kind {
    /**
     * A receive completion was polled before the completion of the SEND that the message answers.
     */
    RECEIVE_OVERTOOK_SEND,
    /** A completion was polled before that of an earlier request of the same queue. */
    OUT_OF_ORDER,
    /** A wait for another completion dropped it. */
    DROPPED,
    /** A wait for another completion took it and handled it, which does no harm. */
    MET,
    /** Its status is not success. */
    FAILED,
    /**
     * The device had to send its request again, the memory of which was not registered any more.
     */
    MEMORY_GONE,
    /** The device sent its control message again, with other data. */
    MEMORY_REUSED,
    /** Captured packets show that the device sent it again. */
    SENT_AGAIN,
    /** A captured packet answered it negatively. */
    REFUSED
  }

  private final long[] counts = new long[KINDS.length];

  Marks(long kept) {
    super(COLUMNS, kept);
  }

  /** When the completion was polled. */
  public long nanos(long mark) {
    return get(mark, NANOS);
  }

  /** The number of its event. */
  public long event(long mark) {
    return get(mark, EVENT);
  }

  public Kind kind(long mark) {
    return KINDS[(int) get(mark, KIND) & 0xff];
  }

  /** The queue of the request whose completion it is. */
  public QueueType queue(long mark) {
    return get(mark, KIND) >>> 8 == 0 ? QueueType.SEND : QueueType.RECEIVE;
  }

  /** The request whose completion it is. */
  public long request(long mark) {
    return get(mark, REQUEST);
  }

  /**
   * For a completion that overtook another: the overtaken request, of the send queue or of its own
   * queue. For one that was dropped or met: the wait that took it, -1 when its beginning is not
   * recorded. For a request that was answered negatively: the syndrome. Otherwise -1.
   */
  public long other(long mark) {
    return get(mark, OTHER);
  }

  /**
   * For a completion that was dropped or met: what the wait that took it was for, an index into
   * {@link SessionTelemetry#waits()}. Otherwise -1.
   */
  public int phrase(long mark) {
    return (int) get(mark, PHRASE);
  }

  /** The first mark at a moment or later. */
  public long indexOf(long nanos) {
    return indexOf(NANOS, nanos);
  }

  /** How many of a kind there have been. */
  public long count(Kind kind) {
    return counts[kind.ordinal()];
  }

  void add(long nanos, long event, Kind kind, QueueType queue, long request, long other) {
    add(nanos, event, kind, queue, request, other, -1);
  }

  void add(
      long nanos, long event, Kind kind, QueueType queue, long request, long other, int phrase) {
    add(nanos, event, (long) queue.ordinal() << 8 | kind.ordinal(), request, other, phrase);
    counts[kind.ordinal()]++;
  }
}
