// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** Asynchronous events; see {@code ibv_get_async_event(3)}. */
public enum AsyncEventType {
  /** A completion queue overflowed. Fatal for every queue pair that uses it. */
  CQ_ERR,
  /** A queue pair failed and is in the error state. */
  QP_FATAL,
  /** The responder saw an invalid request. Fatal for the queue pair. */
  QP_REQ_ERR,
  /** The responder saw an access violation. Fatal for the queue pair. */
  QP_ACCESS_ERR,
  /** The first message arrived before the connection was established. */
  COMM_EST,
  PORT_ACTIVE,
  PORT_ERR,
  GID_CHANGE,
  /** The device failed. Fatal for everything on it. */
  DEVICE_FATAL
}
