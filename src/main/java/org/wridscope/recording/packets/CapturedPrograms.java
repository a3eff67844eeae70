// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Unseen;
import org.wridscope.recording.file.ImportTarget;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Host;
import org.wridscope.wire.Syndrome;
import org.wridscope.wire.WireConnection;
import org.wridscope.wire.WireRequest;

/**
 * The requests of all connections of a capture that carry no migration, as those of a program. The
 * wr_ids are invented: requests are numbered from 0 in each queue pair.
 */
final class CapturedPrograms implements CaptureOrder.Sink {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final ImportedSession session;
  private final PostedRequests posted = new PostedRequests(true);
  private final Map<Host, Integer> hosts = new HashMap<>();
  private final Map<QueueId, String> peers = new HashMap<>();

  CapturedPrograms(ImportTarget target, long beganAt) throws IOException {
    session = new ImportedSession(target, Role.SOURCE, beganAt, SAMPLE_NANOS);
    session.begin();
    session.event(EventKind.PROGRAM_UNSEEN, Unseen.OF_PACKETS, 0, 0, 0);
    session.enter(MigrationStatus.ACTIVE);
  }

  /** The send queue of an end; each host is a context. */
  private QueueId queue(WireConnection connection, int end) throws IOException {
    int context = hosts.computeIfAbsent(connection.side(end).host(), _ -> hosts.size());
    QueueId queue = QueueId.ofQueuePair(context, connection.queuePair(end));
    String peer = connection.side(1 - end).host().text();
    if (!peer.equals(peers.put(queue, peer))) {
      session.event(EventKind.PROGRAM_PEER, session.phrase(peer), 0, 0, queue.argument());
    }
    return queue;
  }

  @Override
  public void began(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {
    int opcode =
        switch (request.kind()) {
          case WRITE -> request.hasImmediate() ? 1 : 0;
          case SEND -> request.hasImmediate() ? 3 : request.invalidates() ? 9 : 2;
          case READ -> 4;
          case COMPARE_SWAP -> 5;
          case FETCH_ADD -> 6;
        };
    session.advance(nanos);
    session.event(
        EventKind.PROGRAM_POST,
        opcode | SendFlagNames.NOT_KNOWN << 8,
        (int) request.length(),
        request.number(),
        queue(connection, end).argument());
    posted.add(request, request.number());
    if (request.hasTarget()) {
      session.event(
          EventKind.PROGRAM_TARGET, 0, request.key(), request.number(), request.address());
    }
    if (request.isImmediateKnown()) {
      session.event(EventKind.PROGRAM_IMMEDIATE, 0, request.immediate(), request.number(), 0);
    }
  }

  @Override
  public void completed(
      WireConnection connection,
      int end,
      WireRequest request,
      WorkCompletionStatus status,
      long nanos)
      throws IOException {
    int opcode =
        switch (request.kind()) {
          case SEND -> 0;
          case WRITE -> 1;
          case READ -> 2;
          case COMPARE_SWAP -> 3;
          case FETCH_ADD -> 4;
        };
    boolean ok = status == WorkCompletionStatus.SUCCESS;
    session.advance(nanos);
    session.event(
        EventKind.PROGRAM_COMPLETION,
        status.value() | (ok ? opcode : 1) << 8,
        ok ? (int) request.length() : 0,
        request.number(),
        queue(connection, end).argument());
  }

  @Override
  public void repeated(
      WireConnection connection,
      int end,
      WireRequest request,
      boolean otherData,
      int psn,
      long nanos)
      throws IOException {
    met(
        EventKind.WIRE_RETRANSMISSION,
        posted.packet(request, otherData ? 1 : 0, psn, queue(connection, end)),
        nanos);
  }

  @Override
  public void refused(
      WireConnection connection,
      int end,
      @Nullable WireRequest request,
      Syndrome syndrome,
      int psn,
      long nanos)
      throws IOException {
    met(
        EventKind.WIRE_NAK,
        posted.packet(request, syndrome.value(), psn, queue(connection, end)),
        nanos);
  }

  @Override
  public void congested(WireConnection connection, int end, long nanos) throws IOException {
    met(EventKind.WIRE_CNP, posted.packet(null, 0, 0, queue(connection, end)), nanos);
  }

  private void met(EventKind kind, WirePacket packet, long nanos) throws IOException {
    session.advance(nanos);
    session.met(kind, packet);
  }

  void note(String sentence) {
    session.note(sentence);
  }

  void finish() throws IOException {
    session.enter(MigrationStatus.COMPLETED);
    session.finish("The capture ends.");
  }
}
