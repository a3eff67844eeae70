// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * A virtqueue in guest memory is not valid. A device that notices this needs a reset (virtio 1.2,
 * 2.1.1) and must not use the queue any more.
 */
final class RingException extends Exception {
  RingException(String message) {
    super(message);
  }
}
