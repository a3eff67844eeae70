// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.Locale;

/** A deliberate fault of a device; real devices have had each of them. */
public enum VirtioFault {
  NONE("every index and request is carried over"),

  /** As in vdpa/mlx5, whose reset cleared indices before they were read. */
  INDEX_CLEARED_BEFORE_READ("indices are cleared at reset, before they were read"),

  /** As in vdpa/mlx5, which did not restore the used index after a change of the memory map. */
  USED_INDEX_NOT_RESTORED("a device that is made again begins at used index 0"),

  /** As with network storage of which only the last available index is migrated. */
  IN_FLIGHT_FORGOTTEN("requests that were taken and not completed are forgotten"),

  /** As in vdpa/mlx5, whose reset once did not clear the indices. */
  INDEX_KEPT_AT_RESET("a driver's reset leaves the indices as they were"),

  /** As when {@code modify_virtqueue} to the state SUSPEND fails in vdpa/mlx5. */
  SUSPEND_FAILS("the firmware does not suspend a queue"),

  /** As when {@code query_virtqueue} fails in vdpa/mlx5. */
  QUERY_FAILS("the firmware does not tell the state of a suspended queue");

  private final String description;

  VirtioFault(String description) {
    this.description = description;
  }

  /** What the device does wrong, as a clause. */
  public String description() {
    return description;
  }

  /** The name for users, for example {@code used-index-not-restored}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
