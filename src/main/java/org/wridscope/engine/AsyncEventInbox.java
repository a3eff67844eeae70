// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEventType;

/** Passes asynchronous events from the thread that reads them to a session. */
final class AsyncEventInbox implements AsyncEventHandler {

  /** An asynchronous event. */
  record Happened(AsyncEventType type, int queuePairNumber) {

    /**
     * A sentence about an event that ends the session; null if the session can continue.
     *
     * @param failed whether the session's queue pair is in the error state
     * @param device name of the device
     */
    @Nullable String failure(boolean failed, String device) {
      return switch (type) {
        case QP_FATAL ->
            (failed
                    ? "The RDMA device %s reported a fatal error of queue pair %d (QP_FATAL); check"
                        + " the kernel log for errors of the device, and migrate again."
                    : "The RDMA device %s reported a fatal error of queue pair %d (QP_FATAL), which"
                        + " is not in the error state: it may be an event of a former queue pair"
                        + " with this number; check for a newer driver, and migrate again.")
                .formatted(device, queuePairNumber);
        case QP_REQ_ERR ->
            "The RDMA device %s rejected an invalid request from the peer, which ended queue pair %d (QP_REQ_ERR); see what the other side reports."
                .formatted(device, queuePairNumber);
        case QP_ACCESS_ERR ->
            "The peer accessed memory that it has no right to, which ended queue pair %d of the RDMA device %s (QP_ACCESS_ERR); see what the other side reports."
                .formatted(queuePairNumber, device);
        case CQ_ERR ->
            failed
                ? "A completion queue of the RDMA device %s overflowed (CQ_ERR), and completions were lost; migrate again."
                    .formatted(device)
                : null;
        case DEVICE_FATAL ->
            "The RDMA device %s failed (DEVICE_FATAL); use another device, or restart this one."
                .formatted(device);
        case COMM_EST,
            SQ_DRAINED,
            PATH_MIG,
            PATH_MIG_ERR,
            PORT_ACTIVE,
            PORT_ERR,
            LID_CHANGE,
            PKEY_CHANGE,
            SM_CHANGE,
            SRQ_ERR,
            SRQ_LIMIT_REACHED,
            QP_LAST_WQE_REACHED,
            CLIENT_REREGISTER,
            GID_CHANGE,
            WQ_FATAL,
            DEVICE_SPEED_CHANGE ->
            null;
      };
    }
  }

  private final Queue<Happened> events = new ConcurrentLinkedQueue<>();

  @Override
  public void happened(AsyncEventType type, int queuePairNumber) {
    events.add(new Happened(type, queuePairNumber));
  }

  /** Takes the oldest event; null if there is none. */
  @Nullable Happened poll() {
    return events.poll();
  }
}
