// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEventType;

/** Where a session finds the asynchronous events that another thread brought. */
final class AsyncEventInbox implements AsyncEventHandler {

  /** An event that happened. */
  record Happened(AsyncEventType type, int queuePairNumber) {

    /**
     * What is to be said about an event that ends the session; null when it goes on.
     *
     * @param failed whether the session's queue pair is in the error state
     * @param device its name
     */
    @Nullable String failure(boolean failed, String device) {
      return switch (type) {
        case QP_FATAL ->
            "The RDMA device %s reported a fatal error of this side's queue pair %d (QP_FATAL); look for its errors in the kernel's log and migrate again."
                .formatted(device, queuePairNumber);
        case QP_REQ_ERR ->
            "The RDMA device %s refused a request of the peer as invalid, which ended queue pair %d (QP_REQ_ERR); see what the other side reports."
                .formatted(device, queuePairNumber);
        case QP_ACCESS_ERR ->
            "The peer reached for memory that is not open to it, which ended queue pair %d of the RDMA device %s (QP_ACCESS_ERR); see what the other side reports."
                .formatted(queuePairNumber, device);
        case CQ_ERR ->
            failed
                ? "A completion queue of the RDMA device %s overflowed (CQ_ERR), and completions are lost; migrate again."
                    .formatted(device)
                : null;
        case DEVICE_FATAL ->
            "The RDMA device %s failed (DEVICE_FATAL); choose another one, or restart it."
                .formatted(device);
        case COMM_EST, PORT_ACTIVE, PORT_ERR, GID_CHANGE -> null;
      };
    }
  }

  private final Queue<Happened> events = new ConcurrentLinkedQueue<>();

  @Override
  public void happened(AsyncEventType type, int queuePairNumber) {
    events.add(new Happened(type, queuePairNumber));
  }

  /** The oldest event that was not taken, null when there is none. */
  @Nullable Happened poll() {
    return events.poll();
  }
}
