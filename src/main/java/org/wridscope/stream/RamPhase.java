// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

/** The part of the {@code ram} section whose HOOK starts the registration loop. */
public enum RamPhase {
  /** SECTION_START: the RAM blocks are exchanged. */
  SETUP(0),
  /** SECTION_PART: a round of pre-copy, while the guest runs. */
  ROUND(1),
  /** SECTION_END: the last round, after the guest was paused. */
  FINISH(3);

  private final int value;

  RamPhase(int value) {
    this.value = value;
  }

  /** The flags that QEMU passes to its hooks ({@code RAM_CONTROL_SETUP ...}) and traces. */
  public int value() {
    return value;
  }
}
