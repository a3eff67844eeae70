// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * A noteworthy fact about a session.
 *
 * @param title a few words
 * @param seen what was measured, a sentence
 * @param why why it matters, a sentence
 * @param advice what to do, a sentence; may be empty
 * @param evidence when that happened of which it tells
 */
public record Finding(
    Severity severity, String title, String seen, String why, String advice, Evidence evidence) {

  /** In ascending order of importance. */
  public enum Severity {
    INFO("info"),
    WARNING("warning"),
    ERROR("error");

    private final String text;

    Severity(String text) {
      this.text = text;
    }

    /** In lower case. */
    public String text() {
      return text;
    }
  }
}
