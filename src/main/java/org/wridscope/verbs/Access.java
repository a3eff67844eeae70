// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** Access to a memory region besides local reads; see {@code ibv_reg_mr(3)}. */
public enum Access {
  LOCAL_WRITE(1),
  REMOTE_WRITE(2),
  REMOTE_READ(4);

  private final int bit;

  Access(int bit) {
    this.bit = bit;
  }

  /** The bit in {@code enum ibv_access_flags}. */
  public int bit() {
    return bit;
  }
}
