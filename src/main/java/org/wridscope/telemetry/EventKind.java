// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** What an {@link Event} tells. The meaning of its fields depends on this. */
public enum EventKind {
  /** A SEND was posted. Length: bytes of the message. Detail: type of the control message. */
  POST_SEND,
  /** An RDMA WRITE was posted. Detail: 1 when signaled. Length: bytes. Argument: remote address. */
  POST_WRITE,
  /** A receive was posted. Length: bytes offered. */
  POST_RECEIVE,
  /** A completion was taken from the send queue's completion queue. Detail: its status. */
  COMPLETION_SEND_QUEUE,
  /** A completion was taken from the receive queue's completion queue. Detail: its status. */
  COMPLETION_RECEIVE_QUEUE,
  /** A control message was handed to the send queue. Detail: its type. Length: payload bytes. */
  CONTROL_SENT,
  /** A control message arrived. Detail: its type. Length: payload bytes. Argument: repeat. */
  CONTROL_RECEIVED,
  /** Memory was registered. Wrid: block and first chunk. Length: chunks. Argument: key. */
  REGISTERED,
  /** Memory was deregistered. Wrid: block and first chunk. Length: chunks. Argument: key. */
  DEREGISTERED,
  /**
   * A run of zero RAM was told. Detail: the page of the chunk at which it begins. Wrid: block and
   * first chunk. Argument: bytes.
   */
  ZERO,
  /** A round begins. Detail: its number. Argument: dirty bytes. */
  ROUND_BEGIN,
  /** A round ended. Detail: its number. Argument: bytes dealt with. */
  ROUND_END,
  /** The status changed. Detail: ordinal of the {@link MigrationStatus}. */
  STATUS,
  /** The guest was paused. */
  GUEST_PAUSED,
  /** The guest was resumed. */
  GUEST_RESUMED,
  /** A connection event. Detail: ordinal of its type. */
  CONNECTION,
  /** An asynchronous event of the device. Detail: ordinal of its type. */
  ASYNC,
  /**
   * The engine begins to wait. Detail: what for, an index into {@link SessionTelemetry#waits()}.
   * Wrid: the request whose completion it waits for, or 0.
   */
  WAIT_BEGIN,
  /** The wait that began last is over. Detail: what it was for. Argument: nanoseconds waited. */
  WAIT_END,
  /**
   * A wait threw a completion away which it did not wait for. Detail: what it waits for. Wrid: of
   * the completion.
   */
  COMPLETION_DROPPED;

  private static final EventKind[] VALUES = values();

  /** The kind with this ordinal, without a copy of the array of values. */
  public static EventKind of(int ordinal) {
    return VALUES[ordinal];
  }
}
