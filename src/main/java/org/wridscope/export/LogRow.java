// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Unseen;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.QueueId;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * A row of {@link ExportTable#LOG}: an event in the format that Wridscope opens as the log of a
 * program, see {@code docs/import.md}. Other kinds of events have no row.
 *
 * @param name what happened, as the column {@code event} says it
 * @param target the {@link EventKind#PROGRAM_TARGET} of a post; null if there is none
 */
record LogRow(Session session, Event event, String name, @Nullable Event target, Clock clock) {
  static final List<Column<LogRow>> COLUMNS =
      List.of(
          new Column<>("time_s", row -> row.clock.seconds(row.event.nanos())),
          new Column<>("event", LogRow::name),
          new Column<>("queue_pair", LogRow::queuePair),
          new Column<>("context", LogRow::context),
          new Column<>("shared_receive_queue", LogRow::sharedReceiveQueue),
          new Column<>("queue", LogRow::queue),
          new Column<>("wr_id", LogRow::wrid),
          new Column<>("opcode", LogRow::opcode),
          new Column<>("flags", LogRow::flags),
          new Column<>("length", LogRow::length),
          new Column<>("remote_address", LogRow::remoteAddress),
          new Column<>("key", LogRow::key),
          new Column<>("status", LogRow::status),
          new Column<>("vendor_error", LogRow::vendorError),
          new Column<>("completion_queue", LogRow::completionQueue),
          new Column<>(
              "error",
              row -> row.event.kind() == EventKind.PROGRAM_REFUSED ? row.event.detail() : null),
          new Column<>("address", LogRow::address),
          new Column<>("direction", LogRow::direction),
          new Column<>("text", LogRow::text));

  private static final String POST = "post";

  /** {@code ibv_wr_opcode}. */
  private static final int RDMA_WRITE = 0;

  private static final int SEND = 2;

  private static final int RECEIVED = 128;

  /** Passes on all events that have a row. */
  static void forEach(SessionPair ends, Clock clock, Meter meter, RowSink<LogRow> sink)
      throws IOException {
    for (Session session : ends.sessions()) {
      var writer = new Writer(session, clock, sink);
      EventFeed.forEach(session, meter, writer::take);
      writer.finish();
    }
  }

  /** Joins a post and the event about its target. */
  private static final class Writer {
    private final Session session;
    private final Clock clock;
    private final RowSink<LogRow> sink;
    private @Nullable Event waiting;

    Writer(Session session, Clock clock, RowSink<LogRow> sink) {
      this.session = session;
      this.clock = clock;
      this.sink = sink;
    }

    void take(Event event) throws IOException {
      Event post = waiting;
      if (event.kind() == EventKind.PROGRAM_TARGET && post != null) {
        waiting = null;
        sink.row(new LogRow(session, post, POST, event, clock));
        return;
      }
      finish();
      if (event.kind() == EventKind.PROGRAM_POST) {
        waiting = event;
        return;
      }
      if (event.kind() == EventKind.CONTROL_SENT) {
        // It is also the post of the SEND that carries the message.
        sink.row(new LogRow(session, event, POST, null, clock));
      }
      String name = nameOf(event.kind());
      if (name != null) {
        sink.row(new LogRow(session, event, name, null, clock));
      }
    }

    void finish() throws IOException {
      Event post = waiting;
      if (post != null) {
        waiting = null;
        sink.row(new LogRow(session, post, POST, null, clock));
      }
    }
  }

  private static @Nullable String nameOf(EventKind kind) {
    return switch (kind) {
      case POST_SEND, POST_WRITE, POST_RECEIVE, PROGRAM_POST, PROGRAM_RECEIVE -> POST;
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE, PROGRAM_COMPLETION -> "completion";
      case CONTROL_SENT, CONTROL_RECEIVED, PROGRAM_MESSAGE -> "message";
      case REGISTERED, PROGRAM_REGISTERED -> "register";
      case DEREGISTERED, PROGRAM_DEREGISTERED -> "deregister";
      case WAIT_BEGIN -> "wait";
      case WAIT_END -> "wait_end";
      case PROGRAM_REFUSED -> "refused";
      case PROGRAM_UNSEEN -> "unseen";
      case PROGRAM_PEER -> "peer";
      default -> null;
    };
  }

  private boolean isRequest() {
    return isPostOfMessage() || isRequestEvent();
  }

  private boolean isPostOfMessage() {
    return event.kind() == EventKind.CONTROL_SENT && name.equals(POST);
  }

  private boolean isRequestEvent() {
    return switch (event.kind()) {
      case POST_SEND,
          POST_WRITE,
          POST_RECEIVE,
          COMPLETION_SEND_QUEUE,
          COMPLETION_RECEIVE_QUEUE,
          PROGRAM_POST,
          PROGRAM_RECEIVE,
          PROGRAM_COMPLETION,
          PROGRAM_REFUSED ->
          true;
      default -> false;
    };
  }

  private QueueId id() {
    return QueueId.ofArgument(event.argument());
  }

  private @Nullable Object queuePair() {
    if (!isRequest()
        && event.kind() != EventKind.PROGRAM_MESSAGE
        && event.kind() != EventKind.PROGRAM_PEER) {
      return null;
    }
    if (!event.kind().ofProgram()) {
      return session.telemetry().metrics().get(Metric.QUEUE_PAIR_NUMBER);
    }
    return id().isShared() ? null : id().number();
  }

  private @Nullable Object context() {
    return (isRequest() || event.kind() == EventKind.PROGRAM_PEER)
            && event.kind().ofProgram()
            && !id().isShared()
            && id().context() > 0
        ? id().context() + 1
        : null;
  }

  private @Nullable Object sharedReceiveQueue() {
    return isRequest() && event.kind().ofProgram() && id().isShared() ? id().number() : null;
  }

  private @Nullable String queue() {
    return switch (event.kind()) {
      case POST_SEND, POST_WRITE, COMPLETION_SEND_QUEUE, PROGRAM_POST -> "send";
      case CONTROL_SENT -> isPostOfMessage() ? "send" : null;
      case POST_RECEIVE, COMPLETION_RECEIVE_QUEUE, PROGRAM_RECEIVE -> "receive";
      case PROGRAM_REFUSED -> event.argument() >>> 32 == 1 ? "receive" : "send";
      case PROGRAM_COMPLETION ->
          isSuccess()
              ? what() >= RECEIVED ? "receive" : "send"
              : what() == 0 ? null : what() == 2 ? "receive" : "send";
      default -> null;
    };
  }

  /** The operation after a success, else the side of the queue pair. */
  private int what() {
    return event.detail() >>> 8;
  }

  private boolean isSuccess() {
    return (event.detail() & 0xff) == WorkCompletionStatus.SUCCESS.value();
  }

  private @Nullable String wrid() {
    boolean has =
        isRequest()
            || (event.wrid() != 0
                && (event.kind() == EventKind.PROGRAM_MESSAGE
                    || event.kind() == EventKind.WAIT_BEGIN));
    return has ? EventRow.wrid(event.wrid()) : null;
  }

  private @Nullable String opcode() {
    return switch (event.kind()) {
      case POST_SEND -> OpcodeNames.ofRequest(SEND);
      case CONTROL_SENT -> isPostOfMessage() ? OpcodeNames.ofRequest(SEND) : null;
      case POST_WRITE -> OpcodeNames.ofRequest(RDMA_WRITE);
      case PROGRAM_POST -> number(OpcodeNames.ofRequest(event.detail() & 0xff));
      case PROGRAM_COMPLETION ->
          isSuccess() && OpcodeNames.isRead(what())
              ? number(OpcodeNames.ofCompletion(what()))
              : null;
      default -> null;
    };
  }

  /** One without a name is written as its number. */
  private static String number(String opcode) {
    return opcode.replaceFirst("^opcode ", "");
  }

  private @Nullable String flags() {
    if (session.ofCapture()) {
      return null;
    }
    return switch (event.kind()) {
      case POST_SEND -> "SIGNALED";
      case CONTROL_SENT -> isPostOfMessage() ? "SIGNALED" : null;
      case POST_WRITE -> event.detail() == 1 ? "SIGNALED" : "NONE";
      case PROGRAM_POST ->
          what() == 0
              ? "NONE"
              : SendFlagNames.areNamed(what())
                  ? String.join("|", SendFlagNames.of(what()))
                  : Integer.toString(what());
      default -> null;
    };
  }

  private @Nullable Object length() {
    return switch (event.kind()) {
      case POST_SEND,
          POST_WRITE,
          POST_RECEIVE,
          PROGRAM_POST,
          PROGRAM_RECEIVE,
          PROGRAM_REFUSED,
          PROGRAM_UNSEEN,
          PROGRAM_MESSAGE,
          CONTROL_SENT,
          CONTROL_RECEIVED ->
          Integer.toUnsignedLong(event.length());
      case PROGRAM_COMPLETION ->
          isSuccess() && what() != OpcodeNames.RECEIVE_NOT_READ
              ? Integer.toUnsignedLong(event.length())
              : null;
      case PROGRAM_REGISTERED, PROGRAM_DEREGISTERED -> event.argument();
      default -> null;
    };
  }

  private @Nullable String remoteAddress() {
    Event to = target;
    return event.kind() == EventKind.POST_WRITE
        ? EventRow.wrid(event.argument())
        : to == null ? null : EventRow.wrid(to.argument());
  }

  private @Nullable String key() {
    Event to = target;
    return switch (event.kind()) {
      case PROGRAM_POST -> to == null ? null : key(to.length());
      case PROGRAM_REGISTERED, PROGRAM_DEREGISTERED -> key(event.length());
      case REGISTERED, DEREGISTERED -> key((int) event.argument());
      default -> null;
    };
  }

  private static String key(int key) {
    return "0x" + Integer.toHexString(key);
  }

  private @Nullable String status() {
    return switch (event.kind()) {
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          WorkCompletionStatus.of(event.detail()).name();
      case PROGRAM_COMPLETION -> WorkCompletionStatus.of(event.detail() & 0xff).name();
      default -> null;
    };
  }

  private @Nullable Object vendorError() {
    return event.kind() == EventKind.PROGRAM_COMPLETION
            && !isSuccess()
            && event.length() != EventKind.VENDOR_ERROR_NOT_READ
        ? Integer.toUnsignedLong(event.length())
        : null;
  }

  private @Nullable Object completionQueue() {
    return switch (event.kind()) {
      case PROGRAM_COMPLETION, PROGRAM_UNSEEN ->
          event.argument() >>> 32 == 0 ? null : event.argument() >>> 32;
      default -> null;
    };
  }

  private @Nullable String address() {
    return switch (event.kind()) {
      case PROGRAM_REGISTERED, PROGRAM_DEREGISTERED -> EventRow.wrid(event.wrid());
      default -> null;
    };
  }

  private @Nullable String direction() {
    return switch (event.kind()) {
      case CONTROL_SENT -> isPostOfMessage() ? null : "sent";
      case CONTROL_RECEIVED -> "received";
      case PROGRAM_MESSAGE -> event.argument() >>> 32 == 1 ? "received" : "sent";
      default -> null;
    };
  }

  private @Nullable String text() {
    return switch (event.kind()) {
      case CONTROL_SENT, CONTROL_RECEIVED ->
          isPostOfMessage() ? null : EventText.control(event.detail());
      case WAIT_BEGIN, PROGRAM_MESSAGE, PROGRAM_PEER ->
          EventText.wait(event.detail(), session.telemetry());
      case PROGRAM_UNSEEN ->
          switch (event.detail()) {
            case 0 -> "requests";
            case 1 -> "completions";
            case 4 -> "refused";
            case 5 -> "early";
            case Unseen.OF_PACKETS -> "packets";
            default -> "lost";
          };
      default -> null;
    };
  }
}
