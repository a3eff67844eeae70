// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.verbs.RdmaDevice;

/**
 * The depths of an endpoint's queues: as many requests as are of use, or as the device supports.
 *
 * @param sends on the send queue, at least {@value #MIN_SENDS}
 * @param receives on the receive queue, at least {@value #MIN_RECEIVES}, one for each control
 *     message
 */
record QueueDepths(int sends, int receives) {
  /** As in QEMU ({@code RDMA_SIGNALED_SEND_MAX}). */
  static final int MOST_SENDS = 512;

  /** Control messages that may arrive before the first of them has been handled. */
  static final int MOST_RECEIVES = 4;

  /** Control messages whose SENDs may be outstanding. */
  static final int MOST_MESSAGES = 4;

  /**
   * A control message that waits for READY, a heartbeat that must be sent meanwhile, and an RDMA
   * WRITE.
   */
  static final int MIN_SENDS = 3;

  /** A destination sends an answer and READY together, and QEMU does not retry a SEND. */
  static final int MIN_RECEIVES = 2;

  /**
   * The queue depths on a device, with a completion queue for each of both queues.
   *
   * @throws MigrationException if the device does not support enough
   */
  static QueueDepths on(RdmaDevice device) throws MigrationException {
    requireEntries(device, MIN_SENDS);
    int entries = device.capabilities().maxCompletionQueueEntries();
    return within(device, entries, entries);
  }

  /**
   * The queue depths on a device.
   *
   * @param sendEntries entries of a completion queue for sends, at least {@value #MIN_SENDS}
   * @param receiveEntries entries for receives, at least {@value #MIN_RECEIVES}
   * @throws MigrationException if the device does not support enough work requests
   */
  static QueueDepths within(RdmaDevice device, int sendEntries, int receiveEntries)
      throws MigrationException {
    int requests = device.capabilities().maxQueuePairWorkRequests();
    require(device, requests, MIN_SENDS, "work requests in a queue (max_qp_wr)");
    return new QueueDepths(
        Math.min(MOST_SENDS, Math.min(requests, sendEntries)),
        Math.min(MOST_RECEIVES, Math.min(requests, receiveEntries)));
  }

  static void requireEntries(RdmaDevice device, int needed) throws MigrationException {
    int entries = device.capabilities().maxCompletionQueueEntries();
    require(device, entries, needed, "entries in a completion queue (max_cqe)");
  }

  private static void require(RdmaDevice device, int granted, int needed, String what)
      throws MigrationException {
    if (granted < needed) {
      throw new MigrationException(
          "The device %s supports %d %s, but a migration needs %d; use another device."
              .formatted(device.name(), granted, what, needed));
    }
  }

  /**
   * Most control messages whose SENDs may be outstanding: half of a small send queue, which leaves
   * the other half to RDMA WRITEs.
   */
  int messages() {
    return Math.clamp(sends / 2, MIN_SENDS - 1, MOST_MESSAGES);
  }

  /** Most RDMA WRITEs that may be outstanding. */
  int writes() {
    return sends - messages();
  }
}
