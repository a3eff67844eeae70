// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** A mistake that a device makes on purpose, each one that real devices have made. */
public enum VirtioFault {
  /** None. */
  NONE,

  /** Indices are cleared by the reset that stops the device, before anybody has read them. */
  INDEX_CLEARED_BEFORE_READ,

  /** A device that is made anew goes on at the right available index, and at used index 0. */
  USED_INDEX_NOT_RESTORED,

  /** Requests that the device had taken and not completed are not taken up again. */
  IN_FLIGHT_FORGOTTEN,

  /** A driver's reset leaves the indices as they were. */
  INDEX_KEPT_AT_RESET
}
