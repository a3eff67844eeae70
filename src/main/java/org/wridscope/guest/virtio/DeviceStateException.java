// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * The state of a device is not known, because its firmware refused to suspend or to query a queue.
 * The message is a clause that names the queue.
 */
public final class DeviceStateException extends Exception {
  DeviceStateException(String message) {
    super(message);
  }
}
