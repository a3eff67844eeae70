// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** Feature bits that our devices offer (virtio 1.2, 5.2.3 and 6). */
final class Feature {
  /** The disk is read-only, so both ends of a migration have the same. */
  static final long BLK_RO = 1L << 5;

  static final long VERSION_1 = 1L << 32;

  /** The device uses addresses that the platform has mapped for it. */
  static final long ACCESS_PLATFORM = 1L << 33;

  /** Buffers are used in the order in which they were made available. */
  static final long IN_ORDER = 1L << 35;

  private Feature() {}
}
