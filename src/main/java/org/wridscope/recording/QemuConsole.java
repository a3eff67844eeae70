// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/** What else the console of a QEMU shows: its command line, its monitor, its messages. */
final class QemuConsole {
  private static final String PROGRAM = "qemu-(?:system-\\w+|kvm)";

  private static final String RDMA_ERROR = "RDMA ERROR: ";

  /** Printed by {@code qemu_rdma_dump_id}; the first word names the caller. */
  private static final Pattern OPENED =
      Pattern.compile("(?:.*?(\\S+) )?RDMA Device opened: kernel name (\\S+) .*");

  private static final Pattern INCOMING =
      Pattern.compile("(?:.*\\s)?-incoming\\s+[\"']?(?:(rdma:[^\\s\"',]*[^\\s\"',:])|defer\\b).*");

  private static final Pattern MIGRATE =
      Pattern.compile("\\(qemu\\)\\s*migrate\\s(?:.*\\s)?[\"']?(rdma:[^\\s\"']+).*");

  /** Error messages of QEMU, with {@code -msg timestamp=on}, also with {@code guest-name=on}. */
  private static final Pattern COMPLAINT =
      Pattern.compile(
          "(?:\\S+Z (?:[^:]{1,64} )?)?(?:"
              + PROGRAM
              + ": |"
              + RDMA_ERROR
              + "|ibv_poll_cq |rdma_get_cm_event |ram blocks mismatch ).*");

  /** Warnings, which have the form of error messages, and what QEMU advises after them. */
  private static final Pattern REMARK =
      Pattern.compile(
          "(?:\\S+Z (?:[^:]{1,64} )?)?"
              + PROGRAM
              + ": (?:.*: )?(?:warning|info): .*|Please use \\S+ instead"
              // The registration stays.
              + "|(?:"
              + PROGRAM
              + ": )?rdma migration: queue is full");

  /** The monitor's greeting, and its prompt with or without a command. */
  private static final Pattern MONITOR =
      Pattern.compile("QEMU \\S+ monitor - type 'help' for more information|\\(qemu\\).*");

  /** In one line, or as service managers log it: a line for each option, with a backslash. */
  private static final Pattern COMMAND_LINE =
      Pattern.compile("(?:[#$] ?)?(?:\\S*/)?" + PROGRAM + " .*|\\S+(?: \\S+)* \\\\");

  /** What a terminal or a service manager puts before a line ends with a separator or a time. */
  private static final Pattern PREFIX =
      Pattern.compile(".*(?:[:\\]>|)]|\\d\\d:\\d\\d:\\d\\d\\S*)\\s*");

  /** The two lines that {@code qemu_rdma_poll} prints about a completion that failed. */
  private static final Pattern FAILED_STATUS =
      Pattern.compile("ibv_poll_cq wc\\.status=(\\d{1,3}) .*!");

  private static final Pattern FAILED_TYPE = Pattern.compile("ibv_poll_cq wrid=([A-Z ]+)!");

  private QemuConsole() {}

  /** The status of a completion that failed, if the line tells one. */
  static OptionalInt failedStatus(String line) {
    Matcher status = FAILED_STATUS.matcher(line);
    return status.matches()
        ? OptionalInt.of(Integer.parseInt(status.group(1)))
        : OptionalInt.empty();
  }

  /** The type of the work request of a completion that failed; null if the line tells none. */
  static @Nullable String failedType(String line) {
    Matcher type = FAILED_TYPE.matcher(line);
    return type.matches() ? type.group(1) : null;
  }

  /** For a long line of something else, the pattern alone would take long to say so. */
  private static Matcher opened(String line) {
    return OPENED.matcher(line.contains("RDMA Device opened") ? line : "");
  }

  /** The device that the line says was opened; null when it says nothing of the kind. */
  static @Nullable String device(String line) {
    Matcher opened = opened(line);
    return opened.matches() ? opened.group(2) : null;
  }

  /** The URI in a command line or in a command to the monitor; null when there is none. */
  static @Nullable String uri(String line) {
    Matcher incoming = INCOMING.matcher(line);
    if (incoming.matches()) {
      return incoming.group(1);
    }
    Matcher migrate = MIGRATE.matcher(line);
    return migrate.matches() ? migrate.group(1) : null;
  }

  /** The end whose console it is, as far as the line shows it. */
  static @Nullable Role end(String line) {
    Matcher opened = opened(line);
    if (opened.matches() && opened.group(1) != null) {
      return endOf(opened.group(1));
    }
    if (INCOMING.matcher(line).matches()) {
      return Role.DESTINATION;
    }
    return MIGRATE.matcher(line).matches() ? Role.SOURCE : null;
  }

  /** The end that has a function of QEMU, as QEMU names it when it shows a device. */
  static @Nullable Role endOf(String function) {
    return switch (function) {
      case "source_resolve_host", "source_resolve_addr" -> Role.SOURCE;
      case "dest_init", "dest_connect" -> Role.DESTINATION;
      default -> null;
    };
  }

  /** Whether it is an error message of the RDMA migration, which may fail before any event. */
  static boolean isOfRdma(String line) {
    return line.startsWith(RDMA_ERROR);
  }

  static boolean isComplaint(String line) {
    return COMPLAINT.matcher(line).matches() && !REMARK.matcher(line).matches();
  }

  /** Whether the line belongs on a console but says nothing about the migration. */
  static boolean isUsual(String line) {
    return line.isEmpty()
        || line.startsWith("#")
        || device(line) != null
        || REMARK.matcher(line).matches()
        || MONITOR.matcher(line).matches()
        || COMMAND_LINE.matcher(line).matches();
  }

  /** Whether a text before an event is what a terminal or a service manager puts there. */
  static boolean isPrefix(String text) {
    return text.isBlank() || PREFIX.matcher(text).matches();
  }
}
