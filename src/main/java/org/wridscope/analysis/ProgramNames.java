// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.SessionTelemetry;

/** What queues and wr_ids of a program that is not ours are called. Not thread-safe. */
final class ProgramNames {
  private final SessionTelemetry telemetry;
  private final Map<QueueId, String> peers = new HashMap<>();

  ProgramNames(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /** A queue pair is connected to a peer. */
  void connected(QueueId queue, String peer) {
    peers.put(queue, peer);
  }

  /** The address of a queue's peer; null if it is not known. */
  @Nullable String peer(QueueId queue) {
    return peers.get(queue);
  }

  /** A queue, with the address of its peer if that is known. */
  String queue(QueueId id) {
    String peer = peers.get(id);
    return peer == null ? id.text() : "%s to %s".formatted(id.text(), peer);
  }

  /** A wr_id in hexadecimal, and what it means if that is known. */
  String wrid(long wrid) {
    String means = telemetry.wrids().text(wrid);
    return "0x" + Long.toHexString(wrid) + (means.isEmpty() ? "" : " (%s)".formatted(means));
  }
}
