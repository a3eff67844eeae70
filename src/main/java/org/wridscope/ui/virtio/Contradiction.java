// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import org.wridscope.guest.virtio.QueueSnapshot;

/** A contradiction between the driver, the rings and the device of a queue, if any. */
enum Contradiction {
  NONE,
  BEHIND,
  USED,
  IN_FLIGHT,
  LENGTH;

  static Contradiction of(QueueSnapshot queue) {
    if (queue.returned() > queue.size()) {
      return BEHIND;
    }
    if (queue.deviceUsed() != queue.usedIndex()) {
      return USED;
    }
    if (queue.taken() != queue.inFlight().size()) {
      return IN_FLIGHT;
    }
    return queue.returned() + queue.taken() + queue.waiting() > queue.size() ? LENGTH : NONE;
  }

  /** A sentence about it; empty for none. */
  String sentence(QueueSnapshot queue) {
    return switch (this) {
      case NONE -> "";
      case BEHIND ->
          "The used index in the ring is %d, but the driver has already read up to %d."
              .formatted(queue.usedIndex(), queue.lastUsed());
      case USED ->
          ("The used index in the ring is %d, but the device would write its next completion at"
                  + " %d.")
              .formatted(queue.usedIndex(), queue.deviceUsed());
      case IN_FLIGHT ->
          "%d requests were taken and not completed, but the device knows of %d."
              .formatted(queue.taken(), queue.inFlight().size());
      case LENGTH ->
          ("From last used index %d to available index %d there are more entries than the ring"
                  + " has, %d.")
              .formatted(queue.lastUsed(), queue.availIndex(), queue.size());
    };
  }
}
