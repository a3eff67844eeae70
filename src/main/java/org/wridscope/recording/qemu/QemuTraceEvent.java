// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.wridscope.recording.qemu.QemuTraceEvent.Writing.DERIVED;
import static org.wridscope.recording.qemu.QemuTraceEvent.Writing.NEVER;
import static org.wridscope.recording.qemu.QemuTraceEvent.Writing.RECORDED;

import java.util.Locale;

/**
 * The trace events of QEMU 7.2 {@code migration/rdma.c}, with their formats in {@code
 * migration/trace-events}, and how {@link QemuTraceText} comes to write each of them.
 */
public enum QemuTraceEvent {
  START_INCOMING_MIGRATION("rdma_start_incoming_migration", "", DERIVED, "begins the trace"),
  DEST_INIT_TRYING("qemu_rdma_dest_init_trying", "%s => %s", DERIVED, "from the URI"),
  START_INCOMING_MIGRATION_AFTER_DEST_INIT(
      "rdma_start_incoming_migration_after_dest_init", "", DERIVED, "begins the trace"),
  START_INCOMING_MIGRATION_AFTER_RDMA_LISTEN(
      "rdma_start_incoming_migration_after_rdma_listen", "", DERIVED, "begins the trace"),
  ACCEPT_INCOMING_MIGRATION(
      "qemu_rdma_accept_incoming_migration", "", DERIVED, "when the connection is established"),
  ACCEPT_PIN_STATE("qemu_rdma_accept_pin_state", "%d", RECORDED, ""),
  ACCEPT_PIN_VERBSC(
      "qemu_rdma_accept_pin_verbsc",
      "Verbs context after listen: %s",
      NEVER,
      "it is a pointer in QEMU's memory"),
  ACCEPT_INCOMING_MIGRATION_ACCEPTED(
      "qemu_rdma_accept_incoming_migration_accepted", "", RECORDED, ""),

  RESOLVE_HOST_TRYING("qemu_rdma_resolve_host_trying", "Trying %s => %s", DERIVED, "from the URI"),
  DUMP_GID(
      "qemu_rdma_dump_gid",
      "%s Source GID: %s, Dest GID: %s",
      RECORDED,
      "once the route is known; QEMU also writes it before"),
  START_OUTGOING_MIGRATION_AFTER_RDMA_SOURCE_INIT(
      "rdma_start_outgoing_migration_after_rdma_source_init", "", DERIVED, "begins the trace"),
  CONNECT_PIN_ALL_REQUESTED(
      "qemu_rdma_connect_pin_all_requested", "", DERIVED, "when the connection is established"),
  CONNECT_PIN_ALL_OUTCOME("qemu_rdma_connect_pin_all_outcome", "%d", RECORDED, ""),
  START_OUTGOING_MIGRATION_AFTER_RDMA_CONNECT(
      "rdma_start_outgoing_migration_after_rdma_connect", "", RECORDED, ""),

  ADD_BLOCK(
      "rdma_add_block",
      "Added Block: '%s':%d, addr: %s, offset: %d length: %d end: %s bits %d chunks %d",
      RECORDED,
      ""),
  INIT_RAM_BLOCKS(
      "qemu_rdma_init_ram_blocks",
      "Allocated %d local ram block structures",
      DERIVED,
      "after the blocks"),
  BLOCK_NOTIFICATION_HANDLE(
      "rdma_block_notification_handle", "%s at %d", DERIVED, "from the order of the blocks"),
  DELETE_BLOCK(
      "rdma_delete_block",
      "Deleted Block: (nil), addr: %s, offset: %d length: %d end: %s bits %d chunks %d",
      DERIVED,
      "from the end of its registrations or of the session; QEMU's pointer is written as (nil)"),

  POST_SEND_CONTROL("qemu_rdma_post_send_control", "CONTROL: sending %s..", RECORDED, ""),
  EXCHANGE_GET_RESPONSE_START(
      "qemu_rdma_exchange_get_response_start", "CONTROL: %s receiving...", RECORDED, ""),
  EXCHANGE_GET_RESPONSE_NONE(
      "qemu_rdma_exchange_get_response_none", "Surprise: got %s (%d)", RECORDED, ""),
  EXCHANGE_SEND_ISSUE_CALLBACK(
      "qemu_rdma_exchange_send_issue_callback", "", DERIVED, "before the registrations of pin-all"),
  EXCHANGE_SEND_WAITING("qemu_rdma_exchange_send_waiting", "Waiting for response %s", RECORDED, ""),
  EXCHANGE_SEND_RECEIVED("qemu_rdma_exchange_send_received", "Response %s received.", RECORDED, ""),
  FILL(
      "qemu_rdma_fill",
      "RDMA %d of %d bytes already in buffer",
      DERIVED,
      "once for each QEMU FILE"),

  POLL_RECV("qemu_rdma_poll_recv", "completion %s #%d received (%d) left %d", RECORDED, ""),
  POLL_WRITE(
      "qemu_rdma_poll_write",
      "completions %s (%d) left %d, block %d, chunk: %d %s %s",
      RECORDED,
      "for each write that a completion covers, because QEMU signals all of them"),
  POLL_OTHER("qemu_rdma_poll_other", "other completion %s (%d) received left %d", RECORDED, ""),
  BLOCK_FOR_WRID_MISS(
      "qemu_rdma_block_for_wrid_miss", "A Wanted wrid %s (%d) but got %s (%d)", RECORDED, ""),

  REGISTRATION_START("qemu_rdma_registration_start", "%d", DERIVED, "from the rounds"),
  REGISTRATION_STOP_RAM(
      "qemu_rdma_registration_stop_ram", "", DERIVED, "before RAM BLOCKS REQUEST"),
  REGISTRATION_STOP("qemu_rdma_registration_stop", "%d", DERIVED, "before REGISTER FINISHED"),
  WRITE_ONE_TOP(
      "qemu_rdma_write_one_top",
      "Writing %d chunks, (%d MB)",
      DERIVED,
      "before each write or zero range"),
  WRITE_ONE_BLOCK(
      "qemu_rdma_write_one_block",
      "(%d) Not clobbering: block: %d chunk %d current %d len %d %d %d",
      NEVER,
      "the engine does not wait for an earlier write to a chunk before it posts the next one"),
  WRITE_ONE_ZERO(
      "qemu_rdma_write_one_zero",
      "Entire chunk is zero, sending compress: %d for %d bytes, index: %d, offset: %d",
      RECORDED,
      "for each range of zeros, after its COMPRESS"),
  WRITE_ONE_SENDREG(
      "qemu_rdma_write_one_sendreg",
      "Sending registration request chunk %d for %d bytes, index: %d, offset: %d",
      RECORDED,
      ""),
  WRITE_ONE_RECVREGRES(
      "qemu_rdma_write_one_recvregres",
      "Received registration result: my key: 0x%x their key 0x%x, chunk %d",
      RECORDED,
      "for each chunk that the key is for"),
  WRITE_ONE_POST(
      "qemu_rdma_write_one_post", "Posting chunk: %d, addr: %s remote: %s, bytes %s", RECORDED, ""),
  WRITE_ONE_QUEUE_FULL(
      "qemu_rdma_write_one_queue_full", "", DERIVED, "when the source waits for a send context"),
  WRITE_FLUSH("qemu_rdma_write_flush", "sent total: %d", DERIVED, "after each write"),

  REGISTER_AND_GET_KEYS(
      "qemu_rdma_register_and_get_keys", "Registering %d bytes @ %s", RECORDED, ""),
  REGISTER_ODP_MR(
      "qemu_rdma_register_odp_mr",
      "Try to register On-Demand Paging memory region: %s",
      NEVER,
      "memory is never registered for on-demand paging"),
  ADVISE_MR(
      "qemu_rdma_advise_mr",
      "Try to advise block %s prefetch at %d@0x%x: %s",
      NEVER,
      "memory is never registered for on-demand paging"),

  REGISTRATION_HANDLE_WAIT(
      "qemu_rdma_registration_handle_wait", "", DERIVED, "from what is waited for after READY"),
  REGISTRATION_HANDLE_RAM_BLOCKS("qemu_rdma_registration_handle_ram_blocks", "", RECORDED, ""),
  REGISTRATION_HANDLE_RAM_BLOCKS_LOOP(
      "qemu_rdma_registration_handle_ram_blocks_loop",
      "%s: @0x%x/%d host:@%s src_index: %d",
      DERIVED,
      "before RAM BLOCKS RESULT"),
  REGISTRATION_HANDLE_COMPRESS(
      "qemu_rdma_registration_handle_compress",
      "Zapping zero chunk: %d bytes, index %d, offset %d",
      RECORDED,
      ""),
  REGISTRATION_HANDLE_REGISTER(
      "qemu_rdma_registration_handle_register", "%d requests", RECORDED, ""),
  REGISTRATION_HANDLE_REGISTER_LOOP(
      "qemu_rdma_registration_handle_register_loop",
      "Registration request (%d): index %d, current_addr %d chunks: %d",
      RECORDED,
      ""),
  REGISTRATION_HANDLE_REGISTER_RKEY(
      "qemu_rdma_registration_handle_register_rkey", "0x%x", RECORDED, ""),
  REGISTRATION_HANDLE_UNREGISTER(
      "qemu_rdma_registration_handle_unregister", "%d requests", RECORDED, ""),
  REGISTRATION_HANDLE_UNREGISTER_LOOP(
      "qemu_rdma_registration_handle_unregister_loop",
      "Unregistration request (%d): index %d, chunk %d",
      RECORDED,
      ""),
  REGISTRATION_HANDLE_UNREGISTER_SUCCESS(
      "qemu_rdma_registration_handle_unregister_success", "%d", RECORDED, ""),
  REGISTRATION_HANDLE_FINISHED("qemu_rdma_registration_handle_finished", "", RECORDED, ""),

  SIGNAL_UNREGISTER_APPEND(
      "qemu_rdma_signal_unregister_append",
      "Appending unregister chunk %d at position %d",
      RECORDED,
      ""),
  SIGNAL_UNREGISTER_ALREADY(
      "qemu_rdma_signal_unregister_already", "Unregister chunk %d already in queue", RECORDED, ""),
  UNREGISTER_WAITING_PROC(
      "qemu_rdma_unregister_waiting_proc",
      "Processing unregister for chunk: %d at position %d",
      RECORDED,
      ""),
  UNREGISTER_WAITING_INFLIGHT(
      "qemu_rdma_unregister_waiting_inflight",
      "Cannot unregister inflight chunk: %d",
      RECORDED,
      ""),
  UNREGISTER_WAITING_SEND(
      "qemu_rdma_unregister_waiting_send", "Sending unregister for chunk: %d", RECORDED, ""),
  UNREGISTER_WAITING_COMPLETE(
      "qemu_rdma_unregister_waiting_complete", "Unregister for chunk: %d complete.", RECORDED, ""),

  CLOSE("qemu_rdma_close", "", DERIVED, "when this end disconnects"),
  CLEANUP_DISCONNECT("qemu_rdma_cleanup_disconnect", "", RECORDED, "");

  /** How a line comes about. */
  public enum Writing {
    /** From an event of the recording. */
    RECORDED,
    /** From what an event of the recording implies. */
    DERIVED,
    /** Never. */
    NEVER
  }

  private final String qemuName;
  private final String format;
  private final Writing writing;
  private final String remark;

  QemuTraceEvent(String qemuName, String format, Writing writing, String remark) {
    this.qemuName = qemuName;
    this.format = format;
    this.writing = writing;
    this.remark = remark;
  }

  /** Its name in QEMU 7.2. */
  public String qemuName() {
    return qemuName;
  }

  /** How {@link QemuTraceText} comes to write it. */
  public Writing writing() {
    return writing;
  }

  /** What it is derived from, how it differs, or why it is never written; may be empty. */
  public String remark() {
    return remark;
  }

  /** A line, without a time. */
  String line(Object... values) {
    return qemuName + " " + String.format(Locale.ROOT, format, values);
  }
}
