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

  /** The state of a migration. */
  public enum State {
    /** Nothing has happened. */
    IDLE,
    /** It is running, and no end has been waiting for long. */
    RUNNING,
    /** An end has been waiting for long. */
    WAITING,
    /** An end waits for something that will never arrive. */
    STUCK,
    /** It completed, and nothing is known to be wrong. */
    COMPLETED,
    /** It completed, but something is wrong, or a check that was asked for could not be made. */
    UNSOUND,
    /** It was cancelled. */
    CANCELLED,
    /** It is not known which end has the guest. */
    UNDECIDED,
    /** It failed. */
    FAILED;

    /** The state that a status alone implies. */
    public static State of(MigrationStatus status) {
      return switch (status) {
        case NONE -> IDLE;
        case SETUP, ACTIVE, PRE_SWITCHOVER, DEVICE, CANCELLING, FAILING -> RUNNING;
        case COMPLETED -> COMPLETED;
        case CANCELLED -> CANCELLED;
        case UNDECIDED -> UNDECIDED;
        case FAILED -> FAILED;
      };
    }
  }

  /**
   * A step.
   *
   * @param role the end that did it
   * @param event the number of the event that proves it, in the log of {@code role}; -1 for a
   *     conclusion
   * @param isKey whether it is the decisive one
   */
  public record Step(Role role, long nanos, long event, String text, boolean isKey) {}

  /** The first decisive step, null when there is none. */
  public @Nullable Step key() {
    return steps.stream().filter(Step::isKey).findFirst().orElse(null);
  }
}
