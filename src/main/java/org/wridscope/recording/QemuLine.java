// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line in a trace log of QEMU.
 *
 * @param nanos since 1970, {@link #NO_TIME} when the log has no times
 * @param event name of the trace event, empty if it is none
 * @param text the arguments of the event; the whole line if it is none
 * @param before text that another thread wrote into the same line before it, usually empty
 */
record QemuLine(long nanos, String event, String text, String before) {
  static final long NO_TIME = -1;

  /** {@code TID@SEC.USEC:EVENT ARGS}; an unterminated text may precede it. */
  private static final Pattern TIMED =
      Pattern.compile("(\\d{1,10})@(\\d{1,10})\\.(\\d{6}):([a-z][a-z0-9_]*) (.*)$");

  private static final Pattern UNTIMED =
      Pattern.compile("^((?:qemu_)?(?:rdma|savevm|loadvm|migrat|ram_load)[a-z0-9_]*) (.*)$");

  static QemuLine of(String line) {
    Matcher timed = TIMED.matcher(line);
    if (timed.find()) {
      long nanos =
          Long.parseLong(timed.group(2)) * 1_000_000_000L + Long.parseLong(timed.group(3)) * 1_000L;
      return new QemuLine(
          nanos, modern(timed.group(4)), timed.group(5), line.substring(0, timed.start()));
    }
    Matcher untimed = UNTIMED.matcher(line);
    if (untimed.find()) {
      return new QemuLine(NO_TIME, modern(untimed.group(1)), untimed.group(2), "");
    }
    return new QemuLine(NO_TIME, "", line, "");
  }

  /** QEMU 8.2 dropped the first word of some names. */
  private static String modern(String event) {
    return event.startsWith("rdma_registration_") ? "qemu_" + event : event;
  }

  boolean isEvent() {
    return !event.isEmpty();
  }

  /**
   * Whether the event occurs only at a source (true) or only at a destination (false); null for
   * neither.
   */
  @Nullable Boolean ofSource() {
    return switch (event) {
      case "qemu_rdma_resolve_host_trying",
          "qemu_rdma_connect_pin_all_outcome",
          "qemu_rdma_connect_pin_all_requested",
          "qemu_rdma_write_one_post",
          "qemu_rdma_registration_start",
          "rdma_start_outgoing_migration_after_rdma_source_init" ->
          true;
      case "rdma_start_incoming_migration",
          "qemu_rdma_dest_init_trying",
          "qemu_rdma_accept_incoming_migration",
          "qemu_rdma_accept_pin_state",
          "qemu_rdma_registration_handle_wait" ->
          false;
      default -> null;
    };
  }
}
