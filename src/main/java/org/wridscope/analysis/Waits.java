// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.telemetry.SessionTelemetry;

/**
 * The waits of a session's engine in their order; only the newest are kept. Times are {@link
 * System#nanoTime()}. Not thread-safe.
 */
public final class Waits extends LongTable {
  /** The time of the end of a wait that has not ended. */
  public static final long OPEN = Long.MAX_VALUE;

  private static final int BEGAN = 0;
  private static final int ENDED = 1;
  private static final int BEGIN_EVENT = 2;
  private static final int END_EVENT = 3;
  private static final int PHRASE = 4;
  private static final int WRID = 5;
  private static final int REQUEST = 6;
  private static final int CAME = 7;

  /** Total nanoseconds of all earlier waits. */
  private static final int BEFORE = 8;

  private static final int COLUMNS = 9;

  Waits(long kept) {
    super(COLUMNS, kept);
  }

  public long beganNanos(long wait) {
    return get(wait, BEGAN);
  }

  /** When it ended, {@link #OPEN} until then. */
  public long endedNanos(long wait) {
    return get(wait, ENDED);
  }

  public boolean isOpen(long wait) {
    return endedNanos(wait) == OPEN;
  }

  /** The number of the event of its start. */
  public long beginEvent(long wait) {
    return get(wait, BEGIN_EVENT);
  }

  /** The number of the event of its end, or -1. */
  public long endEvent(long wait) {
    return get(wait, END_EVENT);
  }

  /** What it waits for, an index into {@link SessionTelemetry#waits()}. */
  public int phrase(long wait) {
    return (int) get(wait, PHRASE);
  }

  /** The wrid whose completion it waits for, 0 when it does not wait for a completion. */
  public long wrid(long wait) {
    return get(wait, WRID);
  }

  /** The request whose completion it waits for, or {@link WorkRequests#NONE}. */
  public long request(long wait) {
    return get(wait, REQUEST);
  }

  /** Whether a completion with its wrid was polled during the wait. */
  public boolean came(long wait) {
    return get(wait, CAME) != 0;
  }

  /** The first wait that ends at or after a moment. */
  public long indexOf(long nanos) {
    // Waits do not overlap, so their ends are in order too.
    return indexOf(ENDED, nanos);
  }

  /** The wait that an event started or ended, or -1. */
  public long ofEvent(long event) {
    long wait = indexOf(BEGIN_EVENT, event);
    if (has(wait) && beginEvent(wait) == event) {
      return wait;
    }
    return has(wait - 1) && endEvent(wait - 1) == event ? wait - 1 : -1;
  }

  /** Total nanoseconds waited up to a moment, from the oldest known wait on. */
  public long waitedUntil(long nanos) {
    long wait = indexOf(BEGAN, nanos) - 1;
    if (!has(wait)) {
      return 0;
    }
    return get(wait, BEFORE) + Math.max(0, Math.min(nanos, endedNanos(wait)) - beganNanos(wait));
  }

  /** The current wait, or -1. */
  public long open() {
    long last = end() - 1;
    return has(last) && isOpen(last) ? last : -1;
  }

  void begin(long nanos, long event, int phrase, long wrid, long request) {
    finish(nanos, -1);
    add(nanos, OPEN, event, -1, phrase, wrid, request, 0, waitedUntil(nanos));
  }

  void finish(long nanos, long event) {
    long wait = open();
    if (wait >= 0) {
      set(wait, ENDED, nanos);
      set(wait, END_EVENT, event);
    }
  }

  void completed(long wrid) {
    long wait = open();
    if (wait >= 0 && wrid(wait) == wrid && wrid != 0) {
      set(wait, CAME, 1);
    }
  }
}
