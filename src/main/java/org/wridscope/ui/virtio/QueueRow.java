// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import org.wridscope.guest.virtio.QueueSnapshot;

/**
 * A queue at one end at one moment.
 *
 * @param moment names the end and the moment, a phrase
 */
record QueueRow(String moment, QueueSnapshot queue) {

  Contradiction contradiction() {
    return Contradiction.of(queue);
  }
}
