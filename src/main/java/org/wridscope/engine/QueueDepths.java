// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.RdmaDevice;

/**
 * How many requests the queues of an endpoint hold: as many as do good, or as the device grants.
 *
 * @param sends on the send queue, at least {@value #MIN_SENDS}
 * @param receives on the receive queue, at least {@value #MIN_RECEIVES}; each is of a control
 *     message
 */
record QueueDepths(int sends, int receives) {
  /** As QEMU has them ({@code RDMA_SIGNALED_SEND_MAX}). */
  static final int MOST_SENDS = 512;

  /** Control messages that may arrive before the first of them was dealt with. */
  static final int MOST_RECEIVES = 4;

  /** Control messages that may be on their way out. */
  static final int MOST_MESSAGES = 4;

  /**
   * One control message that is being filled while it waits for a READY, one for the heartbeat that
   * must go out meanwhile, and an RDMA WRITE.
   */
  static final int MIN_SENDS = 3;

  /** A destination answers and says READY at once, and a QEMU does not try again. */
  static final int MIN_RECEIVES = 2;

  /**
   * What a device grants.
   *
   * @param shared whether both queues complete in one completion queue, which must hold all of both
   * @throws MigrationException when that is too little
   */
  static QueueDepths on(RdmaDevice device, boolean shared) throws MigrationException {
    DeviceCapabilities limits = device.capabilities();
    int requests = limits.maxQueuePairWorkRequests();
    int entries = limits.maxCompletionQueueEntries();
    require(device, requests, MIN_SENDS, "work requests in a queue (max_qp_wr)");
    require(
        device,
        entries,
        shared ? MIN_SENDS + MIN_RECEIVES : MIN_SENDS,
        "entries in a completion queue (max_cqe)");
    int receives = Math.min(MOST_RECEIVES, Math.min(requests, shared ? entries / 2 : entries));
    int left = shared ? entries - receives : entries;
    return new QueueDepths(Math.min(MOST_SENDS, Math.min(requests, left)), receives);
  }

  private static void require(RdmaDevice device, int granted, int needed, String what)
      throws MigrationException {
    if (granted < needed) {
      throw new MigrationException(
          "The device %s grants %d %s, and a migration needs %d; use another device."
              .formatted(device.name(), granted, what, needed));
    }
  }

  /**
   * Control messages that may be on their way out: half of a small send queue, so that writes have
   * the other half.
   */
  int messages() {
    return Math.clamp(sends / 2, MIN_SENDS - 1, MOST_MESSAGES);
  }

  /** RDMA WRITEs that may be on their way out. */
  int writes() {
    return sends - messages();
  }

  /** Entries of the completion queue of the sends, which may be that of the receives as well. */
  int completions(boolean shared) {
    return shared ? sends + receives : sends;
  }
}
