// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.regex.Pattern;
import org.wridscope.analysis.meaning.Meaning.Kind;

/** Reads what a line says of connections: events of the connection manager, reasons of a reject. */
final class ConnectionReader {
  private static final Pattern CM_NUMBER =
      Pattern.compile(
          "(?:cm|cma|connection manager|acceptor|connector)[ _](?:event|handler)(?:[ _]type|:? event)?"
              + "(?: bl blka)?"
              + Reading.IS
              + Reading.NUMBER);
  private static final Pattern EVENT_NUMBER =
      Pattern.compile("(?<![a-z_])event" + Reading.GAP + Reading.NUMBER);
  private static final Pattern EVENT_TYPE =
      Pattern.compile("event_type" + Reading.IS + Reading.NUMBER);
  private static final Pattern REASON =
      Pattern.compile(
          "(?:(?:reject(?:ed|ion)?[ _])?reason|cm reject)" + Reading.IS + Reading.NUMBER);
  private static final Pattern CM =
      Pattern.compile("\\bcma?\\b|cm[ _]event|rdma_cm|\\bcm_|connection manager|cma_handler");
  private static final Pattern REJECTED =
      Pattern.compile("rejected|reject reason|cm reject|\\brej\\b|ib_cm_rej|\\breject\\b *:");

  /** Before the text of a reason. */
  private static final Pattern SAID = Pattern.compile("(?:[:(\"']|reason(?: is)?|as) ?$");

  private static final Pattern OTHER_STATUS = Pattern.compile("nvme status [0-9]{1,5} \\($");
  private static final Pattern IN_PARENTHESES =
      Pattern.compile("(?:status|error|reason|refused|rejected)[^()0-9]{0,40}\\(([0-9]{1,2})\\)");

  private final Reading line;

  ConnectionReader(Reading line) {
    this.line = line;
  }

  void events(List<Terms.Found> found) {
    boolean spoken = (line.lower.contains("cm") || line.lower.contains("conn")) && line.has(CM);
    List<Terms.Found> events =
        found.stream()
            .filter(term -> term.meaning().kind() == Kind.CM_EVENT)
            .filter(term -> !term.weak() || spoken)
            .toList();
    List<Terms.Found> happened =
        events.stream()
            .filter(term -> !Reading.EXPECTED.matcher(line.lower.substring(0, term.start())).find())
            .toList();
    for (Terms.Found term : happened.isEmpty() ? events : happened) {
      line.meanings.add(term.meaning());
    }
    for (Terms.Found term : events) {
      line.skip(
          Pattern.compile("\\s*[(\\[]\\s*" + term.meaning().value() + "\\s*[)\\]]"), term.end());
    }
    line.each("event", CM_NUMBER, number -> event(number, events.isEmpty()));
    if (spoken) {
      line.each("event_type", EVENT_TYPE, number -> event(number, events.isEmpty()));
      line.each("event", EVENT_NUMBER, number -> event(number, events.isEmpty()));
    }
    line.rejected =
        line.meanings.stream().anyMatch(meaning -> meaning.name().equals("RDMA_CM_EVENT_REJECTED"))
            || (line.lower.contains("rej") && line.has(REJECTED));
  }

  private void event(long number, boolean only) {
    if (only) {
      Meanings.numbered(Kind.CM_EVENT, number).forEach(line.meanings::add);
    }
  }

  void rejectReasons(List<Terms.Found> found) {
    for (Terms.Found term : found) {
      if (term.meaning().kind() == Kind.REJECT_REASON
          && (line.lower.startsWith("ib_cm_rej", term.start())
              || (line.rejected && isSaidOfReject(line.lower.substring(0, term.start()))))) {
        line.meanings.add(term.meaning());
      }
    }
  }

  /** Not behind the number of another protocol, such as "nvme status 6 (". */
  private static boolean isSaidOfReject(String before) {
    return SAID.matcher(before).find() && !OTHER_STATUS.matcher(before).find();
  }

  /** Numbers in a line that says that a connection was rejected. */
  void numbers() {
    line.each("re", REASON, this::rejectReason);
    line.each("status", Reading.STATUS, this::rejectReason);
    line.each("", Reading.ERROR, this::rejectReason);
    line.each("(", IN_PARENTHESES, this::rejectReason);
    if (line.has(Kind.REJECT_REASON)) {
      // UCX and others print the text of a general errno with it.
      line.meanings.removeIf(meaning -> meaning.kind() == Kind.ERRNO);
    }
  }

  private void rejectReason(long number) {
    if (number < 0) {
      line.negative(-number);
    } else if (!line.has(Kind.REJECT_REASON)) {
      Meanings.numbered(Kind.REJECT_REASON, number).forEach(line.meanings::add);
    }
  }
}
