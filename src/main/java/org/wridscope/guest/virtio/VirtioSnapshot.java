// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;
import java.util.Optional;

/**
 * The devices of a guest at a moment.
 *
 * @param running whether they run; otherwise they are stopped or do not exist
 * @param queues of the block device, then of the network device; empty before they were set up
 * @param begun the queues when the devices first started here, after boot or load; empty before
 * @param mapChanges changes of the memory map since the guest was booted
 * @param resets by drivers since the guest was booted
 * @param predicted the first request that, according to a check of rings and device, is not
 *     completed exactly once and in order
 * @param observed the first such request that a driver itself met, after which drivers and devices
 *     do nothing more
 */
public record VirtioSnapshot(
    boolean running,
    List<QueueSnapshot> queues,
    List<QueueSnapshot> begun,
    long mapChanges,
    long resets,
    Optional<RequestFailure> predicted,
    Optional<RequestFailure> observed) {

  /** Before anything was set up. */
  static final VirtioSnapshot NOTHING =
      new VirtioSnapshot(false, List.of(), List.of(), 0, 0, Optional.empty(), Optional.empty());

  public VirtioSnapshot {
    queues = List.copyOf(queues);
    begun = List.copyOf(begun);
  }
}
