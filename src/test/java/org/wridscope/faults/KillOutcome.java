// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

/** How a run with a kill is judged. */
enum KillOutcome {
  /** The guest runs at the source, and nothing is left behind in its QEMU. */
  STAYED("runs at the source"),
  /** The guest runs at the destination, and nothing is left behind in either QEMU. */
  MOVED("runs at the destination"),
  /** The guest is kept paused at the source, which says that it cannot know more. */
  UNDECIDED("undecided"),
  /** All who were to be killed had ended before. */
  LATE("ended before"),
  TWO_GUESTS("two guests"),
  NO_GUEST("no guest"),
  /** Settings, descriptors or protections are left behind in a QEMU. */
  LEFTOVERS("left behind"),
  /** An end or a guard did not end. */
  HANGS("hangs"),
  /** The run itself failed. */
  ERROR("error");

  private final String text;

  KillOutcome(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  boolean isGood() {
    return ordinal() <= LATE.ordinal();
  }
}
