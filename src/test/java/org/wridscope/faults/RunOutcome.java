// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.MigrationStatus;

/** How a run is judged. */
enum RunOutcome {
  /** One guest, or none because the process that had it was killed. */
  ONE_GUEST,
  /** The source cannot find out, reports that, and keeps its guest paused. */
  UNDECIDED,
  /** The migration ended without the message. */
  NOT_REACHED,
  TWO_GUESTS,
  NO_GUEST,
  RAM_DIFFERS,
  /** An end did not end within {@link Run#PATIENCE_SECONDS}. */
  HANGS,
  /** The run itself failed. */
  ERROR;

  boolean isGood() {
    return this == ONE_GUEST || this == UNDECIDED || this == NOT_REACHED;
  }

  /**
   * Judges a run.
   *
   * @param source null when its process was killed
   * @param destination null when its process was killed
   * @param told whether the source may have told the destination to start the guest
   * @param confirmed whether the destination may have told the source that it started the guest
   */
  static RunOutcome of(
      @Nullable End source, @Nullable End destination, boolean told, boolean confirmed) {
    if (differs(source) || differs(destination)) {
      return RAM_DIFFERS;
    }
    boolean here = source != null && source.running();
    boolean there = destination != null && destination.running();
    if (there && (here || !told)) {
      return TWO_GUESTS;
    }
    if (source != null && source.status() == MigrationStatus.UNDECIDED) {
      return here ? TWO_GUESTS : UNDECIDED;
    }
    boolean completed = source != null && source.status() == MigrationStatus.COMPLETED;
    if (here) {
      return completed ? TWO_GUESTS : ONE_GUEST;
    }
    if (there) {
      return completed || source == null ? ONE_GUEST : TWO_GUESTS;
    }
    // Neither runs: the guest must have been in the process that was killed.
    boolean lost =
        destination == null
            ? !completed || !confirmed
            : source != null || destination.status() == MigrationStatus.COMPLETED;
    return lost ? NO_GUEST : ONE_GUEST;
  }

  private static boolean differs(@Nullable End end) {
    return end != null && end.ram() == End.Ram.DIFFERENT;
  }
}
