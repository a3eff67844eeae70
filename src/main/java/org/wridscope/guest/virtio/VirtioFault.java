// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.Locale;

/** A mistake that a device makes on purpose, each one that real devices have made. */
public enum VirtioFault {
  NONE("every index and request is carried over"),

  /** As in vdpa/mlx5 when its reset cleared indices that were read only afterwards. */
  INDEX_CLEARED_BEFORE_READ("indices are cleared at reset, before they were read"),

  /** As in vdpa/mlx5 before it restored the used index after a change of the memory map. */
  USED_INDEX_NOT_RESTORED("a device that is made anew begins at used index 0"),

  /** As with a disk behind a network, of which only the last available index is carried over. */
  IN_FLIGHT_FORGOTTEN("requests that were taken and not completed are not taken up again"),

  /** As in vdpa/mlx5 before its reset cleared the indices at all. */
  INDEX_KEPT_AT_RESET("a driver's reset leaves the indices as they were");

  private final String description;

  VirtioFault(String description) {
    this.description = description;
  }

  /** What the device does, a clause. */
  public String description() {
    return description;
  }

  /** As users write it, for example {@code used-index-not-restored}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
