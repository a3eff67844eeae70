// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.Set;

/**
 * Trace events of QEMU 7.2 that belong to a migration over RDMA but say nothing that is shown: what
 * they tell is told by others as well.
 */
final class QemuTrace {
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
          "qemu_rdma_registration_handle_unregister_success");

  private QemuTrace() {}

  /** Whether an event is known, and known to be of no use here. */
  static boolean isSilent(String event) {
    return SILENT.contains(event)
        || event.startsWith("savevm_")
        || event.startsWith("loadvm_")
        || event.startsWith("qemu_loadvm_")
        || event.startsWith("ram_load_")
        || event.startsWith("migration_")
        || event.startsWith("migrate_")
        || event.startsWith("source_return_path_");
  }
}
