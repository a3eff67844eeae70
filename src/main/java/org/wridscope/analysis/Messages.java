// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * The control messages that one session sent, or those that it received, in their order; the newest
 * are kept. Times are {@link System#nanoTime()}. Not thread-safe.
 */
public final class Messages {
  /** The type of a message whose completion came, but which nobody decoded. */
  public static final int UNKNOWN = -1;

  private static final int NANOS = 0;
  private static final int EVENT = 1;
  private static final int TYPE = 2;
  private static final int LENGTH = 3;
  private static final int REPEAT = 4;
  private static final int REQUEST = 5;
  private static final int COLUMNS = 6;

  /** Completions that may be polled before the first of their messages is decoded. */
  private static final int BATCH = 64;

  private final LongTable rows;

  Messages(long kept) {
    rows = new LongTable(COLUMNS, kept);
  }

  /** The number of the oldest message that is kept, counted from the first one of the session. */
  public long first() {
    return rows.first();
  }

  public long end() {
    return rows.end();
  }

  public boolean has(long message) {
    return rows.has(message);
  }

  /** When it was sent, or when its completion was polled. */
  public long nanos(long message) {
    return rows.get(message, NANOS);
  }

  /** The number of the event that told it. */
  public long event(long message) {
    return rows.get(message, EVENT);
  }

  /** Its type on the wire, {@link #UNKNOWN} when it was received and not decoded. */
  public int type(long message) {
    return (int) rows.get(message, TYPE);
  }

  /** Bytes of the payload. */
  public int length(long message) {
    return (int) rows.get(message, LENGTH);
  }

  /** How many entries the payload has. */
  public long repeat(long message) {
    return rows.get(message, REPEAT);
  }

  /** The SEND that carried it, or the receive that it came in; {@link WorkRequests#NONE}. */
  public long request(long message) {
    return rows.get(message, REQUEST);
  }

  /** The first message at a moment or later. */
  public long indexOf(long nanos) {
    return rows.indexOf(NANOS, nanos);
  }

  /** The message that an event told, or -1. */
  public long ofEvent(long event) {
    long message = rows.indexOf(EVENT, event);
    return rows.has(message) && event(message) == event ? message : -1;
  }

  long add(long nanos, long event, int type, int length, long repeat, long request) {
    long message = rows.add();
    rows.set(message, NANOS, nanos);
    rows.set(message, EVENT, event);
    rows.set(message, TYPE, type);
    rows.set(message, LENGTH, length);
    rows.set(message, REPEAT, repeat);
    rows.set(message, REQUEST, request);
    return message;
  }

  /** Notes that a receive has completed; what came in it is told later, or never. */
  void arrived(long nanos, long event, long request) {
    add(nanos, event, UNKNOWN, 0, 0, request);
  }

  /**
   * Notes what a message was: of the oldest one that came in this request, or in any when it is not
   * told; a message of its own when no completion was told.
   *
   * @param request {@link WorkRequests#NONE} when not told
   */
  void decoded(long nanos, long event, int type, int length, long repeat, long request) {
    for (long message = Math.max(rows.first(), rows.end() - BATCH);
        message < rows.end();
        message++) {
      if (type(message) == UNKNOWN
          && (request == WorkRequests.NONE || request(message) == request)) {
        rows.set(message, EVENT, event);
        rows.set(message, TYPE, type);
        rows.set(message, LENGTH, length);
        rows.set(message, REPEAT, repeat);
        return;
      }
    }
    add(nanos, event, type, length, repeat, request);
  }
}
