// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;
import java.util.Locale;

/**
 * Which state of a queue is read from a device that is stopped, and given to the one that continues
 * in its place: the possibilities that were weighed for vdpa/mlx5. {@code docs/scenarios.md} says
 * which of them are harmless for which devices.
 */
public enum VirtioPolicy {
  /** As QEMU does for its own devices. */
  WHOLE_STATE("both indices of the device and its requests in flight are carried over"),

  /** As vhost's GET_VRING_BASE and SET_VRING_BASE: a queue has one index. */
  LAST_AVAILABLE_INDEX(
      "only the last available index is carried over, and the used index is read from the ring"),

  /** As a driver may that does not know the hardware's used index. */
  USED_INDEX_FROM_RING("the used index is read from the ring, and all else is carried over"),

  /** As QEMU's {@code vhost_virtqueue_stop} when GET_VRING_BASE fails. */
  USED_INDEX_AS_BASE("the device's used index is carried over, and is the last available, too"),

  /** As hardware that reads the available index from memory whenever it begins. */
  AVAILABLE_INDEX_FROM_RING(
      "the last available index is read from the ring, and all else is carried over");

  private final String description;

  VirtioPolicy(String description) {
    this.description = description;
  }

  /** What is done, as a clause. */
  public String description() {
    return description;
  }

  /** The name for users, for example {@code used-index-as-base}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The state that is carried over.
   *
   * @param known the whole state of the queue, in a device that is suspended
   */
  QueueState of(QueueState known, GuestMemory memory) throws RingException {
    if (!known.ready()) {
      return known;
    }
    Vring vring = known.vring();
    return switch (this) {
      case WHOLE_STATE -> known;
      case LAST_AVAILABLE_INDEX ->
          new QueueState(vring, known.lastAvail(), vring.usedIndex(memory), List.of());
      case USED_INDEX_FROM_RING ->
          new QueueState(vring, known.lastAvail(), vring.usedIndex(memory), known.inFlight());
      case USED_INDEX_AS_BASE -> new QueueState(vring, known.used(), known.used(), List.of());
      case AVAILABLE_INDEX_FROM_RING ->
          new QueueState(vring, vring.availIndex(memory), known.used(), known.inFlight());
    };
  }
}
