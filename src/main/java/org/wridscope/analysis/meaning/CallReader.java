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

  /** A text of several words in parentheses. */
  private static final String TEXT = " ?\\(((?:[a-z'-]{1,30}[ ,(]{1,3}){1,16}[a-z'-]{1,30})\\)";

  /** A number with a text of several words, which may be none of what is known. */
  private static final Pattern WITH_TEXT =
      Pattern.compile(
          "(?<![a-z_])(?:error|err|status|code|failed)" + Reading.IS + "(-?[0-9]{1,5})" + TEXT);

  /** The same of a provider of libfabric. */
  private static final Pattern PROVIDERS_WITH_TEXT =
      Pattern.compile("prov(?:ider)?[ _]?err(?:no|or)?" + Reading.IS + "(-?[0-9]{1,5})" + TEXT);

  /** A line of an NVMe host, whose positive numbers are those of NVMe. */
  private static final Pattern NVME = Pattern.compile("^(?:.{0,40}\\W)?nvme nvme[0-9]");

  /** A line of a function of UCX, which returns a ucs_status_t. */
  private static final Pattern UCX = Pattern.compile("\\buc[pst]_[a-z]");

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
    if (line.has(UCX) && !line.lower.contains("ibv_")) {
      if (NEGATIVE.matcher(line.rest).find()) {
        line.remarks.add("A negative number of a function of UCX is a ucs_status_t, no errno.");
      }
      return;
    }
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

  /** Adds the errno of a number behind "error", negative or not. */
  void errnoOf(long number) {
    if (number < 0) {
      line.negative(-number);
    } else {
      line.errno(number);
    }
  }

  /** Leaves out numbers of a provider whose text is none of what is known. */
  void providersWithOwnTexts(List<Terms.Found> found) {
    if (line.lower.contains("prov")) {
      withOwnTexts(PROVIDERS_WITH_TEXT, found);
    }
  }

  /** Leaves out numbers whose text, in parentheses, is none of what is known. */
  void withOwnTexts(List<Terms.Found> found) {
    withOwnTexts(WITH_TEXT, found);
  }

  private void withOwnTexts(Pattern number, List<Terms.Found> found) {
    Matcher pair = number.matcher(line.rest);
    while (pair.find()) {
      int from = pair.start(2);
      int to = pair.end(2);
      if (found.stream().noneMatch(term -> term.start() < to && term.end() > from)) {
        line.remarks.add(
            "%s is a number of the program or of its provider: the text behind it says what it is."
                .formatted(pair.group(1)));
        line.blank(pair.start(1), pair.end(1));
      }
    }
  }

  /** Whether a number is of a list that is not known here. */
  private boolean isOfOtherList(long number) {
    if (number <= 0 || !(line.has(Reading.OTHER_LIST) || line.has(NVME))) {
      return false;
    }
    line.remarks.add(
        "%d is a number of what the line speaks of: neither an errno nor a completion status."
            .formatted(number));
    return true;
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
    if (line.has(REJECTING)) {
      line.remarks.add(
          "%d is the number with which the program rejected somebody: its own, neither a completion"
                  .formatted(number)
              + " status nor an errno.");
    } else if (line.firmware) {
      Meanings.numbered(Kind.FIRMWARE_STATUS, number).forEach(line.meanings::add);
    } else if (!isOfOtherList(number)) {
      statusOfUnknown(number);
    }
  }

  private void statusOfUnknown(long number) {
    boolean call = line.isOfCall() || line.has(Kind.CM_EVENT);
    if (call || number > CompletionReader.LAST_STATUS) {
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
    if (isOfOtherList(number)) {
      return;
    }
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
    if (number <= 1 || line.has(Kind.ERRNO) || line.status != null || isOfOtherList(number)) {
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
