// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Role;

/**
 * The lines about the preparation and the connection, from which a reader tells the two ends apart.
 */
final class TracedBeginning {
  /** {@code ip} of QEMU until a name has been resolved. */
  private static final String UNRESOLVED = "unknown";

  private final RecordedSession session;
  private final boolean source;
  private final TraceLines lines;
  private final TraceBlocks blocks;
  private final TraceForesight foresight;
  private final TracedBanner banner;
  private boolean begun;
  private boolean established;

  TracedBeginning(
      RecordedSession session, TraceLines lines, TraceBlocks blocks, TraceForesight foresight) {
    this.session = session;
    this.lines = lines;
    this.blocks = blocks;
    this.foresight = foresight;
    banner = new TracedBanner(session, lines);
    source = session.role() == Role.SOURCE;
  }

  /** Whether the connection has been established. */
  boolean isEstablished() {
    return established;
  }

  /** Writes what a session does before it has a connection, unless that was written. */
  void begin(long nanos) throws IOException {
    if (begun) {
      return;
    }
    begun = true;
    String host = host();
    String ip = host.matches("[0-9.]+|.*:.*") ? host : UNRESOLVED;
    if (source) {
      lines.event(nanos, QemuTraceEvent.RESOLVE_HOST_TRYING, host, ip);
      banner.device();
      banner.route(nanos);
      listBlocks(nanos);
      lines.event(nanos, QemuTraceEvent.START_OUTGOING_MIGRATION_AFTER_RDMA_SOURCE_INIT);
    } else {
      lines.event(nanos, QemuTraceEvent.START_INCOMING_MIGRATION);
      lines.event(nanos, QemuTraceEvent.DEST_INIT_TRYING, host, ip);
      lines.event(nanos, QemuTraceEvent.START_INCOMING_MIGRATION_AFTER_DEST_INIT);
      lines.event(nanos, QemuTraceEvent.START_INCOMING_MIGRATION_AFTER_RDMA_LISTEN);
    }
  }

  /** The host in the URI. */
  private String host() {
    return session.uri().replaceFirst("^rdma:", "").replaceFirst(":\\d+$", "");
  }

  private void listBlocks(long nanos) throws IOException {
    if (!blocks.isEmpty()) {
      blocks.writeAdded(nanos, lines);
    }
  }

  /** The connection was established. */
  void established(long nanos) throws IOException {
    established = true;
    Agreement agreement = foresight.agreement();
    int pinAll = agreement.pinAll() ? 1 : 0;
    if (!source) {
      lines.event(nanos, QemuTraceEvent.ACCEPT_INCOMING_MIGRATION);
      lines.event(nanos, QemuTraceEvent.ACCEPT_PIN_STATE, pinAll);
      banner.device();
      listBlocks(nanos);
      banner.route(nanos);
      lines.event(nanos, QemuTraceEvent.ACCEPT_INCOMING_MIGRATION_ACCEPTED);
      return;
    }
    if (agreement.pinAllRequested()) {
      lines.event(nanos, QemuTraceEvent.CONNECT_PIN_ALL_REQUESTED);
    }
    lines.event(nanos, QemuTraceEvent.CONNECT_PIN_ALL_OUTCOME, pinAll);
    lines.event(nanos, QemuTraceEvent.START_OUTGOING_MIGRATION_AFTER_RDMA_CONNECT);
    lines.event(nanos, QemuTraceEvent.REGISTRATION_START, 0);
  }
}
