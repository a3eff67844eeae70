// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.ControlType;

/**
 * The control messages that one session sent, or received, in their order; only the newest are
 * kept. Times are {@link System#nanoTime()}. Not thread-safe.
 */
public final class Messages extends LongTable {
  /** The type of a message that arrived but was not decoded. */
  public static final int UNKNOWN = -1;

  private static final int NANOS = 0;
  private static final int EVENT = 1;
  private static final int TYPE = 2;
  private static final int LENGTH = 3;
  private static final int REPEAT = 4;
  private static final int REQUEST = 5;
  private static final int COLUMNS = 6;

  /** How many completions may be polled before the first of their messages is decoded. */
  private static final int BATCH = 64;

  private long heartbeats;

  Messages(long kept) {
    super(COLUMNS, kept);
  }

  /** When it was sent, or when its completion was polled. */
  public long nanos(long message) {
    return get(message, NANOS);
  }

  /** The number of its event. */
  public long event(long message) {
    return get(message, EVENT);
  }

  /** Its type on the wire, {@link #UNKNOWN} when it was not decoded. */
  public int type(long message) {
    return (int) get(message, TYPE);
  }

  /** Length of the payload in bytes. */
  public int length(long message) {
    return (int) get(message, LENGTH);
  }

  /** How many of all so far were heartbeats. */
  public long heartbeats() {
    return heartbeats;
  }

  private void count(int type) {
    if (type == ControlType.HEARTBEAT.value()) {
      heartbeats++;
    }
  }

  /** Number of entries in the payload. */
  public long repeat(long message) {
    return get(message, REPEAT);
  }

  /** The SEND that carried it, or the receive that took it, or {@link WorkRequests#NONE}. */
  public long request(long message) {
    return get(message, REQUEST);
  }

  /** The first message at or after a moment. */
  public long indexOf(long nanos) {
    return indexOf(NANOS, nanos);
  }

  /** The message of an event, or -1. */
  public long ofEvent(long event) {
    return rowOf(EVENT, event);
  }

  /** Records a sent message. */
  void sent(long nanos, long event, int type, int length, long repeat, long request) {
    count(type);
    add(nanos, event, type, length, repeat, request);
  }

  /** Records that a receive completed; its message is decoded later, or never. */
  void arrived(long nanos, long event, long request) {
    add(nanos, event, UNKNOWN, 0, 0, request);
  }

  /**
   * Records a decoded message: the oldest undecoded one that arrived in this receive, or in any if
   * the receive is not known. If there is none, adds a message.
   *
   * @param request the receive, or {@link WorkRequests#NONE}
   */
  void decoded(long nanos, long event, int type, int length, long repeat, long request) {
    count(type);
    for (long message = Math.max(first(), end() - BATCH); message < end(); message++) {
      if (type(message) == UNKNOWN
          && (request == WorkRequests.NONE || request(message) == request)) {
        set(message, EVENT, event);
        set(message, TYPE, type);
        set(message, LENGTH, length);
        set(message, REPEAT, repeat);
        return;
      }
    }
    add(nanos, event, type, length, repeat, request);
  }
}
