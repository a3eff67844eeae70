// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import org.wridscope.guest.virtio.QueueSnapshot;

/**
 * A queue at one end and one moment.
 *
 * @param moment which end and when, a phrase
 * @param contradiction what driver, ring and device disagree on, one sentence; empty when nothing
 */
record QueueRow(String moment, QueueSnapshot queue, String contradiction) {

  static QueueRow of(String moment, QueueSnapshot queue) {
    return new QueueRow(moment, queue, contradiction(queue));
  }

  private static String contradiction(QueueSnapshot queue) {
    if (queue.deviceUsed() != queue.usedIndex()) {
      return "The ring stands at used index %d, but the device would write its next completion at %d."
          .formatted(queue.usedIndex(), queue.deviceUsed());
    }
    if (queue.taken() != queue.inFlight().size()) {
      return "%d requests were taken and are not completed, but the device knows of %d."
          .formatted(queue.taken(), queue.inFlight().size());
    }
    if (queue.returned() + queue.taken() + queue.waiting() > queue.size()) {
      return "From last used index %d to available index %d there are more than the queue's %d entries."
          .formatted(queue.lastUsed(), queue.availIndex(), queue.size());
    }
    return "";
  }
}
