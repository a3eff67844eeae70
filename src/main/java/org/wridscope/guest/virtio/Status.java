// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** Bits of the device status field (virtio 1.2, 2.1). */
final class Status {
  static final int ACKNOWLEDGE = 1;
  static final int DRIVER = 2;
  static final int DRIVER_OK = 4;
  static final int FEATURES_OK = 8;
  static final int NEEDS_RESET = 64;

  /** After the driver has set up the device. */
  static final int RUNNING = ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK;

  /** Whether a driver that sets up a device sets these bits, one after the other. */
  static boolean isReached(int status) {
    return switch (status) {
      case 0, ACKNOWLEDGE, ACKNOWLEDGE | DRIVER, RUNNING & ~DRIVER_OK, RUNNING -> true;
      default -> status == (RUNNING | NEEDS_RESET);
    };
  }

  private Status() {}
}
