// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The requests of one end of a reliable connection, put together from the packets that it sends,
 * and what becomes of them by the packets that the other end sends back (IBTA 9.7).
 */
final class RequestStream {
  /** Requests that have completed are kept so long, because their packets may come again. */
  private static final int MOST_COMPLETED = 1 << 10;

  private static final int MOST_OPEN = 1 << 16;

  /** A greater step is a queue pair with the same number that was connected again. */
  private static final long MOST_SKIPPED = 1 << 21;

  private static final long NONE = Long.MIN_VALUE;

  private final int end;
  private final CaptureListener listener;
  private final WireConnection connection;
  private final TreeMap<Long, WireRequest> open = new TreeMap<>();
  private final TreeMap<Long, WireRequest> completed = new TreeMap<>();
  private long newest = NONE;
  private long requests;
  private int piece;
  private long missing;
  private long orphans;

  RequestStream(WireConnection connection, int end, CaptureListener listener) {
    this.connection = connection;
    this.end = end;
    this.listener = listener;
  }

  /** Packets that were never seen although later ones were. */
  long missing() {
    return Math.max(0, missing);
  }

  /** Packets of messages whose beginning was not captured. */
  long orphans() {
    return orphans;
  }

  private @Nullable WireRequest containing(long psn) {
    Map.Entry<Long, WireRequest> ofOpen = open.floorEntry(psn);
    Map.Entry<Long, WireRequest> ofDone = completed.floorEntry(psn);
    Map.Entry<Long, WireRequest> found =
        ofDone == null || (ofOpen != null && ofOpen.getKey() > ofDone.getKey()) ? ofOpen : ofDone;
    return found != null && found.getValue().contains(psn) ? found.getValue() : null;
  }

  /** A packet that the requester sent. */
  void request(RocePacket packet) throws IOException {
    if (newest == NONE) {
      newest = Psn.near(packet.psn(), 0) - 1;
    }
    long psn = Psn.near(packet.psn(), newest + 1);
    if (Math.abs(psn - newest) > MOST_SKIPPED) {
      open.clear();
      completed.clear();
      newest = psn - 1;
    }
    WireRequest request = containing(psn);
    if (Opcode.begins(packet.opcode()) && (request == null || request.first() != psn)) {
      if (request != null) {
        // Its last packet was not captured.
        request.endBefore(psn);
      }
      request = begin(packet, psn);
    } else if (request == null) {
      orphans++;
      advance(psn);
      return;
    }
    boolean wasWhole = request.isWhole();
    if (request.add(packet, psn)) {
      listener.repeated(connection, end, request, packet.psn(), packet.nanos());
    }
    if (packet.opcode() == Opcode.WRITE_FIRST) {
      piece = packet.payloadLength();
    }
    // Middle packets of an RDMA WRITE may be left out of a capture to keep it small.
    advance(request.kind() != WireRequest.Kind.SEND && request.hasEnd() ? request.last() : psn);
    if (!wasWhole && request.isWhole()) {
      listener.sent(connection, end, request, packet.nanos());
    }
  }

  private void advance(long psn) {
    newest = Math.max(newest, psn);
  }

  private WireRequest begin(RocePacket packet, long psn) throws IOException {
    if (psn > newest + 1) {
      WireRequest before = open.isEmpty() ? null : open.lastEntry().getValue();
      if (before == null || before.hasEnd()) {
        missing += psn - newest - 1;
      } else {
        before.endBefore(psn);
      }
    } else if (psn <= newest) {
      missing--;
    }
    if (open.size() == MOST_OPEN) {
      open.pollFirstEntry();
    }
    var request = new WireRequest(packet, requests++, psn, piece);
    open.put(psn, request);
    listener.began(connection, end, request, packet.nanos());
    return request;
  }

  /** A packet that the responder sent back. */
  void response(RocePacket packet) throws IOException {
    if (newest == NONE) {
      return;
    }
    long psn = Psn.near(packet.psn(), newest);
    switch (packet.opcode()) {
      case Opcode.ACKNOWLEDGE -> acknowledged(packet, psn);
      case Opcode.READ_RESPONSE_FIRST, Opcode.READ_RESPONSE_MIDDLE -> {
        if (packet.opcode() == Opcode.READ_RESPONSE_FIRST) {
          piece = packet.payloadLength();
        }
        completeBefore(psn, packet.nanos());
      }
      default -> {
        WireRequest request = containing(psn);
        if (request != null) {
          request.endBefore(psn + 1);
        }
        completeBefore(psn + 1, packet.nanos());
      }
    }
  }

  private void acknowledged(RocePacket packet, long psn) throws IOException {
    var syndrome = new Syndrome(packet.syndrome());
    if (syndrome.answer() == Syndrome.Answer.POSITIVE) {
      completeBefore(psn + 1, packet.nanos());
      return;
    }
    completeBefore(psn, packet.nanos());
    WireRequest request = containing(psn);
    listener.refused(connection, end, request, syndrome, packet.psn(), packet.nanos());
    WorkCompletionStatus status = syndrome.answer().status();
    if (request != null && status != null && open.remove(request.first()) != null) {
      listener.completed(connection, end, request, status, packet.nanos());
    }
  }

  /** Completes all requests whose packets lie before a packet. */
  private void completeBefore(long psn, long nanos) throws IOException {
    while (!open.isEmpty() && open.firstEntry().getValue().last() < psn) {
      WireRequest request = open.pollFirstEntry().getValue();
      completed.put(request.first(), request);
      if (completed.size() > MOST_COMPLETED) {
        completed.pollFirstEntry();
      }
      listener.completed(connection, end, request, WorkCompletionStatus.SUCCESS, nanos);
    }
  }
}
