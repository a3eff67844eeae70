// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Legible;

/**
 * A trace log of QEMU, with facts from a first pass over it.
 *
 * @param end the end that wrote it, null when its lines do not show that
 * @param device the opened device, empty when the log does not name it
 * @param tracesRoute whether it has the GIDs of the connection
 * @param uri of the migration, as far as the log shows it
 * @param beganAt the first time in the log, in nanoseconds since 1970, 0 when its lines have no
 *     times
 */
record QemuLog(
    Path file, @Nullable Role end, String device, boolean tracesRoute, String uri, long beganAt) {
  /** The first pass reads at least so many lines, to find more than the end that wrote the log. */
  private static final int LINES_TO_RECOGNISE = 2_000;

  /** A file whose first lines are not from an RDMA migration is something else. */
  private static final int MOST_LINES_TO_RECOGNISE = 1_000_000;

  private static final int MAX_LINE = 1 << 14;

  private static final Pattern HOST = Pattern.compile("(?:Trying )?(.*) => .*");

  /** Colours, cursor movements and titles for a terminal (ECMA-48). */
  private static final Pattern TERMINAL_SEQUENCE =
      Pattern.compile("\\u001b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*\\u0007?|[@-Z\\\\^_])");

  /** Inspects a file of any kind; empty when it is no trace log. */
  static Optional<QemuLog> of(Path file) throws IOException {
    var facts = new Facts();
    try (Lines lines = new Lines(file)) {
      QemuLine line;
      while ((lines.count() < LINES_TO_RECOGNISE
              || (facts.end == null && lines.count() < MOST_LINES_TO_RECOGNISE))
          && (line = lines.next()) != null) {
        facts.add(line);
      }
    }
    return facts.ofQemu
        ? Optional.of(
            new QemuLog(
                file, facts.end(), facts.device(), facts.tracesRoute, facts.uri(), facts.beganAt()))
        : Optional.empty();
  }

  /** What the lines show so far. */
  static final class Facts {
    private boolean ofQemu;
    private @Nullable Role end;
    private @Nullable Role usualEnd;

    /** Less certain: a QEMU may receive its guest and send it on later. */
    private @Nullable Role endOfConsole;

    private String device = "";
    private boolean tracesRoute;
    private String host = "";
    private String typed = "";
    private long beganAt;

    void add(QemuLine line) {
      if (beganAt == 0 && line.nanos() != QemuLine.NO_TIME) {
        beganAt = line.nanos();
      }
      if (!line.isEvent() || line.text().contains("RDMA Device opened")) {
        addConsole(line.text());
        return;
      }
      Role writer = QemuEventParser.end(line);
      if (end == null) {
        end = writer;
      }
      if (usualEnd == null) {
        usualEnd = QemuEventParser.usualEnd(line);
      }
      tracesRoute |= line.event().equals("qemu_rdma_dump_gid");
      ofQemu |= QemuEventParser.isOfRdma(line);
      if (line.event().endsWith("_trying")) {
        Matcher named = HOST.matcher(line.text());
        if (host.isEmpty() && named.matches()) {
          host = named.group(1);
        }
      }
    }

    private void addConsole(String text) {
      ofQemu |= QemuConsole.isOfRdma(text);
      if (endOfConsole == null) {
        endOfConsole = QemuConsole.end(text);
      }
      String opened = QemuConsole.device(text);
      if (device.isEmpty() && opened != null) {
        device = opened;
      }
      String uri = QemuConsole.uri(text);
      if (typed.isEmpty() && uri != null) {
        typed = uri;
      }
    }

    /** The first time, in nanoseconds since 1970; 0 when no line has one. */
    long beganAt() {
      return beganAt;
    }

    /** The opened device, empty when no line names it. */
    String device() {
      return device;
    }

    /** The end that writes the log, null when its lines do not show that. */
    @Nullable Role end() {
      if (end != null) {
        return end;
      }
      return usualEnd != null ? usualEnd : endOfConsole;
    }

    /** The URI, as far as the lines show it. */
    String uri() {
      return typed.isEmpty() ? "rdma:" + host : typed;
    }
  }

  /**
   * Whether a wait for a completion of one queue met one of the other queue, which shows that both
   * complete in one, as in QEMU before 6.2. Reads the whole file.
   */
  boolean sharesCompletionQueue() throws IOException {
    try (Lines lines = lines()) {
      QemuLine line;
      while ((line = lines.next()) != null) {
        if (line.event().equals("qemu_rdma_block_for_wrid_miss")
            && QemuEventParser.parse(line).orElse(null)
                instanceof QemuEvent.Missed(long wanted, long got)
            && isOfOneQueue(wanted, got)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a wait for a request of one type can meet the other one only in a shared queue. */
  static boolean isOfOneQueue(long wanted, long got) {
    return isReceive(wanted) != isReceive(got);
  }

  private static boolean isReceive(long type) {
    return type >= WorkRequestId.CONTROL_RECEIVE;
  }

  boolean isTimed() {
    return beganAt > 0;
  }

  Lines lines() throws IOException {
    return new Lines(file);
  }

  /** Reads a line as somebody showed or collected it, cut off if it is very long. */
  static QemuLine line(CharSequence raw) {
    var line = new StringBuilder();
    for (int i = 0; i < raw.length() && line.length() < MAX_LINE; i++) {
      char c = raw.charAt(i);
      if (c != '\r') {
        // Web pages and mail programs show logs with spaces at which they do not break lines.
        line.append(Character.isSpaceChar(c) ? ' ' : c);
      }
    }
    return QemuLine.of(Legible.of(withoutSequences(line.toString()), MAX_LINE));
  }

  private static String withoutSequences(String line) {
    return line.indexOf('\u001b') < 0 ? line : TERMINAL_SEQUENCE.matcher(line).replaceAll("");
  }

  /** The lines of a log, one after another. */
  static final class Lines implements AutoCloseable {
    private final BufferedReader reader;
    private long count;

    private Lines(Path file) throws IOException {
      // Names of guests and messages may be in any encoding.
      reader =
          new BufferedReader(
              new InputStreamReader(
                  Files.newInputStream(file),
                  StandardCharsets.UTF_8
                      .newDecoder()
                      .onMalformedInput(CodingErrorAction.REPLACE)
                      .onUnmappableCharacter(CodingErrorAction.REPLACE)));
    }

    /** The next line, cut off if it is very long; null at the end. */
    @Nullable QemuLine next() throws IOException {
      var line = new StringBuilder();
      int c;
      while ((c = reader.read()) >= 0 && c != '\n') {
        if (line.length() < MAX_LINE) {
          line.append((char) c);
        }
      }
      if (c < 0 && line.isEmpty()) {
        return null;
      }
      count++;
      return line(line);
    }

    /** How many lines were read. */
    long count() {
      return count;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
