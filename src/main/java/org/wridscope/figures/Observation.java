// SPDX-License-Identifier: Apache-2.0
package org.wridscope.figures;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** How it is known what an end of a migration does; it decides which figures can be known. */
public enum Observation {
  /** Wridscope's own engine counts. */
  ENGINE("Wridscope's engine"),
  /** QEMU's own engine migrates, and only its answers to {@code query-migrate} are read. */
  QMP("QEMU's answers"),
  /** Trace events in QEMU's log. */
  LOG("QEMU's trace log"),
  /** Captured packets. */
  PACKETS("captured packets"),
  /** Work requests of a program that does not migrate. */
  PROGRAM("an attached program");

  /** All that observe a migration. */
  static final Set<Observation> OF_MIGRATIONS =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(PROGRAM)));

  private final String text;

  Observation(String text) {
    this.text = text;
  }

  /** A few words. */
  public String text() {
    return text;
  }
}
