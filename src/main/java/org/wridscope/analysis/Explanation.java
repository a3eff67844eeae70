// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * What happened, and why, in words.
 *
 * @param headline one sentence
 * @param summary what follows from it, some sentences; may be empty
 * @param steps in the order of time
 * @param remedy what to do about it, a sentence or two; may be empty
 */
public record Explanation(
    State state, String headline, String summary, List<Step> steps, String remedy) {

  /** How it stands. */
  public enum State {
    /** Nothing has happened. */
    IDLE,
    /** It goes on, and nobody waits for long. */
    RUNNING,
    /** Somebody waits for long. */
    WAITING,
    /** Somebody waits for what never comes. */
    STUCK,
    /** It completed, and nothing is known to be wrong. */
    COMPLETED,
    /** It completed, and something is wrong or could not be checked that should have been. */
    UNSOUND,
    /** It was cancelled. */
    CANCELLED,
    /** Nobody knows which end has the guest. */
    UNDECIDED,
    /** It failed. */
    FAILED;

    /** What the status of a migration alone says. */
    public static State of(MigrationStatus status) {
      return switch (status) {
        case NONE -> IDLE;
        case SETUP, ACTIVE, DEVICE, CANCELLING -> RUNNING;
        case COMPLETED -> COMPLETED;
        case CANCELLED -> CANCELLED;
        case UNDECIDED -> UNDECIDED;
        case FAILED -> FAILED;
      };
    }
  }

  /**
   * One step.
   *
   * @param role who did it
   * @param event the number of the event that proves it, in the log of {@code role}; -1 for a
   *     conclusion
   * @param isKey whether it is the one that all depends on
   */
  public record Step(Role role, long nanos, long event, String text, boolean isKey) {}

  /** The first of the steps that all depends on, null when there is none. */
  public @Nullable Step key() {
    return steps.stream().filter(Step::isKey).findFirst().orElse(null);
  }
}
