// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.WorkCompletionStatus;

/** Events in words. */
public final class EventText {
  private EventText() {}

  /** Groups of kinds, as the log lets people choose. */
  public enum Group {
    ALL("all events"),
    WRITES("RDMA writes"),
    MESSAGES("control messages"),
    COMPLETIONS("completions"),
    REGISTRATIONS("registrations"),
    ZERO("zero chunks"),
    WAITS("waits"),
    PROGRESS("rounds and status"),
    FAILURES("failures");

    private final String text;

    Group(String text) {
      this.text = text;
    }

    /** Whether an event belongs to this group. */
    public boolean has(Event event) {
      return switch (this) {
        case ALL -> true;
        case WRITES ->
            event.kind() == EventKind.POST_WRITE
                || (event.kind() == EventKind.COMPLETION_SEND_QUEUE
                    && WorkRequestId.type(event.wrid()) == WorkRequestId.RDMA_WRITE);
        case MESSAGES ->
            event.kind() == EventKind.CONTROL_SENT || event.kind() == EventKind.CONTROL_RECEIVED;
        case COMPLETIONS ->
            event.kind() == EventKind.COMPLETION_SEND_QUEUE
                || event.kind() == EventKind.COMPLETION_RECEIVE_QUEUE
                || event.kind() == EventKind.COMPLETION_DROPPED;
        case REGISTRATIONS ->
            event.kind() == EventKind.REGISTERED || event.kind() == EventKind.DEREGISTERED;
        case ZERO -> event.kind() == EventKind.ZERO;
        case WAITS -> event.kind() == EventKind.WAIT_BEGIN || event.kind() == EventKind.WAIT_END;
        case PROGRESS ->
            switch (event.kind()) {
              case ROUND_BEGIN, ROUND_END, STATUS, GUEST_PAUSED, GUEST_RESUMED, CONNECTION -> true;
              default -> false;
            };
        case FAILURES -> failed(event);
      };
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Whether something went wrong with this event. */
  public static boolean failed(Event event) {
    return switch (event.kind()) {
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          event.detail() != WorkCompletionStatus.SUCCESS.value();
      case STATUS ->
          status(event.detail()).equals(MigrationStatus.FAILED.qemuName())
              || status(event.detail()).equals(MigrationStatus.UNDECIDED.qemuName());
      case CONTROL_SENT, CONTROL_RECEIVED -> event.detail() == ControlType.ERROR.value();
      case ASYNC ->
          event.detail() != AsyncEventType.COMM_EST.ordinal()
              && event.detail() != AsyncEventType.PORT_ACTIVE.ordinal();
      case COMPLETION_DROPPED -> true;
      default -> false;
    };
  }

  /** The kind in the words of the field. */
  public static String kind(EventKind kind) {
    return switch (kind) {
      case POST_SEND -> "post SEND";
      case POST_WRITE -> "post WRITE";
      case POST_RECEIVE -> "post receive";
      case COMPLETION_SEND_QUEUE -> "send completion";
      case COMPLETION_RECEIVE_QUEUE -> "receive completion";
      case CONTROL_SENT -> "message sent";
      case CONTROL_RECEIVED -> "message received";
      case REGISTERED -> "registered";
      case DEREGISTERED -> "deregistered";
      case ZERO -> "zero";
      case ROUND_BEGIN -> "round begins";
      case ROUND_END -> "round ends";
      case STATUS -> "status";
      case GUEST_PAUSED -> "guest paused";
      case GUEST_RESUMED -> "guest resumed";
      case CONNECTION -> "connection";
      case ASYNC -> "device event";
      case WAIT_BEGIN -> "wait begins";
      case WAIT_END -> "wait ends";
      case COMPLETION_DROPPED -> "completion dropped";
    };
  }

  /** What the kind means, one sentence. */
  public static String explanation(EventKind kind) {
    return switch (kind) {
      case POST_SEND ->
          "A SEND work request was handed to the send queue; it carries a control message.";
      case POST_WRITE ->
          "An RDMA WRITE was handed to the send queue; the device copies RAM straight into the"
              + " destination's memory.";
      case POST_RECEIVE -> "A buffer was handed to the receive queue for a message to come.";
      case COMPLETION_SEND_QUEUE ->
          "The device reported the end of a work request of the send queue.";
      case COMPLETION_RECEIVE_QUEUE -> "The device reported a message in a posted buffer.";
      case CONTROL_SENT -> "A control message of the migration protocol was sent to the peer.";
      case CONTROL_RECEIVED -> "A control message of the migration protocol came from the peer.";
      case REGISTERED ->
          "Memory was pinned and got a key, without which the device refuses to touch it.";
      case DEREGISTERED -> "Memory was unpinned; its key is void from here on.";
      case ZERO ->
          "RAM that is all zero was told to the destination in a COMPRESS message instead of being"
              + " written.";
      case ROUND_BEGIN ->
          "The dirty log was synced; the pages that the guest wrote since the last sync are to be"
              + " sent.";
      case ROUND_END -> "Everything that was dirty when the round began has been dealt with.";
      case STATUS -> "The migration entered another state.";
      case GUEST_PAUSED -> "The guest stands still: from here on the downtime counts.";
      case GUEST_RESUMED -> "The guest runs.";
      case CONNECTION -> "Something happened to the established connection.";
      case ASYNC -> "The device reported something that no work request asked for.";
      case WAIT_BEGIN -> "The engine can do nothing else until this has come.";
      case WAIT_END -> "What the engine waited for has come, or the wait was given up.";
      case COMPLETION_DROPPED ->
          "A wait took this completion out of the queue while it waited for another one, and threw"
              + " it away: whoever waits for it later waits for ever.";
    };
  }

  /**
   * The event in one line.
   *
   * @param telemetry of its session, for the names of RAM blocks
   */
  public static String summary(Event event, SessionTelemetry telemetry) {
    return switch (event.kind()) {
      case POST_SEND -> control(event.detail()) + ", " + Format.bytes(event.length());
      case POST_WRITE ->
          place(event.wrid(), telemetry)
              + ", "
              + Format.bytes(event.length())
              + " to "
              + Format.address(event.argument());
      case POST_RECEIVE ->
          WorkRequestId.describe(event.wrid()) + ", " + Format.bytes(event.length()) + " offered";
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          work(event.wrid(), telemetry) + ": " + completionStatus(event.detail());
      case CONTROL_SENT -> control(event.detail()) + payload(event.length());
      case CONTROL_RECEIVED ->
          control(event.detail())
              + payload(event.length())
              + (event.argument() > 1 ? ", " + event.argument() + " entries" : "");
      case REGISTERED, DEREGISTERED ->
          run(event, telemetry) + ", key " + Format.key((int) event.argument());
      case ZERO -> place(event.wrid(), telemetry) + ", " + Format.bytes(event.argument());
      case ROUND_BEGIN ->
          "round " + event.detail() + ", " + Format.bytes(event.argument()) + " to send";
      case ROUND_END ->
          "round " + event.detail() + ", " + Format.bytes(event.argument()) + " dealt with";
      case STATUS -> status(event.detail());
      case GUEST_PAUSED -> "the guest stands still";
      case GUEST_RESUMED -> "the guest runs";
      case CONNECTION -> words(ConnectionEvent.Type.values(), event.detail());
      case ASYNC -> words(AsyncEventType.values(), event.detail());
      case WAIT_BEGIN -> "for " + wait(event.detail(), telemetry);
      case WAIT_END ->
          "for " + wait(event.detail(), telemetry) + " after " + Format.duration(event.argument());
      case COMPLETION_DROPPED ->
          work(event.wrid(), telemetry) + ", by the wait for " + wait(event.detail(), telemetry);
    };
  }

  /** What a wait was for. */
  public static String wait(int number, SessionTelemetry telemetry) {
    List<String> waits = telemetry.waits();
    return number < waits.size() ? waits.get(number) : "something of number " + number;
  }

  /** The name of a control message. */
  public static String control(int type) {
    ControlType known = ControlType.of(type);
    return known == null ? "message of unknown type " + type : known.text();
  }

  /** The text of a completion's status. */
  public static String completionStatus(int value) {
    return WorkCompletionStatus.of(value).text();
  }

  /** The name of a migration status, from its ordinal. */
  public static String status(int ordinal) {
    MigrationStatus[] all = MigrationStatus.values();
    return ordinal < all.length ? all[ordinal].qemuName() : "status " + ordinal;
  }

  /** The name of a connection event, from its ordinal. */
  public static String connection(int ordinal) {
    return words(ConnectionEvent.Type.values(), ordinal);
  }

  /** The name of an asynchronous event, from its ordinal. */
  public static String async(int ordinal) {
    return words(AsyncEventType.values(), ordinal);
  }

  /** What a work request was, with the name of the RAM block. */
  public static String work(long wrid, SessionTelemetry telemetry) {
    return WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE
        ? "WRITE " + place(wrid, telemetry)
        : WorkRequestId.describe(wrid);
  }

  /** Block and chunk of a wrid, for example {@code pc.ram chunk 17}. */
  public static String place(long wrid, SessionTelemetry telemetry) {
    return block(WorkRequestId.block(wrid), telemetry) + " chunk " + WorkRequestId.chunk(wrid);
  }

  /** The name of a RAM block, or its number while names are not known. */
  public static String block(int index, SessionTelemetry telemetry) {
    List<ChunkTable> blocks = telemetry.blocks();
    return index < blocks.size() ? blocks.get(index).name() : "block " + index;
  }

  private static String run(Event event, SessionTelemetry telemetry) {
    long first = WorkRequestId.chunk(event.wrid());
    String block = block(WorkRequestId.block(event.wrid()), telemetry);
    return event.length() <= 1
        ? block + " chunk " + first
        : block + " chunks " + first + " to " + (first + event.length() - 1);
  }

  private static String payload(int bytes) {
    return bytes == 0 ? "" : ", " + Format.bytes(bytes);
  }

  private static String words(Enum<?>[] values, int ordinal) {
    return ordinal < values.length
        ? values[ordinal].name().toLowerCase(Locale.ROOT).replace('_', ' ')
        : "number " + ordinal + " of " + Arrays.toString(values);
  }
}
