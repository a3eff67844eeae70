// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.verbs.OpcodeNames;

/**
 * What a {@link Query} can ask of an event or of a work request. What it does not have is null, or
 * -1.
 *
 * @param event the kind of the event
 * @param open whether it is a request that has not ended
 * @param block index of the RAM block of the chunks
 * @param chunk the first chunk
 * @param chunks how many chunks; 0 for none
 * @param message type of the control message
 * @param queuePair number of the queue pair of a program, or of an asynchronous event
 * @param opcode as in {@link OpcodeNames}, or {@code RECV}
 * @param status how the request ended
 * @param key of a memory region, unsigned
 * @param text the words that views show
 */
record Subject(
    @Nullable EventKind event,
    boolean open,
    @Nullable Long wrid,
    int block,
    long chunk,
    long chunks,
    int message,
    int queuePair,
    @Nullable String opcode,
    int status,
    long key,
    SessionTelemetry telemetry,
    Supplier<String> text) {
  private static final int NONE = -1;
  private static final String RECV = "RECV";

  /** Events of a migration's work requests. */
  private static final Set<EventKind> OF_MIGRATION =
      EnumSet.of(
          EventKind.POST_SEND,
          EventKind.POST_WRITE,
          EventKind.POST_RECEIVE,
          EventKind.COMPLETION_SEND_QUEUE,
          EventKind.COMPLETION_RECEIVE_QUEUE,
          EventKind.COMPLETION_DROPPED,
          EventKind.COMPLETION_MET,
          EventKind.SENT_AGAIN);

  /** An event, of which the requests of its session tell the operation if it failed. */
  static Subject of(Event event, Requests requests) {
    long chunks =
        EventChunks.count(
            event.kind(), event.detail(), event.length(), event.wrid(), event.argument());
    boolean placed = chunks > 0;
    return new Subject(
        event.kind(),
        false,
        hasWrid(event) ? (Long) event.wrid() : null,
        placed ? WorkRequestId.block(event.wrid()) : NONE,
        placed ? WorkRequestId.chunk(event.wrid()) : NONE,
        chunks,
        message(event),
        queuePair(event),
        opcode(event, requests),
        status(event),
        key(event),
        requests.telemetry(),
        () -> EventText.kind(event.kind()) + " " + EventText.summary(event, requests.telemetry()));
  }

  private static boolean hasWrid(Event event) {
    return switch (event.kind()) {
      case PROGRAM_POST,
          PROGRAM_TARGET,
          PROGRAM_IMMEDIATE,
          PROGRAM_RECEIVE,
          PROGRAM_COMPLETION,
          PROGRAM_REFUSED ->
          true;
      case CONTROL_SENT, CONTROL_RECEIVED, WAIT_BEGIN, PROGRAM_MESSAGE -> event.wrid() != 0;
      case WIRE_RETRANSMISSION, WIRE_NAK -> WirePacket.of(event).hasWrid();
      default -> OF_MIGRATION.contains(event.kind());
    };
  }

  private static int message(Event event) {
    return switch (event.kind()) {
      case CONTROL_SENT, CONTROL_RECEIVED -> event.detail();
      case POST_SEND -> event.detail() == ControlType.NONE.value() ? NONE : event.detail();
      default -> NONE;
    };
  }

  private static int queuePair(Event event) {
    return switch (event.kind()) {
      case PROGRAM_POST,
          PROGRAM_RECEIVE,
          PROGRAM_COMPLETION,
          PROGRAM_REFUSED,
          PROGRAM_MESSAGE,
          PROGRAM_PEER,
          PROGRAM_MODIFIED,
          PROGRAM_PATH,
          WIRE_RETRANSMISSION,
          WIRE_NAK,
          WIRE_CNP ->
          number(QueueId.ofArgument(event.argument()));
      case ASYNC -> event.argument() == 0 ? NONE : (int) event.argument();
      default -> NONE;
    };
  }

  private static int number(QueueId queue) {
    return queue.isShared() ? NONE : queue.number();
  }

  private static @Nullable String opcode(Event event, Requests requests) {
    return switch (event.kind()) {
      case PROGRAM_POST -> OpcodeNames.ofRequest(event.detail() & 0xff);
      case PROGRAM_RECEIVE -> RECV;
      case PROGRAM_COMPLETION -> ofCompletion(event, requests);
      case PROGRAM_REFUSED -> event.argument() >>> 32 == 1 ? RECV : null;
      default ->
          OF_MIGRATION.contains(event.kind()) ? ofMigration(RequestKind.of(event.wrid())) : null;
    };
  }

  private static @Nullable String ofMigration(RequestKind kind) {
    return switch (kind) {
      case WRITE -> "RDMA_WRITE";
      case SEND -> "SEND";
      case RECEIVE -> RECV;
      case READ, ATOMIC, OTHER -> null;
    };
  }

  /**
   * A completion with an error has no operation, or a program did not read it; that of its request
   * is known.
   */
  private static @Nullable String ofCompletion(Event event, Requests requests) {
    int operation = event.detail() >>> 8;
    if ((event.detail() & 0xff) == 0 && OpcodeNames.isRead(operation)) {
      return OpcodeNames.ofCompletion(operation);
    }
    long send = requests.sends().ofEvent(event.number());
    if (send != WorkRequests.NONE) {
      return OpcodeNames.ofRequest(requests.sends().opcode(send));
    }
    return requests.receives().ofEvent(event.number()) == WorkRequests.NONE ? null : RECV;
  }

  private static int status(Event event) {
    return switch (event.kind()) {
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE -> event.detail();
      case PROGRAM_COMPLETION -> event.detail() & 0xff;
      default -> NONE;
    };
  }

  private static long key(Event event) {
    return switch (event.kind()) {
      case REGISTERED, DEREGISTERED, KEY_GIVEN -> event.argument() & 0xffff_ffffL;
      case PROGRAM_TARGET, PROGRAM_REGISTERED, PROGRAM_DEREGISTERED ->
          Integer.toUnsignedLong(event.length());
      default -> NONE;
    };
  }

  /** A request that is kept. */
  static Subject of(Requests requests, QueueType queue, long id) {
    WorkRequests of = requests.of(queue);
    long wrid = of.wrid(id);
    boolean program = of.ofProgram(id);
    boolean placed = !program && of.kind(id) == RequestKind.WRITE;
    return new Subject(
        null,
        of.isOpen(id),
        wrid,
        placed ? WorkRequestId.block(wrid) : NONE,
        placed ? WorkRequestId.chunk(wrid) : NONE,
        placed ? 1 : 0,
        program || of.controlType(id) == 0 ? NONE : of.controlType(id),
        program ? number(of.queueId(id)) : NONE,
        !program
            ? ofMigration(of.kind(id))
            : queue == QueueType.RECEIVE ? RECV : OpcodeNames.ofRequest(of.opcode(id)),
        of.isOpen(id) || of.coveredBy(id) != WorkRequests.NONE ? NONE : of.status(id).value(),
        NONE,
        requests.telemetry(),
        () ->
            program
                ? RequestFacts.name(of, id)
                : RequestFacts.name(of, id) + " " + EventText.work(wrid, requests.telemetry()));
  }
}
