// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;

/**
 * What a query or a line of a log means.
 *
 * @param meanings what is known about it, what the line speaks of first; empty when nothing is
 * @param remarks sentences about the line: which reading is likelier, what a number is not
 * @param weight how much the line says about the cause
 */
public record Explanation(List<Meaning> meanings, List<String> remarks, Weight weight) {
  public Explanation {
    meanings = List.copyOf(meanings);
    remarks = List.copyOf(remarks);
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
    CAUSE
  }

  /** Whether nothing is known. */
  public boolean isEmpty() {
    return meanings.isEmpty() && remarks.isEmpty();
  }
}
