// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
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
    Verdict verdict, String headline, String summary, List<Step> steps, String remedy) {

  /** How it stands. */
  public enum Verdict {
    /** Nothing to worry about. */
    FINE,
    /** Somebody waits for long. */
    WAITING,
    /** Somebody waits for what never comes. */
    STUCK,
    /** It failed. */
    FAILED
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
