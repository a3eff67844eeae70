// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/**
 * An event of an established connection; see {@code rdma_get_cm_event(3)}.
 *
 * @param status a negative errno or a reason code of the transport, 0 when there is none
 */
public record ConnectionEvent(Type type, int status) {

  /** The events that end a connection. */
  public enum Type {
    /** The peer disconnected, or its process ended. */
    DISCONNECTED,
    /** The peer can no longer be reached. */
    UNREACHABLE,
    /** The device was removed from this machine. */
    DEVICE_REMOVAL,
    /** The queue pair left the time-wait state and its number may be used again. */
    TIMEWAIT_EXIT
  }
}
