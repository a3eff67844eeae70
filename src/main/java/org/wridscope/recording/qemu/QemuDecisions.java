// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.wridscope.recording.qemu.QemuVersions.AWAITED;
import static org.wridscope.recording.qemu.QemuVersions.BLOCK;
import static org.wridscope.recording.qemu.QemuVersions.HEX;
import static org.wridscope.recording.qemu.QemuVersions.PAUSED;
import static org.wridscope.recording.qemu.QemuVersions.PLACE;
import static org.wridscope.recording.qemu.QemuVersions.READY_COMPLETION;
import static org.wridscope.recording.qemu.QemuVersions.WRID;
import static org.wridscope.telemetry.Role.DESTINATION;
import static org.wridscope.telemetry.Role.SOURCE;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

/**
 * The decision about each trace event of QEMU 7.2's {@code migration/trace-events}. Where other
 * versions differ, the patterns are made of parts of {@link QemuVersions}, which also has the
 * decisions about events that 7.2 does not have.
 */
final class QemuDecisions {
  private static final @Nullable Role BOTH = null;
  private static final String NONE = "";
  private static final String OTHER_DEVICE = "of the paravirtual RDMA device, not of the migration";

  /** More chunks than any recording holds. */
  private static final long MOST_CHUNKS = Integer.MAX_VALUE;

  private final List<QemuDecision> all = new ArrayList<>();

  private QemuDecisions() {}

  /** The events of QEMU's RDMA migration. */
  static List<QemuDecision> ofRdma() {
    var decisions = new QemuDecisions();
    decisions.connection();
    decisions.blocks();
    decisions.messages();
    decisions.completions();
    decisions.writes();
    decisions.registrations();
    decisions.unregistrations();
    return List.copyOf(decisions.all);
  }

  /** Events whose names start like those of the migration, but that belong to something else. */
  static List<QemuDecision> ofOthers() {
    var decisions = new QemuDecisions();
    for (String event :
        List.of(
            "rdma_backend_gid_change",
            "rdma_backend_get_gid_index",
            "rdma_backend_rc_qp_state_init",
            "rdma_backend_rc_qp_state_rtr",
            "rdma_backend_rc_qp_state_rts",
            "rdma_backend_ud_qp_state_init",
            "rdma_backend_ud_qp_state_rtr",
            "rdma_backend_ud_qp_state_rts",
            "rdma_check_dev_attr",
            "rdma_create_ah_cache_hit",
            "rdma_create_ah_cache_miss",
            "rdma_mad_message",
            "rdma_pci_dma_map",
            "rdma_pci_dma_unmap",
            "rdma_poll_cq",
            "rdma_res_tbl_alloc",
            "rdma_res_tbl_dealloc",
            "rdma_res_tbl_get",
            "rdma_rm_alloc_mr",
            "rdma_rm_alloc_qp",
            "rdma_rm_dealloc_mr",
            "rdma_rm_modify_qp")) {
      decisions.ignored(event, BOTH, ".*", OTHER_DEVICE);
    }
    return List.copyOf(decisions.all);
  }

  /** Events of the rest of the migration, which show how it went on. */
  static List<QemuDecision> ofMigration() {
    var decisions = new QemuDecisions();
    decisions.read(
        "migrate_set_state",
        BOTH,
        "new state (\\S+)",
        "status",
        m -> QemuVersions.status(m.group(1)));
    decisions.read(
        "migrate_pending",
        SOURCE,
        "pending size (\\d+) max .*",
        "RAM remaining",
        m -> new QemuEvent.Pending(decimal(m, 1)));
    decisions.read(
        "migration_bitmap_sync_start",
        SOURCE,
        NONE,
        "end of a round",
        m -> new QemuEvent.SyncBegan());
    decisions.read(
        "migration_bitmap_sync_end",
        SOURCE,
        "dirty_pages (\\d+)",
        "begin of a round",
        m -> new QemuEvent.SyncEnded(decimal(m, 1)));
    decisions.read(
        "migration_completion_vm_stop",
        SOURCE,
        PAUSED,
        "pause of the guest",
        m -> new QemuEvent.GuestStopped());
    decisions.read(
        "migrate_fd_error",
        BOTH,
        "error=(.+)",
        "why the migration failed",
        m -> new QemuEvent.Failed(m.group(1)));
    return List.copyOf(decisions.all);
  }

  private void read(
      String event,
      @Nullable Role end,
      String text,
      String what,
      Function<Matcher, @Nullable QemuEvent> reading) {
    all.add(new QemuDecision(event, Pattern.compile(text), end, reading, what));
  }

  private void ignored(String event, @Nullable Role end, String text, String why) {
    all.add(new QemuDecision(event, Pattern.compile(text), end, null, why));
  }

  private void connection() {
    ignored(
        "rdma_start_incoming_migration",
        DESTINATION,
        NONE,
        "`…accept_incoming_migration` starts the connection");
    ignored(
        "rdma_start_incoming_migration_after_dest_init",
        DESTINATION,
        NONE,
        "a step of the preparation");
    ignored(
        "rdma_start_incoming_migration_after_rdma_listen",
        DESTINATION,
        NONE,
        "a step of the preparation");
    ignored(
        "rdma_start_outgoing_migration_after_rdma_source_init",
        SOURCE,
        NONE,
        "a step of the preparation");
    read(
        "rdma_start_outgoing_migration_after_rdma_connect",
        SOURCE,
        NONE,
        "connection established",
        m -> new QemuEvent.Connected());
    read(
        "qemu_rdma_resolve_host_trying",
        SOURCE,
        "Trying (.*) => (.*)",
        "host of the URI",
        m -> new QemuEvent.Silent());
    read(
        "qemu_rdma_dest_init_trying",
        DESTINATION,
        "(.*) => (.*)",
        "host of the URI",
        m -> new QemuEvent.Silent());
    read(
        "qemu_rdma_dump_gid",
        BOTH,
        "(\\S+) Source GID: (\\S{1,64}), Dest GID: (\\S{1,64})",
        "GIDs of the session",
        m -> new QemuEvent.Gids(m.group(1), m.group(2), m.group(3)));
    read(
        "qemu_rdma_accept_incoming_migration",
        DESTINATION,
        NONE,
        "begin of the migration at the destination",
        m -> new QemuEvent.ConnectionAwaited());
    read(
        "qemu_rdma_accept_incoming_migration_accepted",
        DESTINATION,
        NONE,
        "connection established",
        m -> new QemuEvent.Connected());
    ignored(
        "qemu_rdma_accept_pin_verbsc",
        DESTINATION,
        "Verbs context after listen: .*",
        "an address in QEMU's memory");
    read(
        "qemu_rdma_accept_pin_state",
        DESTINATION,
        "(\\d+)",
        "pin-all, and with it the registration of all RAM",
        QemuDecisions::pinAll);
    read(
        "qemu_rdma_connect_pin_all_requested",
        SOURCE,
        NONE,
        "pin-all requested",
        m -> new QemuEvent.PinAllRequested());
    read(
        "qemu_rdma_connect_pin_all_outcome",
        SOURCE,
        "(\\d+)",
        "pin-all, and with it the registration of all RAM",
        QemuDecisions::pinAll);
    read(
        "qemu_rdma_cleanup_disconnect",
        BOTH,
        NONE,
        "connection ended",
        m -> new QemuEvent.Disconnected());
    ignored(
        "qemu_rdma_close",
        BOTH,
        NONE,
        "closes QEMU's file; `…cleanup_disconnect` tells when the connection ended");
  }

  private void blocks() {
    read(
        "rdma_add_block",
        BOTH,
        "Added Block: " + BLOCK + ", addr: (\\d+), offset: (\\d+) length: (\\d+) end: .*",
        "RAM block",
        m ->
            new QemuEvent.BlockAdded(
                m.group(1) == null ? "block " + m.group(2) : m.group(1),
                decimal(m, 3),
                decimal(m, 4),
                decimal(m, 5)));
    read(
        "qemu_rdma_init_ram_blocks",
        BOTH,
        "Allocated \\d+ local ram block structures",
        "RAM blocks complete",
        m -> new QemuEvent.BlocksListed());
    read(
        "rdma_block_notification_handle",
        DESTINATION,
        "(.*) at (\\d+)",
        "order of the RAM blocks at the source",
        m -> new QemuEvent.BlockNotified(m.group(1), number(m, 2)));
    read(
        "qemu_rdma_registration_handle_ram_blocks",
        DESTINATION,
        NONE,
        "RAM blocks complete",
        m -> new QemuEvent.BlocksAsked());
    ignored(
        "qemu_rdma_registration_handle_ram_blocks_loop",
        DESTINATION,
        ".*: @" + HEX + "/\\d+ host:@" + HEX + " src_index: \\d+",
        "repeats `rdma_add_block` and `rdma_block_notification_handle`");
    read(
        "rdma_delete_block",
        BOTH,
        "Deleted Block: .*, addr: (\\d+), offset: \\d+ length: \\d+ end: .*",
        "end of all registrations of the block",
        m -> new QemuEvent.BlockDeleted(decimal(m, 1)));
  }

  private void messages() {
    read(
        "qemu_rdma_post_send_control",
        BOTH,
        "CONTROL: sending (.*)\\.\\.",
        "message sent, and the wait for the completion of its SEND",
        m -> message(m, QemuEvent.ControlSent::new));
    read(
        "qemu_rdma_exchange_get_response_start",
        BOTH,
        "CONTROL: (.*) receiving\\.\\.\\.",
        "message received; for READY, that the source was waiting for it",
        m -> message(m, QemuEvent.ControlReceived::new));
    read(
        "qemu_rdma_exchange_get_response_none",
        DESTINATION,
        "Surprise: got (.*) \\((\\d+)\\)",
        "message received",
        m -> message(m, QemuEvent.OtherReceived::new));
    read(
        "qemu_rdma_exchange_send_waiting",
        SOURCE,
        "Waiting for response (.*)",
        "begin of the wait for an answer",
        m -> new QemuEvent.WaitBegan(ControlType.named(m.group(1))));
    read(
        "qemu_rdma_exchange_send_received",
        SOURCE,
        "Response .* received\\.",
        "end of the wait for an answer",
        m -> new QemuEvent.WaitEnded());
    read(
        "qemu_rdma_exchange_send_issue_callback",
        SOURCE,
        NONE,
        "with pin-all, registration of all RAM",
        m -> new QemuEvent.PinsAll());
    read(
        "qemu_rdma_registration_handle_wait",
        DESTINATION,
        AWAITED,
        "begin of the wait for the next registration message",
        m -> new QemuEvent.RegistrationAwaited());
    ignored(
        "qemu_rdma_registration_handle_finished",
        DESTINATION,
        NONE,
        "repeats `…get_response_none`");
    ignored(
        "qemu_rdma_registration_start",
        SOURCE,
        "\\d+",
        "a step of the engine; rounds begin with the synchronization of the dirty log");
    ignored(
        "qemu_rdma_registration_stop",
        SOURCE,
        "\\d+",
        "a step of the engine; REGISTER FINISHED follows");
    ignored(
        "qemu_rdma_registration_stop_ram",
        SOURCE,
        NONE,
        "a step of the engine; RAM BLOCKS REQUEST follows");
    ignored(
        "qemu_rdma_fill",
        BOTH,
        "RDMA -?\\d+ of -?\\d+ bytes already in buffer",
        "QEMU reads bytes that had arrived before");
  }

  private void completions() {
    read(
        "qemu_rdma_poll_recv",
        BOTH,
        "completion " + READY_COMPLETION + " left -?\\d+",
        "the next completion is that of a READY",
        m -> new QemuEvent.ReadyPolled());
    read(
        "qemu_rdma_poll_other",
        BOTH,
        "other completion " + WRID + " received left -?\\d+",
        "completion of a SEND or a receive",
        m -> new QemuEvent.ControlCompleted(decimal(m, 1) & 0xffff));
    read(
        "qemu_rdma_poll_write",
        SOURCE,
        "completions " + WRID + " left -?\\d+, block (\\d+), chunk: (\\d+) .*",
        "completion of an RDMA WRITE",
        m -> new QemuEvent.WriteCompleted(number(m, 2), decimal(m, 3)));
    read(
        "qemu_rdma_block_for_wrid_miss",
        BOTH,
        PLACE + " Wanted wrid " + WRID + " but got " + WRID,
        "completion handled by another wait (no harm) or dropped, see below",
        m -> new QemuEvent.Missed(decimal(m, 1) & 0xffff, decimal(m, 2) & 0xffff));
  }

  private void writes() {
    ignored(
        "qemu_rdma_write_one_top",
        SOURCE,
        "Writing \\d+ chunks, \\(\\d+ MB\\)",
        "the writes follow");
    ignored(
        "qemu_rdma_write_flush",
        SOURCE,
        "sent total: -?\\d+",
        "how many writes are in transit follows from posts and completions");
    read(
        "qemu_rdma_write_one_block",
        SOURCE,
        "\\(\\d+\\) Not clobbering: block: (\\d+) chunk (\\d+) current \\d+ len \\d+ -?\\d+ \\d+",
        "begin of the wait for an earlier write to the same chunk",
        m -> new QemuEvent.WriteAwaited(number(m, 1), decimal(m, 2)));
    read(
        "qemu_rdma_write_one_queue_full",
        SOURCE,
        NONE,
        "begin of the wait for room in the send queue",
        m -> new QemuEvent.RoomAwaited());
    read(
        "qemu_rdma_write_one_post",
        SOURCE,
        "Posting chunk: (\\d+), addr: " + HEX + " remote: " + HEX + ", bytes (\\d+)",
        "RDMA WRITE posted",
        m ->
            new QemuEvent.WritePosted(
                decimal(m, 1),
                hexadecimal(m, 2),
                hexadecimal(m, 3),
                Integer.parseUnsignedInt(m.group(4))));
    read(
        "qemu_rdma_write_one_zero",
        SOURCE,
        "Entire chunk is zero, sending compress: (\\d+) for (\\d+) bytes, index: (\\d+), offset:"
            + " (\\d+)",
        "zero RAM",
        m -> new QemuEvent.Zeros(number(m, 3), decimal(m, 4), decimal(m, 2)));
    read(
        "qemu_rdma_registration_handle_compress",
        DESTINATION,
        "Zapping zero chunk: (\\d+) bytes, index (\\d+), offset (\\d+)",
        "zero RAM",
        m -> new QemuEvent.Zeros(number(m, 2), decimal(m, 3), decimal(m, 1)));
  }

  private void registrations() {
    read(
        "qemu_rdma_write_one_sendreg",
        SOURCE,
        "Sending registration request chunk \\d+ for (-?\\d+) bytes, index: (\\d+), offset:"
            + " (-?\\d+)",
        "request for a key",
        m -> new QemuEvent.KeyRequested(number(m, 2), decimal(m, 3), decimal(m, 1)));
    read(
        "qemu_rdma_write_one_recvregres",
        SOURCE,
        "Received registration result: my key: " + HEX + " their key " + HEX + ", chunk (\\d+)",
        "key of the destination",
        m -> new QemuEvent.KeyReceived(key(m, 2), decimal(m, 3)));
    read(
        "qemu_rdma_register_and_get_keys",
        BOTH,
        "Registering (\\d+) bytes @ " + HEX,
        "registration",
        m -> new QemuEvent.Registering(decimal(m, 1), hexadecimal(m, 2)));
    ignored(
        "qemu_rdma_registration_handle_register",
        DESTINATION,
        "-?\\d+ requests",
        "`…register_and_get_keys` tells each registration");
    read(
        "qemu_rdma_registration_handle_register_loop",
        DESTINATION,
        "Registration request \\(-?\\d+\\): index (-?\\d+), current_addr (\\d+) chunks: (\\d+)",
        "request for a key",
        m -> new QemuEvent.KeyRequested(number(m, 1), decimal(m, 2), chunksAfter(decimal(m, 3))));
    read(
        "qemu_rdma_registration_handle_register_rkey",
        DESTINATION,
        HEX,
        "key of the destination",
        m -> new QemuEvent.KeyGiven(key(m, 1)));
    ignored(
        "qemu_rdma_register_odp_mr",
        BOTH,
        "Try to register On-Demand Paging memory region: .*",
        "a recording does not tell registrations with on-demand paging from others");
    ignored(
        "qemu_rdma_advise_mr",
        BOTH,
        "Try to advise block .* prefetch at \\d+@" + HEX + ": .*",
        "advice to the device, which changes no registration");
  }

  private void unregistrations() {
    read(
        "qemu_rdma_signal_unregister_append",
        SOURCE,
        "Appending unregister chunk (\\d+) at position (\\d+)",
        "chunk that need not stay registered",
        m -> new QemuEvent.UnregisterQueued(decimal(m, 1), number(m, 2)));
    read(
        "qemu_rdma_signal_unregister_already",
        SOURCE,
        "Unregister chunk (\\d+) already in queue",
        "chunk that need not stay registered, once more",
        m -> new QemuEvent.UnregisterQueuedAlready(decimal(m, 1)));
    read(
        "qemu_rdma_unregister_waiting_proc",
        SOURCE,
        "Processing unregister for chunk: (\\d+) at position (\\d+)",
        "the RAM block of the following events",
        m -> new QemuEvent.UnregisterTaken(decimal(m, 1), number(m, 2)));
    read(
        "qemu_rdma_unregister_waiting_inflight",
        SOURCE,
        "Cannot unregister inflight chunk: (\\d+)",
        "deregistration postponed",
        m -> new QemuEvent.UnregisterPostponed());
    read(
        "qemu_rdma_unregister_waiting_send",
        SOURCE,
        "Sending unregister for chunk: (\\d+)",
        "deregistration",
        m -> new QemuEvent.Unregistering(decimal(m, 1)));
    read(
        "qemu_rdma_unregister_waiting_complete",
        SOURCE,
        "Unregister for chunk: (\\d+) complete\\.",
        "the destination has deregistered, too",
        m -> new QemuEvent.UnregisterConfirmed());
    ignored(
        "qemu_rdma_registration_handle_unregister",
        DESTINATION,
        "-?\\d+ requests",
        "`…handle_unregister_loop` tells each chunk");
    read(
        "qemu_rdma_registration_handle_unregister_loop",
        DESTINATION,
        "Unregistration request \\((-?\\d+)\\): index (-?\\d+), chunk (\\d+)",
        "chunk of the following deregistration",
        m -> new QemuEvent.UnregisterAsked(number(m, 1), number(m, 2), decimal(m, 3)));
    read(
        "qemu_rdma_registration_handle_unregister_success",
        DESTINATION,
        "(\\d+)",
        "deregistration",
        m -> new QemuEvent.Unregistered(decimal(m, 1)));
  }

  // ------------------------------------------------------------------------------------ the parts

  private static int number(Matcher m, int group) {
    return Integer.parseInt(m.group(group));
  }

  private static long decimal(Matcher m, int group) {
    return Long.parseLong(m.group(group));
  }

  private static long hexadecimal(Matcher m, int group) {
    return Long.parseUnsignedLong(m.group(group), 16);
  }

  /** Bytes of a chunk and of others after it, which begin in the middle of the first one. */
  private static long chunksAfter(long more) {
    return more < 0 || more > MOST_CHUNKS ? 0 : (more << ChunkTable.CHUNK_SHIFT) + 1;
  }

  private static int key(Matcher m, int group) {
    return Integer.parseUnsignedInt(m.group(group), 16);
  }

  private static @Nullable QemuEvent message(Matcher m, Function<ControlType, QemuEvent> reading) {
    ControlType type = ControlType.named(m.group(1));
    return type == null ? null : reading.apply(type);
  }

  private static QemuEvent pinAll(Matcher m) {
    return new QemuEvent.PinAll(m.group(1).equals("1"));
  }
}
