// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock-free ring of fixed-size records from one writer to one reader. A writer that finds it full
 * leaves the record out and counts it; it never waits, and allocates nothing.
 */
public final class EventRing {
  /** Longs of a record: time; kind, detail and length; wrid; argument. */
  static final int RECORD = 4;

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

  // The writer's and the reader's index lie on different cache lines.
  private long head;
  private long leftOut;

  @SuppressWarnings("unused")
  private long pad1, pad2, pad3, pad4, pad5, pad6, pad7, pad8;

  private long tail;

  /** What takes the records out. */
  @FunctionalInterface
  public interface Reader {
    void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument);
  }

  /**
   * @param capacity records, a power of two
   */
  public EventRing(int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("capacity " + capacity + " is not a power of two");
    }
    records = new long[capacity * RECORD];
    mask = capacity - 1;
  }

  /**
   * Adds a record; for the writer only.
   *
   * @param detail 0 to 65535
   */
  public void write(EventKind kind, int detail, int length, long wrid, long argument) {
    long at = head;
    if (at - tailSeen > mask) {
      tailSeen = (long) TAIL.getAcquire(this);
      if (at - tailSeen > mask) {
        LEFT_OUT.setOpaque(this, leftOut + 1);
        return;
      }
    }
    int i = ((int) at & mask) * RECORD;
    records[i] = System.nanoTime();
    records[i + 1] =
        (long) kind.ordinal() << 48 | (long) (detail & 0xffff) << 32 | (length & 0xffffffffL);
    records[i + 2] = wrid;
    records[i + 3] = argument;
    HEAD.setRelease(this, at + 1);
  }

  /**
   * Takes records out, oldest first; for the reader only.
   *
   * @return how many
   */
  public int drain(Reader reader, int limit) {
    long from = tail;
    long to = Math.min((long) HEAD.getAcquire(this), from + limit);
    for (long at = from; at < to; at++) {
      int i = ((int) at & mask) * RECORD;
      long packed = records[i + 1];
      reader.event(
          records[i],
          EventKind.of((int) (packed >>> 48)),
          (int) (packed >>> 32) & 0xffff,
          (int) packed,
          records[i + 2],
          records[i + 3]);
    }
    TAIL.setRelease(this, to);
    return (int) (to - from);
  }

  /** How many records found the ring full. */
  public long leftOut() {
    return (long) LEFT_OUT.getOpaque(this);
  }
}
