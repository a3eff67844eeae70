// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.MigrationStatus;

/** Parses trace events of QEMU 7.2; see its {@code migration/trace-events}. */
final class QemuEventParser {
  /**
   * The pattern of an event's text and the function that parses it, which returns null for values
   * unknown to QEMU.
   */
  private record Form(Pattern text, Function<Matcher, @Nullable QemuEvent> reading) {}

  private static final Map<String, Form> FORMS = new HashMap<>();

  /** Events of a migration over RDMA that repeat the information of others. */
  private static final Set<String> SILENT =
      Set.of(
          "qemu_rdma_accept_pin_verbsc",
          "qemu_rdma_close",
          "qemu_rdma_connect_pin_all_requested",
          "qemu_rdma_dest_init_trying",
          "qemu_rdma_dump_gid",
          "qemu_rdma_exchange_send_issue_callback",
          "qemu_rdma_fill",
          "qemu_rdma_register_odp_mr",
          "qemu_rdma_advise_mr",
          "qemu_rdma_registration_handle_finished",
          "qemu_rdma_registration_handle_register",
          "qemu_rdma_registration_handle_register_loop",
          "qemu_rdma_registration_handle_unregister",
          "qemu_rdma_registration_start",
          "qemu_rdma_registration_stop",
          "qemu_rdma_registration_stop_ram",
          "qemu_rdma_signal_unregister_append",
          "qemu_rdma_signal_unregister_already",
          "qemu_rdma_unregister_waiting_inflight",
          "qemu_rdma_unregister_waiting_proc",
          "qemu_rdma_unregister_waiting_send",
          "qemu_rdma_unregister_waiting_complete",
          "qemu_rdma_write_flush",
          "qemu_rdma_write_one_block",
          "qemu_rdma_write_one_queue_full",
          "qemu_rdma_write_one_sendreg",
          "qemu_rdma_write_one_top",
          "rdma_delete_block",
          "rdma_start_incoming_migration",
          "rdma_start_incoming_migration_after_dest_init",
          "rdma_start_incoming_migration_after_rdma_listen",
          "rdma_start_outgoing_migration_after_rdma_source_init",
          "qemu_file_fclose",
          "process_incoming_migration_co_end",
          "qemu_rdma_registration_handle_unregister_loop",
          "qemu_rdma_registration_handle_unregister_success",
          "qemu_rdma_resolve_host_trying");

  static {
    form(
        "rdma_add_block",
        "Added Block: '(.*)':(\\d+), addr: (\\d+), offset: (\\d+) length: (\\d+) end: .*",
        m -> new QemuEvent.BlockAdded(m.group(1), decimal(m, 3), decimal(m, 4), decimal(m, 5)));
    form("qemu_rdma_init_ram_blocks", ".*", m -> new QemuEvent.BlocksListed());
    form(
        "rdma_block_notification_handle",
        "(.*) at (\\d+)",
        m -> new QemuEvent.BlockNotified(m.group(1), number(m, 2)));
    form("qemu_rdma_registration_handle_ram_blocks", ".*", m -> new QemuEvent.BlocksAsked());
    form(
        "qemu_rdma_registration_handle_ram_blocks_loop",
        "(.*): @0x([0-9a-f]+)/(\\d+) host:@0x[0-9a-f]+ src_index: (\\d+)",
        m -> new QemuEvent.Silent());

    form(
        "qemu_rdma_post_send_control",
        "CONTROL: sending (.*)\\.\\.",
        m -> message(m, QemuEvent.ControlSent::new));
    form(
        "qemu_rdma_exchange_get_response_start",
        "CONTROL: (.*) receiving\\.\\.\\.",
        m -> message(m, QemuEvent.ControlReceived::new));
    form(
        "qemu_rdma_exchange_get_response_none",
        "Surprise: got (.*) \\((\\d+)\\)",
        m -> message(m, QemuEvent.OtherReceived::new));

    form(
        "qemu_rdma_poll_recv",
        "completion (.*) #(-?\\d+) received \\((\\d+)\\) left (\\d+)",
        m -> new QemuEvent.ReadyPolled());
    form(
        "qemu_rdma_poll_other",
        "other completion (.*) \\((\\d+)\\) received left (\\d+)",
        m -> new QemuEvent.ControlCompleted(number(m, 2) & 0xffff));
    form(
        "qemu_rdma_poll_write",
        "completions (.*) \\((\\d+)\\) left (\\d+), block (\\d+), chunk: (\\d+) .*",
        m -> new QemuEvent.WriteCompleted(number(m, 4), decimal(m, 5)));
    form(
        "qemu_rdma_block_for_wrid_miss",
        "A Wanted wrid (.*) \\((\\d+)\\) but got (.*) \\((\\d+)\\)",
        QemuEventParser::missed);

    form(
        "qemu_rdma_write_one_post",
        "Posting chunk: (\\d+), addr: 0x([0-9a-f]+) remote: 0x([0-9a-f]+), bytes (\\d+)",
        m ->
            new QemuEvent.WritePosted(
                decimal(m, 1),
                hexadecimal(m, 2),
                hexadecimal(m, 3),
                Integer.parseUnsignedInt(m.group(4))));
    form(
        "qemu_rdma_write_one_zero",
        "Entire chunk is zero, sending compress: (\\d+) for (\\d+) bytes, index: (\\d+), offset:"
            + " (\\d+)",
        m -> new QemuEvent.Zeros(number(m, 3), decimal(m, 4), decimal(m, 2)));
    form(
        "qemu_rdma_registration_handle_compress",
        "Zapping zero chunk: (\\d+) bytes, index (\\d+), offset (\\d+)",
        m -> new QemuEvent.Zeros(number(m, 2), decimal(m, 3), decimal(m, 1)));

    form(
        "qemu_rdma_register_and_get_keys",
        "Registering (\\d+) bytes @ 0x([0-9a-f]+)",
        m -> new QemuEvent.Registering(decimal(m, 1), hexadecimal(m, 2)));
    form(
        "qemu_rdma_registration_handle_register_rkey",
        "0x([0-9a-f]+)",
        m -> new QemuEvent.KeyGiven(key(m)));
    form(
        "qemu_rdma_write_one_recvregres",
        "Received registration result: my key: 0x[0-9a-f]+ their key 0x([0-9a-f]+), chunk (\\d+)",
        m -> new QemuEvent.KeyReceived(key(m), decimal(m, 2)));

    form(
        "qemu_rdma_exchange_send_waiting",
        "Waiting for response (.*)",
        m -> new QemuEvent.WaitBegan(m.group(1)));
    form("qemu_rdma_exchange_send_received", ".*", m -> new QemuEvent.WaitEnded());
    form("qemu_rdma_registration_handle_wait", ".*", m -> new QemuEvent.RegistrationAwaited());

    form("migrate_set_state", "new state (\\S+)", QemuEventParser::status);
    form(
        "migrate_pending", "pending size (\\d+) max .*", m -> new QemuEvent.Pending(decimal(m, 1)));
    form("migration_bitmap_sync_start", ".*", m -> new QemuEvent.SyncBegan());
    form(
        "migration_bitmap_sync_end",
        "dirty_pages (\\d+)",
        m -> new QemuEvent.SyncEnded(decimal(m, 1)));
    form("migration_completion_vm_stop", ".*", m -> new QemuEvent.GuestStopped());

    form("qemu_rdma_accept_incoming_migration", ".*", m -> new QemuEvent.ConnectionAwaited());
    form("qemu_rdma_accept_incoming_migration_accepted", ".*", m -> new QemuEvent.Connected());
    form("rdma_start_outgoing_migration_after_rdma_connect", ".*", m -> new QemuEvent.Connected());
    form("qemu_rdma_connect_pin_all_outcome", "(.*)", QemuEventParser::pinAll);
    form("qemu_rdma_accept_pin_state", "(.*)", QemuEventParser::pinAll);
    form("qemu_rdma_cleanup_disconnect", ".*", m -> new QemuEvent.Disconnected());
  }

  private QemuEventParser() {}

  private static void form(
      String event, String text, Function<Matcher, @Nullable QemuEvent> reading) {
    FORMS.put(event, new Form(Pattern.compile(text), reading));
  }

  /** Parses a trace event; empty when QEMU does not write such a line. */
  static Optional<QemuEvent> parse(QemuLine line) {
    Form form = FORMS.get(line.event());
    if (form == null) {
      return isSilent(line.event()) ? Optional.of(new QemuEvent.Silent()) : Optional.empty();
    }
    Matcher text = form.text.matcher(line.text());
    try {
      return text.matches() ? Optional.ofNullable(form.reading.apply(text)) : Optional.empty();
    } catch (NumberFormatException e) {
      // A number that QEMU never writes.
      return Optional.empty();
    }
  }

  private static boolean isSilent(String event) {
    return SILENT.contains(event)
        || event.startsWith("savevm_")
        || event.startsWith("loadvm_")
        || event.startsWith("qemu_loadvm_")
        || event.startsWith("ram_load_")
        || event.startsWith("migration_")
        || event.startsWith("migrate_")
        || event.startsWith("source_return_path_");
  }

  private static int number(Matcher m, int group) {
    return Integer.parseInt(m.group(group));
  }

  private static long decimal(Matcher m, int group) {
    return Long.parseLong(m.group(group));
  }

  private static long hexadecimal(Matcher m, int group) {
    return Long.parseUnsignedLong(m.group(group), 16);
  }

  private static int key(Matcher m) {
    return Integer.parseUnsignedInt(m.group(1), 16);
  }

  private static @Nullable QemuEvent message(Matcher m, Function<ControlType, QemuEvent> reading) {
    return Stream.of(ControlType.values())
        .filter(type -> type.text().equals(m.group(1)))
        .findFirst()
        .map(reading)
        .orElse(null);
  }

  /** An unexpected completion of a write is processed all the same. */
  private static QemuEvent missed(Matcher m) {
    long got = Long.parseUnsignedLong(m.group(4));
    return WorkRequestId.type(got) == WorkRequestId.RDMA_WRITE
        ? new QemuEvent.Silent()
        : new QemuEvent.Missed(number(m, 2), got);
  }

  private static @Nullable QemuEvent status(Matcher m) {
    return Stream.of(MigrationStatus.values())
        .filter(status -> status.qemuName().equals(m.group(1)))
        .findFirst()
        .map(QemuEvent.StatusEntered::new)
        .orElse(null);
  }

  private static QemuEvent pinAll(Matcher m) {
    return new QemuEvent.PinAll(m.group(1).strip().equals("1"));
  }
}
