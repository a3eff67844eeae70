// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

/** How a run with a kill is judged. */
enum KillOutcome {
  /** The guest runs at the source, and nothing is left behind in its QEMU. */
  STAYED,
  /** The guest runs at the destination, and nothing is left behind in either QEMU. */
  MOVED,
  /** The guest is kept paused at the source, which says that it cannot know more. */
  UNDECIDED,
  /** All who were to be killed had ended before. */
  LATE,
  TWO_GUESTS,
  NO_GUEST,
  /** Settings, descriptors or protections are left behind in a QEMU. */
  LEFTOVERS,
  /** An end or a guard did not end. */
  HANGS,
  /** The run itself failed. */
  ERROR;

  boolean isGood() {
    return ordinal() <= LATE.ordinal();
  }
}
