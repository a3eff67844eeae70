// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.wridscope.telemetry.Role.DESTINATION;
import static org.wridscope.telemetry.Role.SOURCE;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * How the trace logs of other versions of QEMU differ from those of 7.2, to which {@link
 * QemuDecisions} refers. This is what to change when a new QEMU appears; {@code QemuVersionsTest}
 * names what is missing.
 */
final class QemuVersions {
  /** Trace events whose names match these contain everything that an import reads. */
  static final List<String> TRACE_PATTERNS =
      List.of(
          "qemu_rdma*",
          "rdma*",
          "migrate_*",
          "migration_bitmap_sync*",
          "migration_completion*",
          "qemu_savevm_query_pending*");

  /** The trace events of QEMU 2.0 that do not match. */
  static final String OLD_TRACE_PATTERN = "qemu_dma_*";

  // ---- lines

  /** How a line with a trace event and a time begins ({@code -msg timestamp=on}). */
  private enum Stamp {
    /** Thread, seconds and microseconds since 1970; in 2.0 to 10.0. */
    SECONDS("(?<!\\d)\\d{1,10}@(\\d{1,10})\\.(\\d{6}):"),
    /** ISO 8601, without the fraction if that is 0; in 11.1. */
    DATE("(?<!\\d)((?:19[7-9]\\d|2[01]\\d\\d)-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(\\.\\d{1,9})?Z ");

    private final Pattern line;

    Stamp(String beginning) {
      line =
          Pattern.compile(beginning + "(?<event>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?: (?<text>.*))?$");
    }

    /** In nanoseconds since 1970; {@link QemuLine#NO_TIME} if there is no such time. */
    private long nanos(Matcher found) {
      if (this == SECONDS) {
        return Long.parseLong(found.group(1)) * 1_000_000_000L
            + Long.parseLong(found.group(2)) * 1_000L;
      }
      try {
        String fraction = found.group(2);
        Instant time = Instant.parse(found.group(1) + (fraction == null ? "" : fraction) + "Z");
        return time.getEpochSecond() * 1_000_000_000L + time.getNano();
      } catch (DateTimeException e) {
        return QemuLine.NO_TIME;
      }
    }
  }

  /** Begins a line without a time. */
  private static final Pattern UNTIMED = Pattern.compile("([a-z][a-z0-9_]*)(?: (.*))?");

  /**
   * Finds a trace event with a time in a line.
   *
   * @return null if there is none
   */
  static @Nullable QemuLine timed(String line) {
    for (Stamp stamp : Stamp.values()) {
      Matcher found = stamp.line.matcher(line);
      if (found.find()) {
        return new QemuLine(
            stamp.nanos(found),
            inQemu72(found.group("event")),
            orEmpty(found.group("text")),
            line.substring(0, found.start()));
      }
    }
    return null;
  }

  /**
   * Reads a line that begins with a trace event of the migration, without a time.
   *
   * @return null if it begins with something else
   */
  static @Nullable QemuLine untimed(String line) {
    Matcher found = UNTIMED.matcher(line);
    return found.matches() && isOfMigration(found.group(1))
        ? new QemuLine(QemuLine.NO_TIME, inQemu72(found.group(1)), orEmpty(found.group(2)), "")
        : null;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  // ---- names

  /** Names of 7.2, by those of other versions. */
  static final Map<String, String> RENAMED =
      Map.of(
          "qemu_rdma_block_for_wrid_miss_b", "qemu_rdma_block_for_wrid_miss",
          "rdma_connect_incoming", "rdma_start_incoming_migration",
          "rdma_connect_incoming_after_dest_init", "rdma_start_incoming_migration_after_dest_init",
          "rdma_connect_incoming_after_rdma_listen",
              "rdma_start_incoming_migration_after_rdma_listen",
          "rdma_connect_outgoing_after_rdma_source_init",
              "rdma_start_outgoing_migration_after_rdma_source_init",
          "rdma_connect_outgoing_after_rdma_connect",
              "rdma_start_outgoing_migration_after_rdma_connect",
          "migrate_error", "migrate_fd_error");

  /** Beginnings of names in 7.2, by those in other versions. */
  static final Map<String, String> RENAMED_BEGINNINGS =
      Map.of("qemu_dma_", "qemu_rdma_", "rdma_registration_", "qemu_rdma_registration_");

  /** The name of an event in QEMU 7.2. */
  static String inQemu72(String event) {
    for (Map.Entry<String, String> beginning : RENAMED_BEGINNINGS.entrySet()) {
      if (event.startsWith(beginning.getKey())) {
        return beginning.getValue() + event.substring(beginning.getKey().length());
      }
    }
    return RENAMED.getOrDefault(event, event);
  }

  /** Events of which only one end writes those that begin so. */
  private static final Map<String, Role> OF_ONE_END =
      Map.of(
          "savevm_", SOURCE,
          "qemu_savevm_", SOURCE,
          "migration_thread_", SOURCE,
          "source_return_path_", SOURCE,
          "loadvm_", DESTINATION,
          "qemu_loadvm_", DESTINATION,
          "ram_load_", DESTINATION,
          "process_incoming_migration_", DESTINATION);

  /** Names of events of {@code migration/trace-events} in any version, but not of RDMA. */
  private static final Pattern REST =
      Pattern.compile(
          "(?:qemu_)?(?:savevm|loadvm)_.*"
              + "|(?:migration|migrate|process_incoming_migration|qemu_file)_.*"
              + "|(?:ram|multifd|(?:mark_)?postcopy|vmstate|dirty_bitmap|dirtyrate|colo|cpr)_.*"
              + "|(?:await|open|source)_return_path_.*"
              + "|(?:get|put|load|save)_(?:qtailq|gtree|qlist)(?:_end)?"
              + "|(?:cpu_throttle|save_xbzrle|get_queued|skip_sample|calc_page|find_page)_.*"
              + "|get_mem_fault_cpu_index|get_ramblock_vfn_hash|query_dirty_rate_info"
              + "|send_bitmap_.*");

  /** Whether an event belongs to the migration without RDMA, in any version. */
  static boolean isOfTheRest(String event) {
    return REST.matcher(event).matches();
  }

  /** The only end that writes an event of the migration without RDMA; null if both do. */
  static @Nullable Role endOfTheRest(String event) {
    return OF_ONE_END.entrySet().stream()
        .filter(beginning -> event.startsWith(beginning.getKey()))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(null);
  }

  /** Commands to the monitor, which are named like events. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "migrate_(?:incoming|cancel|continue|pause|recover|start_postcopy"
              + "|set_(?:speed|downtime|cache_size|capability|parameters?))");

  /** Whether a name at the beginning of a line is that of an event; this program adds some. */
  private static boolean isOfMigration(String name) {
    return !COMMAND.matcher(name).matches() && isOfMigrationOrCommand(name);
  }

  private static boolean isOfMigrationOrCommand(String name) {
    return name.startsWith("qemu_") || name.startsWith(QemuTraceText.OWN) || isOfTheRest(name);
  }

  /** Events that 7.2 does not have, under no name. */
  static List<QemuDecision> decisions() {
    return List.of(
        ignored(
            "qemu_rdma_cleanup_waiting_for_disconnect",
            "",
            "`qemu_rdma_cleanup_disconnect` follows"),
        new QemuDecision(
            "qemu_rdma_dump_id",
            Pattern.compile(".* RDMA Device opened: .*"),
            null,
            m -> new QemuEvent.DeviceOpened(m.group()),
            "device and link layer, which 7.2 prints without a trace event"),
        ignored("qemu_rdma_dump_id_failed", ".* RDMA Device opened, .*", "it names no device"),
        pending("migrate_pending_exact", "exact pending size (\\d+) .*"),
        pending("migrate_pending_estimate", "estimate pending size (\\d+) .*"),
        new QemuDecision(
            "qemu_savevm_query_pending",
            Pattern.compile("exact=\\d, final=(\\d), .*\\btotal=(\\d+)(?:,.*)?"),
            SOURCE,
            m ->
                m.group(1).equals("0")
                    ? new QemuEvent.Pending(Long.parseLong(m.group(2)))
                    : new QemuEvent.LastPending(Long.parseLong(m.group(2))),
            "RAM remaining; if `final`, that the synchronization before is not counted as a round"));
  }

  private static QemuDecision ignored(String event, String text, String why) {
    return new QemuDecision(event, Pattern.compile(text), null, null, why);
  }

  private static QemuDecision pending(String event, String text) {
    return new QemuDecision(
        event,
        Pattern.compile(text),
        SOURCE,
        m -> new QemuEvent.Pending(Long.parseLong(m.group(1))),
        "RAM remaining");
  }

  // ---- forms of arguments, for the patterns of the decisions

  /** A number; older versions write some without {@code 0x}. */
  static final String HEX = "(?:0x)?([0-9a-f]+)";

  /** A work request: its name, which 8.2 and later leave out, and its wrid. */
  static final String WRID = "(?:[A-Z ]+ \\()?(\\d+)\\)?";

  /** The completion of a READY, with or without its name and the number of its buffer. */
  static final String READY_COMPLETION = ".+ received \\(-?\\d+\\)";

  /** The name of a RAM block, which older versions leave out, and its number. */
  static final String BLOCK = "(?:'(.*)':)?(\\d+)";

  /** Which of two places in QEMU wrote it. */
  static final String PLACE = "[AB]";

  /** The result of pausing the guest, which older versions leave out. */
  static final String PAUSED = "(?:ret -?\\d+)?";

  /** Which request is awaited, which only older versions write. */
  static final String AWAITED = "(?:.*\\d+)?";

  // ---- statuses

  /** Statuses of a migration that continues, and that is shown with its status before. */
  private static final Set<String> FURTHER_STATUSES =
      Set.of(
          "wait-unplug",
          "postcopy-device",
          "postcopy-active",
          "postcopy-paused",
          "postcopy-recover-setup",
          "postcopy-recover",
          "colo");

  /**
   * What entering a status is.
   *
   * @param name that of {@code MigrationStatus} in QEMU, before 2.9 its number
   * @return null if no version has this status
   */
  static @Nullable QemuEvent status(String name) {
    if (FURTHER_STATUSES.contains(name)) {
      return new QemuEvent.Silent();
    }
    return Stream.of(MigrationStatus.values())
        .filter(status -> status.qemuName().equals(name) || isNumber(status, name))
        .findFirst()
        .map(status -> (QemuEvent) new QemuEvent.StatusEntered(status))
        .orElse(name.matches("\\d{1,2}") ? new QemuEvent.Silent() : null);
  }

  /** Whether a number stands for a status; the numbers of later ones differ between versions. */
  private static boolean isNumber(MigrationStatus status, String number) {
    return switch (number) {
      case "1" -> status == MigrationStatus.SETUP;
      case "2" -> status == MigrationStatus.CANCELLING;
      case "3" -> status == MigrationStatus.CANCELLED;
      case "4" -> status == MigrationStatus.ACTIVE;
      default -> false;
    };
  }

  private QemuVersions() {}
}
