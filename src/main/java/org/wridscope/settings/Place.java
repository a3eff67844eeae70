// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

/** Where a setting can be given. */
public enum Place {
  /** A source of this program. */
  SOURCE,
  /** A destination of this program. */
  DESTINATION,
  /** Both ends in one process. */
  LAB,
  /** A scenario file. */
  SCENARIO,
  /** Random scenarios. */
  SEARCH,
  /** A source that takes the guest of a running QEMU. */
  LIFT,
  /** A destination that fills a QEMU. */
  LAND,
  /** A migration by QEMU's own engine. */
  QEMU,
  /** A migration by libvirt. */
  LIBVIRT
}
