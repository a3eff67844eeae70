// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The asynchronous events of {@code enum ibv_event_type} in rdma-core's {@code verbs.h}, in its
 * order; see {@code ibv_get_async_event(3)} and IBTA 11.6.3. {@code docs/asynchronous-events.md}
 * says what the program does about each.
 */
public enum AsyncEventType {
  CQ_ERR(Subject.COMPLETION_QUEUE, Consequence.FATAL),
  QP_FATAL(Subject.QUEUE_PAIR, Consequence.FATAL),
  QP_REQ_ERR(Subject.QUEUE_PAIR, Consequence.FATAL),
  QP_ACCESS_ERR(Subject.QUEUE_PAIR, Consequence.FATAL),
  COMM_EST(Subject.QUEUE_PAIR, Consequence.NONE),
  SQ_DRAINED(Subject.QUEUE_PAIR, Consequence.NONE),
  PATH_MIG(Subject.QUEUE_PAIR, Consequence.NONE),
  PATH_MIG_ERR(Subject.QUEUE_PAIR, Consequence.WARNING),
  DEVICE_FATAL(Subject.DEVICE, Consequence.FATAL),
  PORT_ACTIVE(Subject.PORT, Consequence.NONE),
  PORT_ERR(Subject.PORT, Consequence.WARNING),
  LID_CHANGE(Subject.PORT, Consequence.WARNING),
  PKEY_CHANGE(Subject.PORT, Consequence.WARNING),
  SM_CHANGE(Subject.PORT, Consequence.NONE),
  SRQ_ERR(Subject.SHARED_RECEIVE_QUEUE, Consequence.WARNING),
  SRQ_LIMIT_REACHED(Subject.SHARED_RECEIVE_QUEUE, Consequence.NONE),
  QP_LAST_WQE_REACHED(Subject.QUEUE_PAIR, Consequence.NONE),
  CLIENT_REREGISTER(Subject.PORT, Consequence.NONE),
  GID_CHANGE(Subject.PORT, Consequence.WARNING),
  WQ_FATAL(Subject.WORK_QUEUE, Consequence.WARNING),
  DEVICE_SPEED_CHANGE(Subject.DEVICE, Consequence.NONE);

  private static final AsyncEventType[] VALUES = values();

  /** What an event names: the member of the event's {@code element}. */
  public enum Subject {
    COMPLETION_QUEUE,
    QUEUE_PAIR,
    SHARED_RECEIVE_QUEUE,
    WORK_QUEUE,
    PORT,
    DEVICE
  }

  /** What an event means for a session that uses its subject. */
  public enum Consequence {
    /** Nothing; it is recorded. */
    NONE,
    /** The session continues, and may fail soon; it is recorded as a failure. */
    WARNING,
    /** What the event names is unusable, and the session ends. */
    FATAL
  }

  private final Subject subject;
  private final Consequence consequence;

  AsyncEventType(Subject subject, Consequence consequence) {
    this.subject = subject;
    this.consequence = consequence;
  }

  public Subject subject() {
    return subject;
  }

  public Consequence consequence() {
    return consequence;
  }

  /** The value in {@code enum ibv_event_type}. */
  public int value() {
    return ordinal();
  }

  /** The type with a value of {@code enum ibv_event_type}; null if it is unknown. */
  public static @Nullable AsyncEventType of(int value) {
    return value >= 0 && value < VALUES.length ? VALUES[value] : null;
  }
}
