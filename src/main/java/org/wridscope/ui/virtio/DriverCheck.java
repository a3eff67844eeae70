// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import org.jspecify.annotations.Nullable;

/**
 * What is known about the requests of the drivers at one end.
 *
 * @param sentence how many requests came back
 * @param predicted a sentence about the first request that, according to the check of rings and
 *     device, is lost, done twice or out of order; null if there is none
 * @param observed the same about the first one that a driver itself met
 */
record DriverCheck(String sentence, @Nullable String predicted, @Nullable String observed) {

  /** Whether no request is known to be lost, done twice or out of order. */
  boolean isSound() {
    return predicted == null && observed == null;
  }
}
