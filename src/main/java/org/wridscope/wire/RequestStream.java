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
  private final KeptMessages messages;
  private final TreeMap<Long, WireRequest> open = new TreeMap<>();
  private final TreeMap<Long, WireRequest> completed = new TreeMap<>();
  private final PacketNumbers lost = new PacketNumbers();

  /** Those of middle packets of RDMA WRITEs, which may have been left out on purpose. */
  private final PacketNumbers middles = new PacketNumbers();

  private @Nullable WireRequest latest;
  private long newest = NONE;
  private long requests;
  private int piece;
  private boolean middleSeen;
  private long responsesLost;
  private long orphans;
  private long early;
  private long answers;
  private long ofUnknownLength;

  RequestStream(
      WireConnection connection, int end, CaptureListener listener, KeptMessages messages) {
    this.connection = connection;
    this.end = end;
    this.listener = listener;
    this.messages = messages;
  }

  /** Packets that were never seen although later ones were, apart from {@link #middles}. */
  long missing() {
    return lost.count() + responsesLost;
  }

  /** Middle packets of RDMA WRITEs that were never seen. */
  long middles() {
    return middles.count();
  }

  /** Whether a middle packet of an RDMA WRITE was seen. */
  boolean middleSeen() {
    return middleSeen;
  }

  /** Packets of messages whose beginning was not captured. */
  long orphans() {
    return orphans;
  }

  /** Requests that were seen. */
  long requests() {
    return requests;
  }

  /** Acknowledgements and responses that were seen. */
  long answers() {
    return answers;
  }

  /** Answers before the first request: of requests that were sent before the capture began. */
  long early() {
    return requests == 0 ? 0 : early;
  }

  /** SENDs whose last packet was not captured. */
  long ofUnknownLength() {
    WireRequest last = latest;
    return ofUnknownLength + (last == null || last.isLengthKnown() ? 0 : 1);
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
      lost.restart();
      middles.restart();
      newest = psn - 1;
    }
    middleSeen |= packet.opcode() == Opcode.WRITE_MIDDLE;
    WireRequest request = containing(psn);
    if (packet.opcode() == Opcode.READ_REQUEST
        && request != null
        && request.kind() == WireRequest.Kind.READ
        && request.hasEnd()
        && request.first() != psn) {
      // The requester asks for the responses again that it lacks (IBTA 9.7.5.1.9).
      listener.repeated(
          connection, end, request, request.otherData(), packet.psn(), packet.nanos());
      return;
    }
    reach(psn, packet.opcode());
    boolean begins = Opcode.begins(packet.opcode()) && (request == null || request.first() != psn);
    if (begins) {
      if (request != null) {
        // Its last packet was not captured.
        request.endBefore(psn);
      }
      request = begin(packet, psn);
    } else if (request == null) {
      orphans++;
      return;
    }
    boolean wasWhole = request.isWhole();
    int kept = request.keptBytes();
    boolean again = request.add(packet, psn);
    messages.grew(request.keptBytes() - kept);
    if (begins) {
      listener.began(connection, end, request, packet.nanos());
    }
    if (again) {
      listener.repeated(
          connection, end, request, request.otherData(), packet.psn(), packet.nanos());
    }
    if (packet.opcode() == Opcode.WRITE_FIRST) {
      piece = packet.payloadLength();
    }
    if (request.kind() == WireRequest.Kind.READ && request.hasEnd()) {
      // Its responses have these numbers.
      newest = Math.max(newest, request.last());
    }
    if (!wasWhole && request.isWhole()) {
      listener.sent(connection, end, request, packet.nanos());
    }
  }

  /** A packet has this number: those before it were passed over if they were not seen. */
  private void reach(long psn, int opcode) {
    if (psn <= newest) {
      lost.came(psn);
      middles.came(psn);
      return;
    }
    long from = newest + 1;
    long to = psn - 1;
    newest = psn;
    WireRequest before = latest;
    if (before != null && before.kind() == WireRequest.Kind.READ) {
      // Its responses have these numbers; how many they are may not be known.
      before.endBefore(psn);
      lost.skip(Math.max(from, before.last() + 1), to);
    } else if (before != null && before.kind() == WireRequest.Kind.WRITE && before.hasEnd()) {
      long end = Math.min(to, before.last() - 1);
      middles.skip(from, end);
      lost.skip(Math.max(from, end + 1), to);
    } else if (before != null && !before.hasEnd() && Opcode.begins(opcode)) {
      before.endBefore(psn);
      lost.skip(from, to);
    } else {
      lost.skip(from, to);
    }
  }

  private WireRequest begin(RocePacket packet, long psn) {
    WireRequest before = latest;
    if (before != null && before.first() < psn) {
      before.endBefore(psn);
      before.settle();
      ofUnknownLength += before.isLengthKnown() ? 0 : 1;
    }
    if (open.size() == MOST_OPEN) {
      open.pollFirstEntry();
    }
    var request = new WireRequest(packet, requests++, psn, piece);
    if (before == null || before.first() < psn) {
      latest = request;
    }
    open.put(psn, request);
    if (request.kind() == WireRequest.Kind.SEND) {
      messages.began(request);
    }
    return request;
  }

  /** A packet that the responder sent back. */
  void response(RocePacket packet) throws IOException {
    answers++;
    if (newest == NONE) {
      early++;
      return;
    }
    long psn = Psn.near(packet.psn(), newest);
    if (packet.opcode() != Opcode.ACKNOWLEDGE) {
      WireRequest asked = containing(psn);
      if (asked != null) {
        asked.answered(packet, psn);
      }
    }
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
        long acknowledged = psn + 1;
        if (request != null) {
          request.endBefore(psn + 1);
          // The requester asks again for responses that are missing; a later answer shows that
          // none is.
          acknowledged = request.missingResponses() > 0 ? request.first() : psn + 1;
        }
        completeBefore(acknowledged, packet.nanos());
      }
    }
  }

  /** The capture tells when the completion of the request was polled that begins with a number. */
  void polled(Polled polled, long toldNanos) throws IOException {
    WireRequest request = newest == NONE ? null : containing(Psn.near(polled.psn(), newest));
    if (request != null) {
      listener.polled(connection, end, request, polled.nanos(), toldNanos);
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
      request.settle();
      responsesLost += request.missingResponses();
      completed.put(request.first(), request);
      if (completed.size() > MOST_COMPLETED) {
        completed.pollFirstEntry();
      }
      listener.completed(connection, end, request, WorkCompletionStatus.SUCCESS, nanos);
    }
  }
}
