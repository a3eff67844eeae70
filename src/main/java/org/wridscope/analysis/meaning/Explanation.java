// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/**
 * What a query or a line of a log means.
 *
 * @param meanings what is known about it, what the line speaks of first; empty when nothing is
 * @param remarks sentences about the line: which reading is likelier, what a number is not
 * @param weight how much the line says about the cause
 * @param end the only end of a migration that prints such a line, null when either may, or none
 */
public record Explanation(
    List<Meaning> meanings, List<String> remarks, Weight weight, @Nullable Role end) {
  public Explanation {
    meanings = List.copyOf(meanings);
    remarks = List.copyOf(remarks);
  }

  Explanation(List<Meaning> meanings, List<String> remarks, Weight weight) {
    this(meanings, remarks, weight, null);
  }

  /** What a line is among the lines of a log, from the least to the most that it says. */
  public enum Weight {
    /** Nothing went wrong. */
    NOTICE,
    /** Said of any failure: the cause is another line. */
    GENERAL,
    /** Follows from a failure elsewhere. */
    CONSEQUENCE,
    /** Something failed. */
    CAUSE;

    /** The weight that a file names in lower case; that of a cause without a name. */
    static Weight ranked(@Nullable String name) {
      return name == null ? CAUSE : valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  /** Whether nothing is known. */
  public boolean isEmpty() {
    return meanings.isEmpty() && remarks.isEmpty();
  }
}
