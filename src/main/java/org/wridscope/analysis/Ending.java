// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.analysis.Explanation.State;

/**
 * How a migration ended, in the words of every view, report and export.
 *
 * @param state one of those of a migration that has ended
 * @param sentence what went wrong first, and where the guest is now; a few sentences
 */
public record Ending(State state, String sentence) {
  /** The verdict on a migration that completed, but not as it should. */
  public static final String UNSOUND = "not sound";

  /** The state in one or two words. */
  public String verdict() {
    return switch (state) {
      case COMPLETED -> "completed";
      case UNSOUND -> UNSOUND;
      case CANCELLED -> "cancelled";
      case UNDECIDED -> "undecided";
      case FAILED -> "failed";
      case IDLE, RUNNING, WAITING, STUCK ->
          throw new IllegalStateException("a migration that is " + state + " has not ended");
    };
  }

  /** Verdict and sentence. */
  public String headline() {
    return verdict() + ": " + sentence;
  }
}
