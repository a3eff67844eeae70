// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

/** The part of the {@code ram} section whose HOOK starts the registration loop. */
public enum RamPhase {
  /** SECTION_START: the RAM blocks are exchanged. */
  SETUP,
  /** SECTION_PART: a round of pre-copy, while the guest runs. */
  ROUND,
  /** SECTION_END: the last round, after the guest was paused. */
  FINISH
}
