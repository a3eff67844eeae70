// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SentAgain;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.telemetry.Wait;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.text.Format;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.DeviceIdentity;
import org.wridscope.verbs.PortDescription.LinkLayer;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;

/** The words for events, statuses and waits: the same in every view, report and export. */
public final class EventText {
  private EventText() {}

  /** Groups of events, as a filter of the log. */
  public enum Group {
    ALL("all events"),
    WRITES("RDMA writes"),
    MESSAGES("control messages"),
    HEARTBEATS("heartbeats"),
    COMPLETIONS("completions"),
    REGISTRATIONS("registrations"),
    ZERO("zero chunks"),
    WAITS("waits"),
    WIRE("trouble on the wire"),
    COUNTERS("counters of the device"),
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
        case MESSAGES -> isMessage(event) && !isHeartbeat(event);
        case HEARTBEATS -> isMessage(event) && isHeartbeat(event);
        case COMPLETIONS ->
            event.kind() == EventKind.COMPLETION_SEND_QUEUE
                || event.kind() == EventKind.COMPLETION_RECEIVE_QUEUE
                || event.kind() == EventKind.COMPLETION_DROPPED
                || event.kind() == EventKind.SENT_AGAIN
                || event.kind() == EventKind.COMPLETION_MET
                || event.kind() == EventKind.PROGRAM_COMPLETION;
        case REGISTRATIONS ->
            switch (event.kind()) {
              case REGISTERED,
                  DEREGISTERED,
                  KEY_REQUESTED,
                  KEY_GIVEN,
                  UNREGISTER,
                  PROGRAM_REGISTERED,
                  PROGRAM_DEREGISTERED,
                  PROGRAM_REGIONS,
                  PROGRAM_REGION_REFUSED ->
                  true;
              default -> false;
            };
        case ZERO -> event.kind() == EventKind.ZERO;
        case WAITS -> event.kind() == EventKind.WAIT_BEGIN || event.kind() == EventKind.WAIT_END;
        case WIRE -> event.kind().ofWire();
        case COUNTERS -> event.kind() == EventKind.DEVICE_COUNTED;
        case PROGRESS ->
            switch (event.kind()) {
              case ROUND_BEGIN,
                  ROUND_END,
                  STATUS,
                  GUEST_PAUSED,
                  GUEST_RESUMED,
                  OPERATED,
                  CONNECTION,
                  DEVICE_OPENED,
                  ESTABLISHED,
                  DISCONNECTING ->
                  true;
              default -> false;
            };
        case FAILURES -> failed(event);
      };
    }

    private static boolean isMessage(Event event) {
      return event.kind() == EventKind.CONTROL_SENT || event.kind() == EventKind.CONTROL_RECEIVED;
    }

    private static boolean isHeartbeat(Event event) {
      return event.detail() == ControlType.HEARTBEAT.value();
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Whether the event reports an error. */
  public static boolean failed(Event event) {
    return switch (event.kind()) {
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          event.detail() != WorkCompletionStatus.SUCCESS.value();
      case STATUS ->
          status(event.detail()).equals(MigrationStatus.FAILED.qemuName())
              || status(event.detail()).equals(MigrationStatus.UNDECIDED.qemuName());
      case CONTROL_SENT, CONTROL_RECEIVED -> event.detail() == ControlType.ERROR.value();
      case ASYNC -> {
        AsyncEventType type = AsyncEventType.of(event.detail());
        yield type == null || type.consequence() != AsyncEventType.Consequence.NONE;
      }
      case COMPLETION_DROPPED, PROGRAM_REFUSED, PROGRAM_REGION_REFUSED -> true;
      case PROGRAM_COMPLETION -> (event.detail() & 0xff) != WorkCompletionStatus.SUCCESS.value();
      case SENT_AGAIN -> SentAgain.Data.of(event.detail()) == SentAgain.Data.NONE;
      case WIRE_NAK -> new Syndrome(WirePacket.of(event).what()).answer().status() != null;
      default -> false;
    };
  }

  /** The name of a kind, in terms of the field. */
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
      case OPERATED -> "operator";
      case CONNECTION -> "connection";
      case ASYNC -> "device event";
      case WAIT_BEGIN -> "wait begins";
      case WAIT_END -> "wait ends";
      case COMPLETION_DROPPED -> "completion dropped";
      case UNREGISTER -> "unregister";
      case ESTABLISHED -> "connection established";
      case DISCONNECTING -> "disconnects";
      case KEY_REQUESTED -> "key requested";
      case KEY_GIVEN -> "key given";
      case SENT_AGAIN -> "sent again";
      case COMPLETION_MET -> "completion handled";
      case DEVICE_OPENED -> "device opened";
      case WIRE_RETRANSMISSION -> "retransmission";
      case WIRE_NAK -> "NAK";
      case WIRE_CNP -> "CNP";
      case DEVICE_COUNTED -> "device counted";
      case PROGRAM_POST -> "post";
      case PROGRAM_TARGET -> "remote memory";
      case PROGRAM_IMMEDIATE -> "immediate data";
      case PROGRAM_RECEIVE -> "post receive";
      case PROGRAM_COMPLETION -> "completion";
      case PROGRAM_REFUSED -> "post refused";
      case PROGRAM_UNSEEN -> "not seen";
      case PROGRAM_MESSAGE -> "message";
      case PROGRAM_REGISTERED -> "registered";
      case PROGRAM_DEREGISTERED -> "deregistered";
      case PROGRAM_PEER -> "peer";
      case PROGRAM_MODIFIED -> "queue pair modified";
      case PROGRAM_PATH -> "path";
      case PROGRAM_REGIONS -> "regions";
      case PROGRAM_REGION_REFUSED -> "registration refused";
      case PROGRAM_POLLED_EMPTY -> "polled nothing";
    };
  }

  /** What a kind means, in one sentence. */
  public static String explanation(EventKind kind) {
    return switch (kind) {
      case POST_SEND ->
          "A SEND work request was posted to the send queue; it carries a control message.";
      case POST_WRITE ->
          "An RDMA WRITE was posted to the send queue; the device copies RAM directly into the"
              + " destination's memory.";
      case POST_RECEIVE -> "A buffer was posted to the receive queue for a future message.";
      case COMPLETION_SEND_QUEUE ->
          "The device reported that a work request of the send queue ended.";
      case COMPLETION_RECEIVE_QUEUE ->
          "The device reported that a message arrived in a posted buffer.";
      case CONTROL_SENT -> "A control message of the migration protocol was sent to the peer.";
      case CONTROL_RECEIVED -> "A control message of the migration protocol arrived from the peer.";
      case REGISTERED ->
          "Memory was pinned and got a key; without one the device refuses to access it.";
      case DEREGISTERED -> "Memory was unpinned; its key is no longer valid.";
      case ZERO ->
          "A COMPRESS message told the destination that this RAM is all zero, so it need not be"
              + " written.";
      case ROUND_BEGIN ->
          "The dirty log was synchronized; the pages that the guest wrote since the last"
              + " synchronization have to be sent.";
      case ROUND_END -> "Everything that was dirty when the round began has been processed.";
      case STATUS -> "The migration changed its status.";
      case GUEST_PAUSED -> "The guest was paused; the downtime starts here.";
      case GUEST_RESUMED -> "The guest runs again.";
      case OPERATED ->
          "The operator did this. A guest that was paused or continued, as by QEMU's stop and cont,"
              + " arrives as it was left; a limit holds from here on.";
      case CONNECTION -> "The state of the established connection changed.";
      case ASYNC -> "The device reported an asynchronous event, which belongs to no work request.";
      case WAIT_BEGIN -> "The engine is blocked until this arrives.";
      case WAIT_END -> "What the engine waited for has arrived, or the wait was given up.";
      case COMPLETION_DROPPED ->
          "A wait for another completion took this one from the queue and dropped it; a later wait"
              + " for it never ends.";
      case UNREGISTER ->
          "A registration is released before the migration ends: queued, postponed while it is in"
              + " use, deregistered at both ends.";
      case ESTABLISHED ->
          "The connection manager reported ESTABLISHED, and both ends agreed on what they support.";
      case DISCONNECTING ->
          "This end disconnects; its queue pair enters the error state, and its outstanding"
              + " requests are flushed.";
      case KEY_REQUESTED ->
          "The source needs the destination's key of these chunks before it can write to them.";
      case DEVICE_OPENED ->
          "The device and the route to the peer are known; QEMU prints the same"
              + " (qemu_rdma_dump_id, qemu_rdma_dump_gid).";
      case WIRE_RETRANSMISSION ->
          "Captured packets show that the device sent this request again, because no"
              + " acknowledgement had come in time, or because it was negative.";
      case WIRE_NAK ->
          "A captured acknowledgement is negative: the peer's device did not execute the request.";
      case WIRE_CNP ->
          "A captured congestion notification packet tells this queue pair that a switch marked its"
              + " packets; its device sends more slowly.";
      case DEVICE_COUNTED ->
          "A counter of the device was found changed; samples are taken once a second. It counts"
              + " for all programs on the port, not for one queue pair.";
      case PROGRAM_POST -> "The program posted a work request to a send queue.";
      case PROGRAM_TARGET -> "The memory of the peer that the request before this event accesses.";
      case PROGRAM_IMMEDIATE ->
          "The immediate data of the request before this event, which its receiver gets with the"
              + " completion.";
      case PROGRAM_RECEIVE -> "The program posted a buffer for a message that will arrive.";
      case PROGRAM_COMPLETION -> "The program polled this completion.";
      case PROGRAM_REFUSED ->
          "ibv_post_send, ibv_post_recv or ibv_post_srq_recv returned an error, and did not post"
              + " this request.";
      case PROGRAM_UNSEEN -> "The program did something that could not be recorded.";
      case PROGRAM_MESSAGE -> "A message, as the program's own log calls it.";
      case PROGRAM_REGISTERED -> "The program registered memory.";
      case PROGRAM_DEREGISTERED -> "The program deregistered memory.";
      case PROGRAM_PEER -> "The program connects a queue pair to this peer.";
      case PROGRAM_MODIFIED ->
          "The program, or librdmacm for it, called ibv_modify_qp; what was refused has no effect.";
      case PROGRAM_PATH -> "What the call of ibv_modify_qp before this event said of the peer.";
      case PROGRAM_REGIONS ->
          "From here on it is seen which memory the program registers and deregisters.";
      case PROGRAM_REGION_REFUSED ->
          "A call that was to register or to deregister memory returned an error, and did not.";
      case PROGRAM_POLLED_EMPTY ->
          "The program polled this completion queue so often and found nothing; told once a second.";
      case KEY_GIVEN -> "With this key the source may write to these chunks at the destination.";
      case SENT_AGAIN ->
          "No acknowledgement had come in time, so the device read the memory of the request again"
              + " and sent it once more; seen on the link of a lab, not reported by devices.";
      case COMPLETION_MET ->
          "A wait for another completion took this one from the queue. It was counted and handled,"
              + " so that this does no harm.";
    };
  }

  /**
   * The event in one line.
   *
   * @param telemetry the telemetry of its session, which has the names of RAM blocks and waits
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
          "round " + event.detail() + ", " + Format.bytes(event.argument()) + " processed";
      case STATUS -> status(event.detail());
      case GUEST_PAUSED -> "the guest is paused";
      case GUEST_RESUMED -> "the guest runs";
      case OPERATED -> operatorAct(event);
      case CONNECTION -> connection(event.detail());
      case ASYNC ->
          async(event.detail())
              + (event.argument() == 0 ? "" : " of queue pair " + event.argument());
      case WAIT_BEGIN -> "for " + wait(event.detail(), telemetry);
      case WAIT_END ->
          "for " + wait(event.detail(), telemetry) + " after " + Format.duration(event.argument());
      case COMPLETION_DROPPED ->
          work(event.wrid(), telemetry) + ", by the wait for " + wait(event.detail(), telemetry);
      case UNREGISTER -> run(event, telemetry) + ", " + unregisterStep(event.detail());
      case ESTABLISHED -> agreement(event.detail());
      case DISCONNECTING -> "this end disconnects";
      case KEY_REQUESTED -> run(event, telemetry);
      case DEVICE_OPENED -> banner(telemetry);
      case WIRE_RETRANSMISSION ->
          packet(WirePacket.of(event), telemetry)
              + (WirePacket.of(event).isChanged() ? ", with other data than before" : "");
      case WIRE_NAK -> {
        WirePacket packet = WirePacket.of(event);
        yield packet(packet, telemetry) + ": " + answer(new Syndrome(packet.what()));
      }
      case WIRE_CNP -> WirePacket.of(event).queuePair().text() + " is asked to slow down";
      case DEVICE_COUNTED ->
          "%s: %s%s since the session began"
              .formatted(
                  wait(event.detail(), telemetry),
                  event.length() == 0 ? "" : "at least ",
                  CountedByDevice.unsigned(event.argument()));
      case PROGRAM_POST -> ProgramText.post(event, telemetry);
      case PROGRAM_TARGET -> ProgramText.target(event, telemetry);
      case PROGRAM_IMMEDIATE -> ProgramText.immediate(event, telemetry);
      case PROGRAM_RECEIVE -> ProgramText.receive(event, telemetry);
      case PROGRAM_COMPLETION -> ProgramText.completion(event, telemetry);
      case PROGRAM_REFUSED -> ProgramText.refused(event, telemetry);
      case PROGRAM_UNSEEN -> ProgramText.unseen(event);
      case PROGRAM_MESSAGE -> ProgramText.message(event, wait(event.detail(), telemetry));
      case PROGRAM_REGISTERED, PROGRAM_DEREGISTERED -> ProgramText.memory(event);
      case PROGRAM_PEER -> ProgramText.peer(event, wait(event.detail(), telemetry));
      case PROGRAM_MODIFIED -> QueuePairText.change(QueuePairChange.of(event));
      case PROGRAM_REGIONS -> ProgramText.regions(event);
      case PROGRAM_REGION_REFUSED -> ProgramText.regionRefused(event);
      case PROGRAM_POLLED_EMPTY ->
          "completion queue %d: %s"
              .formatted(
                  event.argument() >>> 32,
                  Format.counted(Integer.toUnsignedLong(event.length()), "empty poll"));
      case PROGRAM_PATH -> QueuePairText.path(QueuePairPath.of(event), telemetry);
      case KEY_GIVEN -> run(event, telemetry) + ", key " + Format.key((int) event.argument());
      case SENT_AGAIN -> work(event.wrid(), telemetry) + ": " + sentAgain(event.detail());
      case COMPLETION_MET ->
          work(event.wrid(), telemetry)
              + ", by the wait for "
              + wait(event.detail(), telemetry)
              + "; harmless";
    };
  }

  /**
   * A change of status, a round, a pause of the guest, or an event of the connection or the device,
   * as a sentence without its capital letter.
   *
   * @param role the end that recorded it
   */
  static String milestone(Event event, Role role) {
    String me = BothEnds.the(role);
    return switch (event.kind()) {
      case STATUS ->
          event.detail() == MigrationStatus.PRE_SWITCHOVER.ordinal()
              ? "%s could switch over, and waits for permission.".formatted(me)
              : "%s changes to status %s.".formatted(me, status(event.detail()));
      case ROUND_BEGIN ->
          "round %d begins with %s to send."
              .formatted(event.detail(), Format.bytes(event.argument()));
      case ROUND_END ->
          "round %d ends with %s processed."
              .formatted(event.detail(), Format.bytes(event.argument()));
      case GUEST_PAUSED -> "the guest is paused at %s.".formatted(me);
      case GUEST_RESUMED -> "the guest runs at %s.".formatted(me);
      case OPERATED -> "%s, at %s.".formatted(operatorAct(event), me);
      case CONNECTION ->
          "%s receives a connection event: %s.".formatted(me, connection(event.detail()));
      case ASYNC -> "the device of %s reports the event %s.".formatted(me, async(event.detail()));
      default -> throw new IllegalArgumentException(event.kind() + " is no milestone");
    };
  }

  /** Device and connection in one line, with what QEMU prints about them. */
  public static String banner(Banner banner) {
    DeviceIdentity device = banner.device();
    ConnectionRoute route = banner.route();
    return "device %s (%s), link layer %s, source GID %s, destination GID %s"
        .formatted(
            device.name(),
            device.isKernels()
                ? "%s, %s, %s"
                    .formatted(device.uverbsName(), device.uverbsPath(), device.classPath())
                : "software, unknown to the kernel",
            linkLayer(route.linkLayer()),
            route.sourceGid(),
            route.destinationGid());
  }

  /** The name of a link layer as in {@code ibv_devinfo(1)}. */
  public static String linkLayer(LinkLayer linkLayer) {
    return switch (linkLayer) {
      case UNSPECIFIED -> "none";
      case INFINIBAND -> "InfiniBand";
      case ETHERNET -> "Ethernet";
    };
  }

  private static String banner(SessionTelemetry telemetry) {
    Banner known = telemetry.banner();
    return known == null ? "not recorded" : banner(known);
  }

  /** What a wait was for. */
  public static String wait(int number, SessionTelemetry telemetry) {
    List<Wait> waits = telemetry.waits();
    return number < waits.size() ? waits.get(number).text() : "unknown wait " + number;
  }

  /**
   * The counter of a device that an event names; null if it names none.
   *
   * @param number the detail of the event
   */
  public static @Nullable DeviceCounter counter(int number, SessionTelemetry telemetry) {
    List<Wait> waits = telemetry.waits();
    return number < waits.size() ? waits.get(number).counter() : null;
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

  /** What the operator did, in an event of the kind {@link EventKind#OPERATED}. */
  public static String operatorAct(Event event) {
    OperatorAct act = OperatorAct.of(event.detail());
    return switch (act) {
      case null -> "unknown act " + event.detail() + " of the operator";
      case LIMITED_BANDWIDTH ->
          event.argument() == 0
              ? "the operator removed the bandwidth limit"
              : "%s to %s".formatted(act.text(), Format.rate(event.argument()));
      case LIMITED_DOWNTIME -> "%s to %s".formatted(act.text(), Format.duration(event.argument()));
      case PAUSED,
          CONTINUED,
          TO_ARRIVE_PAUSED,
          TO_ARRIVE_RUNNING,
          TOLD_POWERED_OFF,
          TOLD_GUEST_ENDED,
          TOLD_GUEST_RUNS,
          LEARNED_NOT_STARTED,
          LEARNED_RUNNING ->
          act.text();
    };
  }

  /** What happened to a registration that is given back. */
  public static String unregisterStep(int ordinal) {
    UnregisterStep step = UnregisterStep.of(ordinal);
    return step == null ? "unknown step " + ordinal : step.text();
  }

  /** What was sent when a request was sent again. */
  public static String sentAgain(int detail) {
    return switch (SentAgain.Data.of(detail)) {
      case SAME -> "the same data";
      case OTHER -> "other data than before";
      case NONE -> "nothing, its memory is no longer registered";
    };
  }

  /** What an acknowledgement says. */
  public static String answer(Syndrome syndrome) {
    String text = syndrome.answer().text();
    return syndrome.answer() == Syndrome.Answer.NOT_READY
        ? "%s, to be sent again after %s".formatted(text, Format.duration(syndrome.timerNanos()))
        : text;
  }

  private static String packet(WirePacket packet, SessionTelemetry telemetry) {
    return "%s, %s, PSN %d"
        .formatted(work(packet, telemetry), packet.queuePair().text(), packet.psn());
  }

  /** The request of a packet. */
  public static String work(WirePacket packet, SessionTelemetry telemetry) {
    if (!packet.hasWrid()) {
      return "a request that was not captured";
    }
    return packet.ofProgram()
        ? "wr_id " + new ProgramNames(telemetry).wrid(packet.wrid())
        : work(packet.wrid(), telemetry);
  }

  /** The name of a migration status. */
  public static String status(int ordinal) {
    MigrationStatus[] all = MigrationStatus.values();
    return ordinal < all.length ? all[ordinal].qemuName() : "status " + ordinal;
  }

  /** The name of a connection event. */
  public static String connection(int ordinal) {
    ConnectionEvent.Type[] all = ConnectionEvent.Type.values();
    return ordinal < all.length
        ? all[ordinal].name().replace('_', ' ').toLowerCase(Locale.ROOT)
        : "unknown type " + ordinal;
  }

  /** The name of an asynchronous event, as in {@code ibv_event_type}. */
  public static String async(int ordinal) {
    AsyncEventType type = AsyncEventType.of(ordinal);
    return type == null ? "unknown type " + ordinal : type.name();
  }

  /** What both ends agreed on when they connected. */
  public static String agreement(int detail) {
    Agreement agreement = Agreement.of(detail);
    String pinning =
        agreement.pinAll()
            ? "with pin-all"
            : agreement.pinAllRequested() ? "pin-all was not granted" : "without pin-all";
    return pinning + (agreement.wridscope() ? ", both ends are Wridscopes" : "");
  }

  /** A work request, with the name of its RAM block if it is a write. */
  public static String work(long wrid, SessionTelemetry telemetry) {
    return WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE
        ? "WRITE " + place(wrid, telemetry)
        : WorkRequestId.describe(wrid);
  }

  /** The block and chunk of a wrid, for example {@code pc.ram chunk 17}. */
  public static String place(long wrid, SessionTelemetry telemetry) {
    return block(WorkRequestId.block(wrid), telemetry) + " chunk " + WorkRequestId.chunk(wrid);
  }

  /** The name of a RAM block, or its number while the names are not known. */
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
}
