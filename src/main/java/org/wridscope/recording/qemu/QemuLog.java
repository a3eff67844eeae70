// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Legible;

/**
 * A trace log or a console of QEMU, or that part of a file which one end wrote, with facts from a
 * first pass over it.
 *
 * @param end the end that wrote it, null when its lines do not show that
 * @param device the opened device, empty when the log does not name it
 * @param tracesRoute whether it has the GIDs of the connection
 * @param uri of the migration, as far as the log shows it
 * @param beganAt the first time in the log, in nanoseconds since 1970, 0 when its lines have no
 *     times
 * @param traced whether it has trace events
 * @param says the first error that it tells, with its meaning, as a few sentences; may be empty
 * @param notes for the user, a sentence each
 * @param belongs which lines of the file belong to it
 */
public record QemuLog(
    Path file,
    @Nullable Role end,
    String device,
    boolean tracesRoute,
    String uri,
    long beganAt,
    boolean traced,
    String says,
    List<String> notes,
    LineSet belongs) {
  /** The first pass reads at least so many lines, to find more than the end that wrote the log. */
  private static final int LINES_TO_RECOGNISE = 20_000;

  /** A file whose first lines are not from an RDMA migration is something else. */
  private static final int MOST_LINES_TO_RECOGNISE = 1_000_000;

  private static final int MAX_LINE = 1 << 14;

  /** Colours, cursor movements and titles for a terminal (ECMA-48). */
  private static final Pattern TERMINAL_SEQUENCE =
      Pattern.compile("\\u001b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*\\u0007?|[@-Z\\\\^_])");

  public QemuLog {
    notes = List.copyOf(notes);
  }

  /**
   * Inspects a file of any kind.
   *
   * @return one, or that of the source and that of the destination if the file has the consoles of
   *     both; empty when it is no log of QEMU
   * @throws RecordingException when it has lines of both ends that cannot be told apart, or is a
   *     console of a QEMU that shows no migration over RDMA
   */
  public static List<QemuLog> of(Path file) throws IOException {
    var parts = new LogParts();
    try (Lines lines = new Lines(file, LineSet.ALL)) {
      QemuLine line;
      while ((lines.count() < LINES_TO_RECOGNISE
              || (!parts.isKnown() && lines.count() < MOST_LINES_TO_RECOGNISE))
          && (line = lines.next()) != null) {
        parts.add(line, lines.count());
      }
    }
    return parts.logs(file);
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
    return new Lines(file, belongs);
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
    private final LineSet belongs;
    private long count;

    private Lines(Path file, LineSet belongs) throws IOException {
      this.belongs = belongs;
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

    /** The next line that belongs to the log, cut off if it is very long; null at the end. */
    @Nullable QemuLine next() throws IOException {
      QemuLine line = nextOfAll();
      while (line != null && !belongs.has(count)) {
        line = nextOfAll();
      }
      return line;
    }

    private @Nullable QemuLine nextOfAll() throws IOException {
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

    /** How many lines of the file were read, which is the number of the last one. */
    long count() {
      return count;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
