// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock-free ring of fixed-size records with one writer and one reader. When the ring is full, the
 * writer skips the record and counts it. The writer never waits and never allocates.
 */
public final class EventRing {
  private static final VarHandle HEAD;
  private static final VarHandle TAIL;
  private static final VarHandle LEFT_OUT;

  static {
    try {
      var lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(EventRing.class, "head", long.class);
      TAIL = lookup.findVarHandle(EventRing.class, "tail", long.class);
      LEFT_OUT = lookup.findVarHandle(EventRing.class, "leftOut", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long[] records;
  private final int mask;
  private long tailSeen;

  // Padding keeps the indices of the writer and of the reader on different cache lines.
  private long head;
  private long leftOut;

  @SuppressWarnings("unused")
  private long pad1, pad2, pad3, pad4, pad5, pad6, pad7, pad8;

  private long tail;

  /** Receives records. */
  @FunctionalInterface
  public interface Reader {
    void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument);
  }

  /**
   * @param capacity number of records, a power of two
   */
  public EventRing(int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("capacity " + capacity + " is not a power of two");
    }
    records = new long[capacity * EventRecord.LONGS];
    mask = capacity - 1;
  }

  /**
   * Writer only: adds a record, or skips it if the ring is full.
   *
   * @param nanos its moment
   * @param detail 0 to 65535
   */
  public void write(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    long at = head;
    if (at - tailSeen > mask) {
      tailSeen = (long) TAIL.getAcquire(this);
      if (at - tailSeen > mask) {
        LEFT_OUT.setOpaque(this, leftOut + 1);
        return;
      }
    }
    int i = ((int) at & mask) * EventRecord.LONGS;
    EventRecord.put(records, i, nanos, kind, detail, length, wrid, argument);
    HEAD.setRelease(this, at + 1);
  }

  /**
   * Reader only: removes records, oldest first.
   *
   * @param limit upper limit of the number of records
   * @return how many were removed
   */
  public int drain(Reader reader, int limit) {
    long from = tail;
    long to = Math.min((long) HEAD.getAcquire(this), from + limit);
    read(from, to, reader);
    TAIL.setRelease(this, to);
    return (int) (to - from);
  }

  private void read(long from, long to, Reader reader) {
    for (long at = from; at < to; at++) {
      int i = ((int) at & mask) * EventRecord.LONGS;
      reader.event(
          records[i],
          EventRecord.kind(records, i),
          EventRecord.detail(records, i),
          EventRecord.length(records, i),
          records[i + 2],
          records[i + 3]);
    }
  }

  /** How many records were written. */
  public long written() {
    return (long) HEAD.getAcquire(this);
  }

  /**
   * Reads records without removing them, oldest first, while nobody writes.
   *
   * @param from the number of the first one; those that were overwritten are left out
   */
  public void peek(long from, Reader reader) {
    long to = written();
    read(Math.max(from, to - mask - 1), to, reader);
  }

  /** How many records were skipped because the ring was full. */
  public long leftOut() {
    return (long) LEFT_OUT.getOpaque(this);
  }
}
