// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * The waits of a session's engine, one after the other, the newest kept. Times are {@link
 * System#nanoTime()}. Not thread-safe.
 */
public final class Waits {
  /** The end of a wait that goes on. */
  public static final long OPEN = Long.MAX_VALUE;

  private static final int BEGAN = 0;
  private static final int ENDED = 1;
  private static final int BEGIN_EVENT = 2;
  private static final int END_EVENT = 3;
  private static final int PHRASE = 4;
  private static final int WRID = 5;
  private static final int REQUEST = 6;
  private static final int CAME = 7;

  /** Nanoseconds waited before this wait. */
  private static final int BEFORE = 8;

  private static final int COLUMNS = 9;

  private final LongTable rows;

  Waits(long kept) {
    rows = new LongTable(COLUMNS, kept);
  }

  public long first() {
    return rows.first();
  }

  public long end() {
    return rows.end();
  }

  public long beganNanos(long wait) {
    return rows.get(wait, BEGAN);
  }

  /** When it was over, {@link #OPEN} while it goes on. */
  public long endedNanos(long wait) {
    return rows.get(wait, ENDED);
  }

  public boolean isOpen(long wait) {
    return endedNanos(wait) == OPEN;
  }

  /** The number of the event that told its beginning. */
  public long beginEvent(long wait) {
    return rows.get(wait, BEGIN_EVENT);
  }

  /** The number of the event that told its end, or -1. */
  public long endEvent(long wait) {
    return rows.get(wait, END_EVENT);
  }

  /** What for, an index into the session's list of waits. */
  public int phrase(long wait) {
    return (int) rows.get(wait, PHRASE);
  }

  /** The wrid whose completion it waits for, 0 when it waits for something else. */
  public long wrid(long wait) {
    return rows.get(wait, WRID);
  }

  /** The request whose completion it waits for, {@link WorkRequests#NONE} when not known. */
  public long request(long wait) {
    return rows.get(wait, REQUEST);
  }

  /** Whether a completion with the wrid that it waits for was polled in the meantime. */
  public boolean came(long wait) {
    return rows.get(wait, CAME) != 0;
  }

  /** The first wait that ends at a moment or later. */
  public long indexOf(long nanos) {
    // Waits do not overlap, so that their ends are in order too.
    return rows.indexOf(ENDED, nanos);
  }

  /** The wait whose beginning or end an event told, or -1. */
  public long ofEvent(long event) {
    long wait = rows.indexOf(BEGIN_EVENT, event);
    if (rows.has(wait) && beginEvent(wait) == event) {
      return wait;
    }
    return rows.has(wait - 1) && endEvent(wait - 1) == event ? wait - 1 : -1;
  }

  /** Nanoseconds waited from the oldest wait that is known up to a moment. */
  public long waitedUntil(long nanos) {
    long wait = rows.indexOf(BEGAN, nanos) - 1;
    if (!rows.has(wait)) {
      return 0;
    }
    return rows.get(wait, BEFORE)
        + Math.max(0, Math.min(nanos, endedNanos(wait)) - beganNanos(wait));
  }

  /** The wait that goes on, or -1. */
  public long open() {
    long last = rows.end() - 1;
    return rows.has(last) && isOpen(last) ? last : -1;
  }

  void begin(long nanos, long event, int phrase, long wrid, long request) {
    finish(nanos, -1);
    long before = waitedUntil(nanos);
    long wait = rows.add();
    rows.set(wait, BEGAN, nanos);
    rows.set(wait, ENDED, OPEN);
    rows.set(wait, BEGIN_EVENT, event);
    rows.set(wait, END_EVENT, -1);
    rows.set(wait, PHRASE, phrase);
    rows.set(wait, WRID, wrid);
    rows.set(wait, REQUEST, request);
    rows.set(wait, BEFORE, before);
  }

  void finish(long nanos, long event) {
    long wait = open();
    if (wait >= 0) {
      rows.set(wait, ENDED, nanos);
      rows.set(wait, END_EVENT, event);
    }
  }

  void completed(long wrid) {
    long wait = open();
    if (wait >= 0 && wrid(wait) == wrid && wrid != 0) {
      rows.set(wait, CAME, 1);
    }
  }
}
