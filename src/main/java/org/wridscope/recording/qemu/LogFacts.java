// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.FirstError;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.telemetry.Role;

/** What lines of one QEMU show of its migration: its end, device, address and first error. */
final class LogFacts {
  private static final Pattern HOST = Pattern.compile("(?:Trying )?(.*) => .*");

  private @Nullable Role end;
  private @Nullable Role usualEnd;

  /** Less certain: a QEMU may receive its guest and send it on later. */
  private @Nullable Role endOfConsole;

  /** The end that a person wrote above the lines. */
  private @Nullable Role heading;

  private @Nullable Role endOfSentences;
  private boolean started;
  private boolean incoming;
  private boolean traced;
  private boolean ofRdma;
  private boolean ofQemu;
  private final FirstError errors = FirstError.ofConsole();

  private String device = "";
  private boolean tracesRoute;
  private String host = "";
  private String typed = "";
  private long tracedAt;
  private long printedAt;
  private long lines;

  void add(QemuLine line) {
    lines++;
    boolean timed = line.nanos() != QemuLine.NO_TIME;
    if (!line.isEvent() || line.text().contains("RDMA Device opened")) {
      printedAt = printedAt == 0 && timed ? line.nanos() : printedAt;
      addConsole(QemuConsole.message(line.text()));
      return;
    }
    traced = true;
    tracedAt = tracedAt == 0 && timed ? line.nanos() : tracedAt;
    Role writer = QemuEventParser.end(line);
    if (end == null) {
      end = writer;
    }
    if (usualEnd == null) {
      usualEnd = QemuEventParser.usualEnd(line);
    }
    tracesRoute |= line.event().equals("qemu_rdma_dump_gid");
    ofRdma |= QemuEventParser.isOfRdma(line);
    if (line.event().endsWith("_trying")) {
      Matcher named = HOST.matcher(line.text());
      if (host.isEmpty() && named.matches()) {
        host = named.group(1);
      }
    }
  }

  private void addConsole(String text) {
    started |= QemuConsole.isCommandLine(text);
    incoming |= text.contains("-incoming");
    ofQemu |= started || QemuConsole.isGreeting(text);
    if (heading == null) {
      heading = QemuConsole.heading(text);
    }
    if (endOfConsole == null) {
      endOfConsole = QemuConsole.end(text);
    }
    String opened = QemuConsole.device(text);
    if (opened != null) {
      ofRdma = true;
      device = device.isEmpty() ? opened : device;
    }
    String uri = QemuConsole.uri(text);
    if (uri != null) {
      ofRdma = true;
      typed = typed.isEmpty() ? uri : typed;
    }
    String said = QemuConsole.withoutPrompt(text);
    if (QemuConsole.mayBeSaid(said)) {
      addSaid(said, Meanings.ofLine(said));
    }
  }

  private void addSaid(String text, Explanation explanation) {
    boolean error = errors.add(lines, text, explanation);
    ofQemu |= error;
    ofRdma |= error && QemuConsole.saysRdma(text);
    if (endOfSentences == null && explanation.weight() != Weight.NOTICE) {
      endOfSentences = explanation.end();
    }
  }

  /**
   * Whether the end and the device are known from trace events, so that the rest need not be read.
   */
  boolean isKnown() {
    return traced && end != null;
  }

  boolean isTraced() {
    return traced;
  }

  /** Whether it is a migration over RDMA. */
  boolean isOfRdma() {
    return ofRdma;
  }

  /** Whether it is a QEMU. */
  boolean isOfQemu() {
    return ofQemu || ofRdma;
  }

  /** Whether a line tells of a failure. */
  boolean hasError() {
    return errors.get().isPresent();
  }

  /** The first error and what it means; empty if no line tells of one. */
  String says() {
    return errors
        .get()
        .map(error -> {
          Meaning meaning = error.explanation().meanings().stream().findFirst().orElse(null);
          return "It says: %s%s"
              .formatted(
                  error.text().replaceFirst("[.!]$", "") + ".",
                  meaning == null ? "" : " " + meaning.means());
        })
        .orElse("");
  }

  /**
   * The first time, in nanoseconds since 1970; 0 when no line has one. The times of what a program
   * prints count only if nothing is traced, as the events may have none.
   */
  long beganAt() {
    return traced ? tracedAt : printedAt;
  }

  /** The opened device, empty when no line names it. */
  String device() {
    return device;
  }

  boolean tracesRoute() {
    return tracesRoute;
  }

  /** The end that writes the log, null when its lines do not show that. */
  @Nullable Role end() {
    if (end != null) {
      return end;
    }
    if (usualEnd != null) {
      return usualEnd;
    }
    Role printed = printedEnd();
    // A QEMU whose command line is known and does not wait for a guest can only send one.
    return printed == null && started && !incoming && ofRdma ? Role.SOURCE : printed;
  }

  /** The end as far as it follows from what is printed. */
  @Nullable Role printedEnd() {
    if (endOfConsole != null) {
      return endOfConsole;
    }
    return heading != null ? heading : endOfSentences;
  }

  /** The URI, as far as the lines show it. */
  String uri() {
    return typed.isEmpty() ? "rdma:" + host : typed;
  }
}
