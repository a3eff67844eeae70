// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.analysis.meaning.Meaning.Kind;

/** Reads what a line says of a call that failed: names, texts and numbers of errnos. */
final class CallReader {
  private static final Pattern ERRNO =
      Pattern.compile("(?<![a-z_])(?:errno|os error)" + Reading.IS + Reading.NUMBER);
  private static final Pattern NEGATIVE =
      Pattern.compile("(?<![0-9a-z.)-])-([0-9]{1,3})(?![0-9a-z_.:-]*[0-9a-z])");
  private static final Pattern RETURN =
      Pattern.compile(
          "(?<![a-z_])(?:ret(?:urn(?:ed|s)?)?(?: value| code)?|rc|res(?:ult)?)"
              + Reading.IS
              + Reading.NUMBER);

  /** A number in parentheses, or at the end, behind what a program could not do. */
  private static final Pattern COULD_NOT =
      Pattern.compile(
          "(?:couldn't|could not|cannot|can't|unable to|failed to)[^()0-9]{1,80}"
              + "(?:\\(|: )(-?[0-9]{1,3})(?:\\)|\\.?$)");

  /** A number at the end, behind the function that returned it. */
  static final Pattern RETURNED =
      Pattern.compile("(?:ibv|rdma|fi)_\\w+(?:\\(\\))?[,:=] ?(-?[0-9]{1,3})\\.?$");

  /** A negative errno as an unsigned number of 32 bits. */
  private static final Pattern UNSIGNED = Pattern.compile("0xffffff([0-9a-f]{2})(?![0-9a-f])");

  private static final Pattern REJECTING = Pattern.compile("\\breject(?:ing|s)?\\b");

  private final Reading line;

  CallReader(Reading line) {
    this.line = line;
  }

  void errnos(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.ERRNO && !isClassOfLibvirt(term)) {
        line.meanings.add(term.meaning());
        line.skip(
            Pattern.compile("\\s*[(\\[]?\\s*-?" + term.meaning().value() + "\\b"), term.end());
      }
    }
    line.each(
        "",
        ERRNO,
        number -> {
          if (!line.has(Kind.ERRNO)) {
            line.errno(Math.abs(number));
          }
        });
  }

  /** libvirt begins its messages with the class of the error: "error: invalid argument: ...". */
  private boolean isClassOfLibvirt(Terms.Found term) {
    String before = line.lower.substring(0, term.start());
    return (before.endsWith("error: ") || before.endsWith("error : "))
        && line.lower.startsWith(": ", term.end());
  }

  void negatives() {
    Matcher unsigned = UNSIGNED.matcher(line.rest);
    if (unsigned.find() && !line.has(Kind.ERRNO)) {
      line.errno(0x100 - Long.parseLong(unsigned.group(1), 16));
    }
    Matcher negative = NEGATIVE.matcher(line.rest);
    while (negative.find()) {
      long number = Long.parseLong(negative.group(1));
      if (!line.has(Kind.ERRNO)) {
        line.negative(number);
      }
      line.blank(negative.start(), negative.end());
    }
  }

  /** Numbers in a line that speaks of nothing else. */
  void numbers() {
    line.each("status", Reading.STATUS, this::statusAlone);
    line.each("", Reading.ERROR, this::errorOfCall);
    if (line.isOfCall()) {
      line.each("r", RETURN, this::errorAlone);
    }
    line.each("", Reading.FAILED, this::errorAlone);
    line.each("", COULD_NOT, this::errorAlone);
    line.each("_", RETURNED, line::negative);
  }

  /** A status in a line that does not say of what. */
  private void statusAlone(long number) {
    boolean call = line.isOfCall() || line.has(Kind.CM_EVENT);
    if (line.has(REJECTING)) {
      line.remarks.add(
          "%d is the number with which the program rejected somebody: its own, neither a completion"
                  .formatted(number)
              + " status nor an errno.");
    } else if (call || number > CompletionReader.LAST_STATUS) {
      line.errno(number);
      if (!line.has(Kind.ERRNO) && number > 0) {
        line.remarks.add(
            "%d is no number that is known here: perhaps the program's own.".formatted(number));
      }
    } else if (number > 0 && line.has(Reading.RDMA)) {
      Meanings.numbered(Kind.COMPLETION_STATUS, number).forEach(line::status);
      line.errno(number);
      if (line.has(Kind.ERRNO)) {
        line.remarks.add(
            "%d is a completion status or an errno; the likelier one is told first."
                .formatted(number));
      }
    } else if (number > 0) {
      line.remarks.add("%d may be the program's own number.".formatted(number));
    }
  }

  /** An error in a line that may speak of a call that has nothing to do with RDMA. */
  private void errorOfCall(long number) {
    if (line.isOfCall() && !line.has(Reading.RDMA) && number > 1 && !line.has(Kind.CM_EVENT)) {
      line.errno(number);
      if (line.has(Kind.ERRNO)) {
        line.remarks.add("%d is an errno if the program prints those.".formatted(number));
      }
    } else {
      errorAlone(number);
    }
  }

  /** An error in a line that does not say of what. */
  private void errorAlone(long number) {
    if (number <= 1 || line.has(Kind.ERRNO) || line.status != null) {
      return;
    }
    if (!line.has(Reading.FUNCTION) && !line.has(Kind.CM_EVENT) && !line.has(Reading.RDMA)) {
      line.remarks.add("%d may be the program's own number.".formatted(number));
      return;
    }
    line.errno(number);
    if (!line.isOfCall()
        && !line.has(Kind.CM_EVENT)
        && line.has(Kind.ERRNO)
        && number <= CompletionReader.LAST_STATUS
        && line.has(Reading.RDMA)) {
      Meanings.numbered(Kind.COMPLETION_STATUS, number).forEach(line.meanings::add);
      line.remarks.add(
          "%d is an errno or a completion status; the likelier one is told first."
              .formatted(number));
    }
  }
}
