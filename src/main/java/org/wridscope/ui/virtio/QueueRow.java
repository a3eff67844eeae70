// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import org.wridscope.guest.virtio.QueueSnapshot;

/**
 * A queue at one end and one moment.
 *
 * @param moment which end and when, a phrase
 */
record QueueRow(String moment, QueueSnapshot queue) {

  Contradiction contradiction() {
    return Contradiction.of(queue);
  }
}
