// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import org.wridscope.analysis.meaning.Explanation.Weight;

/**
 * What a value means.
 *
 * @param name as in the header that defines it, for example {@code IBV_WC_RETRY_EXC_ERR}
 * @param value its number
 * @param phrases how programs print it, the most usual one first
 * @param means what happened, some sentences
 * @param causes what usually causes it, a sentence; may be empty
 * @param next what to look at next, a sentence; may be empty
 * @param source where that is specified or documented
 * @param weight how much it says about the cause of a failure
 */
public record Meaning(
    Kind kind,
    String name,
    long value,
    List<String> phrases,
    String means,
    String causes,
    String next,
    String source,
    Weight weight) {

  public Meaning {
    phrases = List.copyOf(phrases);
  }

  /** What can be explained. */
  public enum Kind {
    COMPLETION_STATUS("completion status"),
    ASYNC_EVENT("asynchronous event"),
    ERRNO("errno"),
    CM_EVENT("connection manager event"),
    REJECT_REASON("reject reason"),
    VENDOR_ERROR("vendor error"),
    ACKNOWLEDGEMENT("acknowledgement syndrome"),
    WRID("work request id"),
    FIRMWARE_STATUS("firmware status"),
    ERROR_CQE("error CQE"),

    /** A sentence that a program prints; its value is 0. */
    MESSAGE("message");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** A few words in lower case. */
    public String text() {
      return text;
    }
  }

  /** What it is, for example {@code completion status 12, IBV_WC_RETRY_EXC_ERR}. */
  public String title() {
    if (kind == Kind.MESSAGE || kind == Kind.ERROR_CQE) {
      return kind.text() + " of " + name;
    }
    String number =
        switch (kind) {
          case WRID, VENDOR_ERROR, ACKNOWLEDGEMENT, FIRMWARE_STATUS -> "%#x".formatted(value);
          default -> Long.toString(value);
        };
    return "%s %s, %s".formatted(kind.text(), number, name);
  }

  /** What to look at, and for what; empty when nothing is wrong. */
  public String advice() {
    return ((next.isEmpty() ? "" : "Look at: " + next)
            + (causes.isEmpty() ? "" : " Usual causes: " + causes))
        .strip();
  }

  /** A part of the explanation. */
  public record Paragraph(String heading, String text) {}

  /** The parts that are not empty, in the order in which they are shown. */
  public List<Paragraph> paragraphs() {
    return List.of(
            new Paragraph("Printed as", String.join("; ", phrases)),
            new Paragraph("Means", means),
            new Paragraph("Usual causes", causes),
            new Paragraph("Look at", next),
            new Paragraph("Source", source))
        .stream()
        .filter(paragraph -> !paragraph.text().isEmpty())
        .toList();
  }
}
