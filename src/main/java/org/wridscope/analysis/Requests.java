// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SentAgain;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.verbs.DeviceCounter;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The work requests, waits and control messages of one session, reconstructed from its events. It
 * continues to read the log while the session runs. Not thread-safe.
 *
 * <p>The event of a control message counts as the post of its SEND, unless a {@link
 * EventKind#POST_SEND} for it came just before. A dropped completion may be recorded by a
 * completion event followed by a drop event, or by the drop event alone; likewise one that another
 * wait met.
 */
public final class Requests {
  /** Bytes of memory per request, including its end and index entries. */
  private static final int REQUEST_BYTES = 104;

  private static final long NO_WRID = -1;

  /** {@code IBV_WC_RECV}, the bit of all operations of receive queues. */
  private static final int RECEIVED = 128;

  /** Sides of a completion with an error, whose operation is not valid. */
  private static final int SEND_SIDE = 1;

  private static final int RECEIVE_SIDE = 2;

  private static final int FEWEST_KEPT = 1 << 16;
  private static final int MOST_KEPT = 1 << 21;

  /** How many waits are kept, and how many messages in each direction. */
  private static final int OTHERS_KEPT = 1 << 18;

  /** How many changes of status, rounds and the like are kept. */
  private static final int MILESTONES_KEPT = 10_000;

  private final SessionTelemetry telemetry;
  private final WorkRequests sends;
  private final WorkRequests receives;
  private final Waits waits = new Waits(OTHERS_KEPT);
  private final Messages sent = new Messages(OTHERS_KEPT);
  private final Messages received = new Messages(OTHERS_KEPT);
  private final Marks marks = new Marks(OTHERS_KEPT);
  private Latencies latencies = new Latencies();

  /** How many withdrawals of matches the latencies know of. */
  private long withdrawals;

  private final Milestones milestones = new Milestones(MILESTONES_KEPT);
  private final Unseen unseen = new Unseen();
  private final PolledQueues polledQueues = new PolledQueues();
  private final Map<WireTrouble.Kind, WireTrouble> troubles = new LinkedHashMap<>();
  private final CountedByDevice counted = new CountedByDevice();
  private final CompletionGaps gaps = new CompletionGaps();
  private final ProgramNames names;
  private final QueuePairs queuePairs = new QueuePairs();
  private final Regions regions = new Regions();
  private final EventLog.Reader reader = this::event;
  private final Conversation conversation;
  private long next;
  private long missed;
  private long lastNanos;

  // The newest completion, in case the next event says that another wait took it.
  private long lastWrid = NO_WRID;
  private long lastCompleted = WorkRequests.NONE;

  /** The SEND of a {@link EventKind#POST_SEND} that no control message has followed yet. */
  private long unnamedSend = WorkRequests.NONE;

  /** Starts at the oldest event that the log still has. */
  public Requests(SessionTelemetry telemetry) {
    this(
        telemetry,
        Math.clamp(Runtime.getRuntime().maxMemory() / 8 / REQUEST_BYTES, FEWEST_KEPT, MOST_KEPT));
  }

  /**
   * Starts at the oldest event that the log still has.
   *
   * @param kept lower limit of how many of the newest requests of each queue are kept
   */
  public Requests(SessionTelemetry telemetry, long kept) {
    this.telemetry = telemetry;
    names = new ProgramNames(telemetry);
    sends = new WorkRequests(QueueType.SEND, kept, names);
    receives = new WorkRequests(QueueType.RECEIVE, kept, names);
    conversation = new Conversation(telemetry.role());
  }

  public SessionTelemetry telemetry() {
    return telemetry;
  }

  public Role role() {
    return telemetry.role();
  }

  public WorkRequests sends() {
    return sends;
  }

  public WorkRequests receives() {
    return receives;
  }

  public WorkRequests of(QueueType queue) {
    return queue == QueueType.SEND ? sends : receives;
  }

  /** A queue of a program that is not ours, with the address of its peer if that is known. */
  public String nameOf(QueueId queue) {
    return names.queue(queue);
  }

  /** The peer of a queue pair of a program that is not ours; null if it is not known. */
  public @Nullable String peerOf(QueueId queue) {
    return names.peer(queue);
  }

  public Waits waits() {
    return waits;
  }

  /** The control messages that the session sent. */
  public Messages sent() {
    return sent;
  }

  /** The control messages that it received, including those whose completion was dropped. */
  public Messages received() {
    return received;
  }

  public Marks marks() {
    return marks;
  }

  public Latencies latencies() {
    return latencies;
  }

  /** What a program that is not ours polled from each completion queue. */
  public PolledQueues polledQueues() {
    return polledQueues;
  }

  /** What a program that is not ours set of its queue pairs. */
  public QueuePairs queuePairs() {
    return queuePairs;
  }

  /** The memory that a program that is not ours registered. */
  public Regions regions() {
    return regions;
  }

  /** What was not seen of a program that is not ours. */
  public Unseen unseen() {
    return unseen;
  }

  /** What the devices of the session counted. */
  public CountedByDevice counted() {
    return counted;
  }

  /** What went wrong on the wire, as captured packets show; in the order of its beginning. */
  Collection<WireTrouble> troubles() {
    return Collections.unmodifiableCollection(troubles.values());
  }

  /** A finding for each kind of it, and of that which the device counted. */
  List<Finding> wireFindings() {
    return Stream.concat(
            Stream.concat(
                troubles.values().stream().map(each -> each.finding(telemetry.startNanos())),
                Unacknowledged.finding(this).stream()),
            counted.findings(telemetry.startNanos(), gaps).stream())
        .toList();
  }

  /**
   * Changes of status, rounds, pauses of the guest, and events of the connection and the device. If
   * there are very many, only the first and the last.
   */
  public List<Event> milestones() {
    return milestones.all();
  }

  /** Number of missing events: discarded from the log, or skipped by the monitor. */
  public long missed() {
    return missed + telemetry.eventsLeftOut();
  }

  /** The time of the newest event, 0 if there is none. */
  public long lastNanos() {
    return lastNanos;
  }

  /** The number of the next event, which is how many events were read or missed. */
  public long next() {
    return next;
  }

  /** Whether every event so far has been read. */
  public boolean isUpToDate() {
    return next >= telemetry.log().size();
  }

  /**
   * Reads more events.
   *
   * @param limit upper limit of the number of events
   * @return how many were read
   */
  public long advance(int limit) {
    long before = Math.max(next, telemetry.log().oldest());
    missed += before - next;
    next = telemetry.log().read(before, limit, reader);
    return next - before;
  }

  /**
   * Adds an event from a source other than the session's log, which keeps only the newest.
   *
   * @param event whose number is greater than that of the previous one
   */
  public void take(Event event) {
    missed += event.number() - next;
    next = event.number() + 1;
    event(
        event.number(),
        event.nanos(),
        event.kind(),
        event.detail(),
        event.length(),
        event.wrid(),
        event.argument());
  }

  /** Reads all remaining events. */
  public Requests readAll() {
    while (advance(LongTable.SEGMENT) > 0) {
      // in pieces, because the log is locked while it is read
    }
    return this;
  }

  private boolean event(
      long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    lastNanos = nanos;
    switch (kind) {
      case POST_WRITE -> sends.post(nanos, number, wrid, length, detail == 1, 0);
      case POST_SEND -> unnamedSend = sends.post(nanos, number, wrid, length, true, detail);
      case POST_RECEIVE -> receives.post(nanos, number, wrid, length, true, 0);
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE -> {
        gaps.completed(nanos);
        completed(nanos, number, wrid, detail);
      }
      case CONTROL_SENT -> sent(nanos, number, detail, length, wrid, argument);
      case CONTROL_RECEIVED -> {
        long request = wrid == 0 ? WorkRequests.NONE : receives.lastEnded(wrid);
        received.decoded(nanos, number, detail, length, argument, request);
        markIfOvertaking(nanos, number, request, conversation.received(ControlType.of(detail)));
      }
      case WAIT_BEGIN -> {
        long request = wrid == 0 ? WorkRequests.NONE : of(QueueType.of(wrid)).openOrLast(wrid);
        waits.begin(nanos, number, detail, wrid, request);
      }
      case WAIT_END -> waits.finish(nanos, number);
      case COMPLETION_DROPPED -> taken(nanos, number, wrid, Marks.Kind.DROPPED, detail);
      case COMPLETION_MET -> taken(nanos, number, wrid, Marks.Kind.MET, detail);
      case STATUS,
          ROUND_BEGIN,
          ROUND_END,
          GUEST_PAUSED,
          GUEST_RESUMED,
          OPERATED,
          CONNECTION,
          ASYNC ->
          milestones.add(new Event(number, nanos, kind, detail, length, wrid, argument));
      case SENT_AGAIN -> sentAgain(nanos, number, SentAgain.Data.of(detail), wrid, argument);
      case WIRE_RETRANSMISSION, WIRE_NAK, WIRE_CNP ->
          onWire(nanos, number, kind, WirePacket.of(detail, length, wrid, argument));
      case DEVICE_COUNTED -> {
        DeviceCounter counter = EventText.counter(detail, telemetry);
        if (counter != null) {
          counted.add(nanos, number, counter, argument, length != 0);
        }
      }
      case REGISTERED,
          DEREGISTERED,
          KEY_REQUESTED,
          KEY_GIVEN,
          UNREGISTER,
          ZERO,
          DEVICE_OPENED,
          ESTABLISHED,
          DISCONNECTING,
          PROGRAM_TARGET,
          PROGRAM_IMMEDIATE,
          PROGRAM_MESSAGE -> {
        // not about a work request, or about the one before
      }
      case PROGRAM_POST -> {
        sends.post(
            nanos,
            number,
            QueueId.ofArgument(argument),
            wrid,
            length,
            (detail >>> 8 & (SendFlagNames.SIGNALED | SendFlagNames.NOT_KNOWN)) != 0,
            detail);
        withdraw();
        polledQueues.posted();
        regions.posted(nanos);
      }
      case PROGRAM_RECEIVE -> {
        receives.post(nanos, number, QueueId.ofArgument(argument), wrid, length, true, 0);
        withdraw();
        polledQueues.posted();
        regions.posted(nanos);
      }
      case PROGRAM_REFUSED ->
          of(argument >>> 32 == 1 ? QueueType.RECEIVE : QueueType.SEND)
              .refused(QueueId.ofArgument(argument), detail);
      case PROGRAM_COMPLETION -> {
        gaps.completed(nanos);
        programCompleted(nanos, number, argument, wrid, detail & 0xff, detail >>> 8);
      }
      case PROGRAM_UNSEEN -> {
        unseen.add(detail, length);
        if (unseen.hasGaps()) {
          sends.haveGaps();
        }
        if (!unseen.hasBeginning()) {
          sends.beginningIsNotSeen();
          receives.beginningIsNotSeen();
        }
        if (unseen.ofPackets()) {
          sends.areOfPackets();
          receives.areOfPackets();
        }
      }
      case PROGRAM_MODIFIED ->
          queuePairs.change(nanos, number, QueuePairChange.of(detail, length, wrid, argument));
      case PROGRAM_POLLED_EMPTY ->
          polledQueues.empty((int) (argument >>> 32), Integer.toUnsignedLong(length));
      case PROGRAM_REGISTERED -> regions.registered(nanos, length, argument);
      case PROGRAM_DEREGISTERED -> regions.deregistered(nanos, length, argument);
      case PROGRAM_REGIONS -> regions.before(Integer.toUnsignedLong(length), argument);
      case PROGRAM_REGION_REFUSED -> regions.refused(detail, length == 1);
      case PROGRAM_PATH -> queuePairs.path(QueuePairPath.of(detail, length, wrid, argument));
      case PROGRAM_PEER -> {
        names.connected(QueueId.ofArgument(argument), EventText.wait(detail, telemetry));
        if (length == 0) {
          sends.connected(QueueId.ofArgument(argument));
        }
      }
    }
    return true;
  }

  /** How long requests took is not known of those whose completions are not known any more. */
  private void withdraw() {
    long now = sends.withdrawals() + receives.withdrawals();
    if (now != withdrawals) {
      withdrawals = now;
      latencies = Latencies.postedIn(this, Long.MIN_VALUE, Long.MAX_VALUE);
    }
  }

  private void sent(long nanos, long number, int type, int length, long wrid, long repeat) {
    long request;
    if (sends.has(unnamedSend) && (wrid == 0 || sends.wrid(unnamedSend) == wrid)) {
      request = unnamedSend;
    } else {
      request = sends.post(nanos, number, wrid, ControlHeader.BYTES + length, true, type);
    }
    unnamedSend = WorkRequests.NONE;
    sent.sent(nanos, number, type, length, repeat, request);
    conversation.sent(ControlType.of(type), request);
  }

  private void completed(long nanos, long number, long wrid, int status) {
    QueueType queue = QueueType.of(wrid);
    WorkRequests requests = of(queue);
    boolean ok = status == WorkCompletionStatus.SUCCESS.value();
    long id = requests.complete(nanos, number, wrid, status);
    waits.completed(wrid);
    lastWrid = wrid;
    lastCompleted = id;
    if (id == WorkRequests.NONE) {
      return;
    }
    if (!ok) {
      marks.add(nanos, number, Marks.Kind.FAILED, queue, id, WorkRequests.NONE);
      return;
    }
    latencies.record(requests.kind(id), nanos - requests.postedNanos(id));
    long oldest = requests.oldestOpen();
    // The device guarantees the order within a queue. Missing events could only pretend otherwise.
    if (oldest != WorkRequests.NONE && oldest < id && missed() == 0) {
      requests.markOvertaking(id);
      requests.markOvertaken(oldest);
      marks.add(nanos, number, Marks.Kind.OUT_OF_ORDER, queue, id, oldest);
    }
    if (queue == QueueType.RECEIVE) {
      received.arrived(nanos, number, id);
    }
  }

  /**
   * A program polled a completion. A success covers the unsignaled requests before it even where
   * the queue pair signals all of them, because their own completions came first.
   *
   * @param argument of {@link EventKind#PROGRAM_COMPLETION}
   */
  private void programCompleted(
      long nanos, long number, long argument, long wrid, int status, int operation) {
    QueueId of = QueueId.ofArgument(argument);
    boolean ok = status == WorkCompletionStatus.SUCCESS.value();
    QueueType queue;
    if (ok) {
      queue = (operation & RECEIVED) != 0 ? QueueType.RECEIVE : QueueType.SEND;
    } else if (operation == SEND_SIDE || operation == RECEIVE_SIDE) {
      queue = operation == RECEIVE_SIDE ? QueueType.RECEIVE : QueueType.SEND;
    } else {
      boolean receive = !sends.hasOpen(of, wrid) && receives.hasOpen(of, wrid);
      queue = receive ? QueueType.RECEIVE : QueueType.SEND;
    }
    polledQueues.polled(nanos, (int) (argument >>> 32), of, queue, sends.hasOpen(of));
    WorkRequests requests = of(queue);
    long id = requests.complete(nanos, number, of, wrid, status);
    if (id == WorkRequests.NONE) {
      return;
    }
    if (ok) {
      latencies.record(requests.kind(id), nanos - requests.postedNanos(id));
    } else {
      marks.add(nanos, number, Marks.Kind.FAILED, queue, id, WorkRequests.NONE);
    }
  }

  /** A wait for another completion took this one: dropped it, or met and handled it. */
  private void taken(long nanos, long number, long wrid, Marks.Kind kind, int phrase) {
    if (lastWrid != wrid) {
      completed(nanos, number, wrid, WorkCompletionStatus.SUCCESS.value());
    }
    boolean dropped = kind == Marks.Kind.DROPPED;
    QueueType queue = QueueType.of(wrid);
    WorkRequests requests = of(queue);
    // The trace logs of QEMU do not tell when receives were posted.
    long id =
        lastCompleted == WorkRequests.NONE
            ? requests.unposted(nanos, number, wrid, dropped)
            : lastCompleted;
    lastWrid = NO_WRID;
    lastCompleted = WorkRequests.NONE;
    marks.add(nanos, number, kind, queue, id, waits.open(), phrase);
    if (!dropped) {
      requests.markMet(id);
    } else {
      requests.markDropped(id);
      if (queue == QueueType.RECEIVE) {
        markIfOvertaking(nanos, number, id, conversation.received(null));
      }
    }
  }

  private void sentAgain(long nanos, long number, SentAgain.Data data, long wrid, long request) {
    // A guest changes its RAM at any time, which is no mistake.
    boolean reused =
        data == SentAgain.Data.OTHER && WorkRequestId.type(wrid) != WorkRequestId.RDMA_WRITE;
    boolean known = missed() == 0 && sends.has(request) && sends.wrid(request) == wrid;
    if (known && (reused || data == SentAgain.Data.NONE)) {
      marks.add(
          nanos,
          number,
          reused ? Marks.Kind.MEMORY_REUSED : Marks.Kind.MEMORY_GONE,
          QueueType.SEND,
          request,
          WorkRequests.NONE);
    }
  }

  private void onWire(long nanos, long number, EventKind kind, WirePacket packet) {
    long request = packet.request();
    boolean known = missed() == 0 && sends.has(request) && sends.wrid(request) == packet.wrid();
    WireTrouble.Kind of = WireTrouble.Kind.of(kind, packet);
    troubles
        .computeIfAbsent(of, _ -> new WireTrouble(of, nanos, number))
        .add(nanos, packet, known ? RequestFacts.name(sends, request) : "");
    if (known) {
      long other = kind == EventKind.WIRE_NAK ? packet.what() : WorkRequests.NONE;
      marks.add(nanos, number, mark(kind, packet), QueueType.SEND, request, other);
    }
  }

  private static Marks.Kind mark(EventKind kind, WirePacket packet) {
    if (kind == EventKind.WIRE_NAK) {
      return Marks.Kind.REFUSED;
    }
    return packet.isChanged() ? Marks.Kind.MEMORY_REUSED : Marks.Kind.SENT_AGAIN;
  }

  /** Marks a message that was polled before the completion of the SEND that it answers. */
  private void markIfOvertaking(long nanos, long number, long receive, long send) {
    if (receive == WorkRequests.NONE || !sends.has(send) || !sends.isOpen(send)) {
      return;
    }
    receives.markOvertaking(receive);
    sends.markOvertaken(send);
    marks.add(nanos, number, Marks.Kind.RECEIVE_OVERTOOK_SEND, QueueType.RECEIVE, receive, send);
  }
}
