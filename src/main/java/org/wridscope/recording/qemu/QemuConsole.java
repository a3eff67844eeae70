// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** What else the console of a QEMU shows: its command line, its monitor, its messages. */
final class QemuConsole {
  private static final String PROGRAM = "qemu-(?:system-\\w+|kvm)";

  /** Printed by {@code qemu_rdma_dump_id}; the first word names the caller. */
  private static final Pattern OPENED =
      Pattern.compile("(?:.*?(\\S+) )?RDMA Device opened: kernel name (\\S+) .*");

  /** An address without what ends the sentence around it. */
  private static final String URI = "[\"']?(rdma:[^\\s\"',}]*[^\\s\"',:}.;])";

  /** The option, the command to the monitor, and the command of the machine protocol. */
  private static final Pattern INCOMING =
      Pattern.compile(
          "(?:^|[\\s'\"])(?:-incoming[\\s=\"',]+|migrate[_-]incoming\\b[^|]{0,80}?)(?:"
              + URI
              + "|defer\\b)");

  /** The same of a source, and virsh's. */
  private static final Pattern MIGRATE =
      Pattern.compile("(?:^|[\\s'\"])migrate(?=[\\s'\"])(?!.*-incoming)[^|]{0,200}?[\\s'\"]" + URI);

  /** Error messages of QEMU, with {@code -msg timestamp=on}, also with {@code guest-name=on}. */
  private static final Pattern COMPLAINT =
      Pattern.compile(
          "(?:\\S+Z (?:[^:]{1,64} )?)?(?:"
              + PROGRAM
              + ": |"
              + "RDMA ERROR: |ibv_poll_cq |rdma_get_cm_event |ram blocks mismatch ).*");

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

  private static final Pattern GREETING =
      Pattern.compile("QEMU \\S+(?: \\(.*\\))? monitor - type 'help' for more information");

  /** The monitor's prompt with or without a command. */
  private static final Pattern MONITOR = Pattern.compile("\\(qemu\\).*");

  /** How a person names the console that follows. */
  private static final Pattern HEADING =
      Pattern.compile(
          "(?i)[-=#*\\[ ]*(?:(?:on|at|log|logs|console|output|stderr|from|of|the|qemu)[ :]+){0,4}"
              + "(source|src|sender|destination|dest|dst|target|receiver)"
              + "(?:[ _.-]?(?:side|host|node|end|qemu|vm|console|log|logs|output|stderr|machine"
              + "|server|says|shows)){0,3}\\s*(?:\\([^()]{0,80}\\))?[ :=#*\\]-]*");

  /** libvirt's lines around those of QEMU. */
  private static final Pattern STARTING = Pattern.compile("starting up libvirt version: .*");

  private static final Pattern ENDED =
      Pattern.compile("shutting down, reason=(\\w+)|shutting down");

  /** What {@code info migrate} shows. */
  private static final Pattern STATUS =
      Pattern.compile("(?:Migration status|Status):\\s+([a-z-]+)\\b.*");

  /** What programs put before the lines of others: quotation marks, times, names, prompts. */
  private static final Pattern BEFORE =
      Pattern.compile(
          "(?:>\\s?)+"
              + "|\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?"
              + "(?:Z|[+-]\\d\\d:?\\d\\d)?:?\\s+"
              + "|[A-Z][a-z]{2} [ 0-9]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?\\s+"
              + "|\\[?\\s*\\d{1,9}\\.\\d{3,9}\\]\\s+"
              + "|<\\d{1,3}>"
              // The name of the host and of the process, as journald shows them.
              + "|(?:[\\w.-]{1,64} )?[\\w./@-]{1,64}\\[\\d{1,9}\\]:\\s+"
              + "|(?:std(?:err|out))(?: F)?:?\\s+"
              + "|[\\w.-]{1,64}\\s+\\|\\s");

  private static final Pattern DATED =
      Pattern.compile(
          "(?:>\\s?)*(\\d{4}-\\d\\d-\\d\\d)[T ](\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)"
              + "(Z|[+-]\\d\\d:?\\d\\d)");

  private static final Pattern PROCESS =
      Pattern.compile("(?:([\\w.-]{1,64}) )?([\\w./@-]{1,64}\\[\\d{1,9}\\]):\\s");

  /** What a sentence of QEMU says if it is about RDMA as the transport of a migration. */
  private static final Pattern OF_RDMA =
      Pattern.compile(
          "(?i)rdma|ibv_|\\b[lr]key\\b|register chunk|ram block|control message|polling control"
              + "|early error|cm event|control recv");

  /** Of the paravirtual device, which QEMU emulates. */
  private static final Pattern OF_PVRDMA = Pattern.compile("pvrdma|pci_dma|command slot");

  /** In one line, or as service managers log it: a line for each option, with a backslash. */
  private static final Pattern COMMAND_LINE =
      Pattern.compile(
          "(?:[^#$]{0,80}[#$] ?)?"
              + "(?:(?:sudo|nohup|env|numactl|taskset|[A-Z_]{1,40}=\\S*)(?: -\\S+)* ){0,4}"
              + "(?:[\"']?\\S*/)?"
              + PROGRAM
              + "(?: .*)?|\\S+(?: \\S+)* \\\\");

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

  /** What a QEMU or libvirt printed, without what others put before it, and without prompts. */
  static String message(String line) {
    String rest = line.strip();
    Matcher before = BEFORE.matcher(rest);
    while (before.lookingAt()) {
      rest = rest.substring(before.end()).stripLeading();
      before.reset(rest);
    }
    return rest;
  }

  /** The host and process that printed a line, as journald shows them; empty if it does not. */
  static String process(String line) {
    Matcher process = PROCESS.matcher(line);
    return line.contains("]: ") && process.find()
        ? Objects.requireNonNullElse(process.group(1), "") + " " + process.group(2)
        : "";
  }

  /** Whether a line may be a sentence of QEMU or libvirt; most others need not be read. */
  static boolean mayBeSaid(String line) {
    return line.contains("qemu")
        || line.contains("igrat")
        || line.contains("rdma")
        || line.contains("RDMA")
        || line.contains("ibv_")
        || line.contains("key")
        || line.contains("ontrol")
        || line.contains("hannel")
        || line.contains("cm event")
        || line.contains("loading state")
        || line.contains("SaveState")
        || line.contains("lock")
        || line.contains("shutting down")
        || line.contains("rror")
        || line.contains("ailed")
        || line.contains("job");
  }

  /**
   * The time that stands before a line with its date and zone; {@link QemuLine#NO_TIME} if none.
   */
  static long nanos(String line) {
    Matcher dated = DATED.matcher(line);
    if (line.length() < 20 || !dated.lookingAt()) {
      return QemuLine.NO_TIME;
    }
    try {
      String zone = dated.group(3);
      Instant time =
          OffsetDateTime.parse(
                  "%sT%s%s"
                      .formatted(
                          dated.group(1),
                          dated.group(2),
                          zone.contains(":") || zone.equals("Z")
                              ? zone
                              : zone.substring(0, 3) + ":" + zone.substring(3)))
              .toInstant();
      return Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L) + time.getNano();
    } catch (DateTimeException | ArithmeticException e) {
      return QemuLine.NO_TIME;
    }
  }

  /** The URI in a command line or in a command to the monitor; null when there is none. */
  static @Nullable String uri(String line) {
    if (!line.contains("rdma:")) {
      return null;
    }
    Matcher incoming = INCOMING.matcher(line);
    if (incoming.find()) {
      return incoming.group(1);
    }
    Matcher migrate = MIGRATE.matcher(line);
    return migrate.find() ? migrate.group(1) : null;
  }

  /** The end whose console it is, as far as the line shows it. */
  static @Nullable Role end(String line) {
    Matcher opened = opened(line);
    if (opened.matches() && opened.group(1) != null) {
      return endOf(opened.group(1));
    }
    if (line.contains("incoming") && INCOMING.matcher(line).find()) {
      return Role.DESTINATION;
    }
    return line.contains("rdma:") && MIGRATE.matcher(line).find() ? Role.SOURCE : null;
  }

  /** The end that a heading names; null when the line is no heading. */
  static @Nullable Role heading(String line) {
    Matcher heading = HEADING.matcher(line);
    if (line.length() > 120 || !heading.matches()) {
      return null;
    }
    return heading.group(1).toLowerCase(Locale.ROOT).startsWith("s")
        ? Role.SOURCE
        : Role.DESTINATION;
  }

  static boolean isGreeting(String line) {
    return GREETING.matcher(withoutPrompt(line)).matches();
  }

  /** Whether libvirt begins to start a QEMU. */
  static boolean isStart(String line) {
    return STARTING.matcher(line).matches();
  }

  static boolean isCommandLine(String line) {
    return line.contains("qemu-") && COMMAND_LINE.matcher(line).matches();
  }

  /** Whether the text is a sentence about RDMA as the transport of a migration. */
  static boolean saysRdma(String line) {
    return OF_RDMA.matcher(line).find() && !OF_PVRDMA.matcher(line).find();
  }

  /**
   * How libvirt says that a QEMU ended: {@code migrated}, {@code failed}; null for no such line.
   */
  static @Nullable String ending(String line) {
    Matcher ended = ENDED.matcher(line);
    return ended.matches() ? Objects.requireNonNullElse(ended.group(1), "") : null;
  }

  /** The status that {@code info migrate} shows; null for no such line. */
  static @Nullable MigrationStatus status(String line) {
    Matcher status = STATUS.matcher(withoutPrompt(line));
    return status.matches()
        ? Stream.of(MigrationStatus.values())
            .filter(each -> each.qemuName().equals(status.group(1)))
            .findFirst()
            .orElse(null)
        : null;
  }

  static String withoutPrompt(String line) {
    return QemuLine.withoutPrompts(line);
  }

  /** The end that has a function of QEMU, as QEMU names it when it shows a device. */
  static @Nullable Role endOf(String function) {
    return switch (function) {
      case "source_resolve_host", "source_resolve_addr" -> Role.SOURCE;
      case "dest_init", "dest_connect" -> Role.DESTINATION;
      default -> null;
    };
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
        || isGreeting(line)
        || isStart(line)
        || heading(line) != null
        || ending(line) != null
        || status(line) != null
        || COMMAND_LINE.matcher(line).matches();
  }

  /** Whether a text before an event is what a terminal or a service manager puts there. */
  static boolean isPrefix(String text) {
    return text.isBlank() || PREFIX.matcher(text).matches();
  }
}
