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
 * @param device the opened device, empty when the start of the log does not name it
 * @param host the host in the URI, empty when the start of the log does not name it
 * @param beganAt the first time in the log, in nanoseconds since 1970, 0 when its lines have no
 *     times
 */
record QemuLog(Path file, Role role, String device, String host, long beganAt) {
  private static final int LINES_TO_RECOGNISE = 2_000;
  private static final int MAX_LINE = 1 << 14;

  private static final Pattern TRYING = Pattern.compile("Trying (.*) => (.*)");
  private static final Pattern LISTENING = Pattern.compile("(.*) => (.*)");
  private static final Pattern MISSED =
      Pattern.compile("A Wanted wrid .* \\((\\d{1,19})\\) but got .* \\((\\d{1,19})\\)");
  private static final Pattern OPENED =
      Pattern.compile("^\\S* ?RDMA Device opened: kernel name (\\S+) .*");

  /** Inspects a file of any kind; empty when it is no trace log. */
  static Optional<QemuLog> of(Path file) throws IOException {
    Role role = null;
    long beganAt = 0;
    String device = "";
    String host = "";
    try (Lines lines = new Lines(file)) {
      QemuLine line;
      while (lines.count() < LINES_TO_RECOGNISE && (line = lines.next()) != null) {
        if (beganAt == 0 && line.nanos() != QemuLine.NO_TIME) {
          beganAt = line.nanos();
        }
        Boolean ofSource = line.ofSource();
        if (role == null && ofSource != null) {
          role = ofSource ? Role.SOURCE : Role.DESTINATION;
        }
        Matcher opened = OPENED.matcher(line.text());
        if (device.isEmpty() && opened.matches()) {
          device = opened.group(1);
        }
        Matcher trying =
            switch (line.event()) {
              case "qemu_rdma_resolve_host_trying" -> TRYING.matcher(line.text());
              case "qemu_rdma_dest_init_trying" -> LISTENING.matcher(line.text());
              default -> null;
            };
        if (host.isEmpty() && trying != null && trying.matches()) {
          host = trying.group(1);
        }
      }
    }
    return role == null
        ? Optional.empty()
        : Optional.of(new QemuLog(file, role, device, host, beganAt));
  }

  /**
   * Whether a wait for a completion of one queue met one of the other queue, which shows that both
   * complete in one, as in QEMU before 6.2. Reads the whole file.
   */
  boolean sharesCompletionQueue() throws IOException {
    try (Lines lines = lines()) {
      QemuLine line;
      while ((line = lines.next()) != null) {
        Matcher missed =
            line.event().equals("qemu_rdma_block_for_wrid_miss")
                ? MISSED.matcher(line.text())
                : null;
        if (missed != null
            && missed.matches()
            && isReceive(missed.group(1)) != isReceive(missed.group(2))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isReceive(String wrid) {
    return WorkRequestId.type(Long.parseUnsignedLong(wrid)) >= WorkRequestId.CONTROL_RECEIVE;
  }

  boolean isTimed() {
    return beganAt > 0;
  }

  Lines lines() throws IOException {
    return new Lines(file);
  }

  /** Whether a line is the one in which QEMU names its device; it is not a trace event. */
  static boolean namesDevice(String text) {
    return OPENED.matcher(text).matches();
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
        if (c != '\r' && line.length() < MAX_LINE) {
          line.append((char) c);
        }
      }
      if (c < 0 && line.isEmpty()) {
        return null;
      }
      count++;
      return QemuLine.of(Legible.of(line.toString(), MAX_LINE));
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
