// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * What stands in guest memory cannot be a virtqueue as it should be. A device that finds this needs
 * a reset (virtio 1.2, 2.1.1); it must not follow what it found.
 */
final class RingException extends Exception {
  RingException(String message) {
    super(message);
  }
}
