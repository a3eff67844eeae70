// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.account.Account;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.figures.Observation;
import org.wridscope.qmp.QemuProgram;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.ProgramCounts;
import org.wridscope.telemetry.ProgramCounts.Side;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.WridLayout;
import org.wridscope.text.Legible;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.QueuePairAttributes;
import org.wridscope.verbs.QueuePairState;

/**
 * A program that is not ours, with its posts and completions as events. One thread writes it. The
 * program is never changed or ended.
 */
final class AttachedProgram implements Session {
  private static final int SUCCESS = 0;

  /** See {@link EventKind#PROGRAM_UNSEEN}. */
  private static final int LOST = 2;

  private static final int ALSO_REFUSED = 4;

  private static final int EARLY = 5;

  /** See {@link EventKind#PROGRAM_PEER}. */
  private static final int BEFORE = 1;

  /** A bit of {@code enum ibv_wc_opcode}. */
  private static final int OPCODE_OF_RECEIVES = 1 << 7;

  /** {@code enum ibv_qp_state}. */
  private static final int RESET = QueuePairState.RESET.ordinal();

  private static final int INIT = QueuePairState.INIT.ordinal();

  /** An operation that is not known at all, which is none of {@code enum ibv_wc_opcode}. */
  private static final int UNKNOWN_OPERATION = -1;

  /** The operation of a success that the program did not read, by its side. */
  private static final int[] NOT_READ = {
    UNKNOWN_OPERATION, OpcodeNames.SEND_NOT_READ, OpcodeNames.RECEIVE_NOT_READ
  };

  /** The length of an event is a positive int here. */
  private static final int MOST_AT_ONCE = Integer.MAX_VALUE;

  private static final int MAX_NAME = 64;

  /** The detail of an event has 16 bits. */
  private static final int MAX_DETAIL = (1 << 16) - 1;

  private final long pid;
  private final String name;
  private final String device;
  private final SessionTelemetry telemetry = SessionTelemetry.ofProgram(Account::new);
  private final ProgramCounts counts = new ProgramCounts();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String outcome;
  private long newest = Long.MIN_VALUE;
  private boolean begunBefore;

  /** Whether the program may have queue pairs that were not seen. */
  private boolean late;

  private int early;

  /** Ends the attachment. */
  private volatile Runnable leave = () -> {};

  // Numbers for addresses in the program, in the order in which it used them.
  private final Map<Long, Integer> contexts = new HashMap<>();
  private final Map<Long, Integer> completionQueues = new HashMap<>();
  private final Map<Long, Integer> sharedQueues = new HashMap<>();

  /** The completion queues of each queue pair's send queue and receive queue, by their numbers. */
  private final Map<QueueId, Sides> sides = new HashMap<>();

  /** The empty polls of each completion queue that have been told. */
  private final Map<Integer, Long> emptyPolls = new HashMap<>();

  /** The queue pairs of each completion queue. */
  private final Map<Integer, Set<QueueId>> users = new HashMap<>();

  /** Peers of queue pairs that were connected before the attachment, by their numbers. */
  private final Map<Integer, PeersBefore.Peer> connected;

  /** Queue pairs whose peer librdmacm knows, with address and port. */
  private final Set<QueueId> managed = new HashSet<>();

  /** The last known state of queue pairs, a number of {@code enum ibv_qp_state}. */
  private final Map<QueueId, Integer> states = new HashMap<>();

  private final ProgramRegions regions = new ProgramRegions(this::add);

  /** Requests of the extended interface that are not posted yet. */
  private final Map<QueueId, List<Request>> begun = new HashMap<>();

  private record Request(
      long wrid, int opcode, int flags, int length, long remoteAddress, int remoteKey) {
    Request longer(int bytes) {
      return new Request(wrid, opcode, flags, length + bytes, remoteAddress, remoteKey);
    }
  }

  private record Sides(int send, int receive) {
    /** As in {@link EventKind#PROGRAM_COMPLETION}. */
    int of(int completionQueue) {
      if (send == receive) {
        return 0;
      }
      return completionQueue == send ? 1 : completionQueue == receive ? 2 : 0;
    }
  }

  /**
   * @param command the name of the program
   * @param device the device that is looked at, or a phrase for several
   * @param connected the peers of its queue pairs that are connected already, by number
   */
  AttachedProgram(
      long pid, String command, String device, Map<Integer, PeersBefore.Peer> connected) {
    this.pid = pid;
    this.device = device;
    this.connected = new HashMap<>(connected);
    name = "%s %d".formatted(Legible.of(command, MAX_NAME), pid);
    telemetry.setWrids(QemuProgram.isNamed(command) ? WridLayout.QEMU : WridLayout.UNKNOWN);
    telemetry.setStatus(MigrationStatus.ACTIVE);
  }

  /**
   * The name that the kernel shows for a process.
   *
   * @param otherwise for one that has ended
   */
  static String command(long pid, String otherwise) {
    try {
      byte[] text = Files.readAllBytes(Path.of("/proc/" + pid + "/comm"));
      return new String(text, StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return otherwise;
    }
  }

  /** Sets how the attachment ends. */
  void leaveBy(Runnable end) {
    leave = end;
  }

  // ---- for the thread that reads what is traced

  /** Says that the program may have posted before all probes were in place; before all else. */
  void begunBefore() {
    begunBefore = true;
    late = true;
  }

  /**
   * Says what the program had registered before; of registrations and deregistrations that are in
   * the list already, nothing is added. Before all else.
   *
   * @param before null if the program began only now
   */
  void registeredBefore(long nanos, @Nullable RegionsBefore before) {
    if (before == null) {
      regions.none(nanos);
    } else {
      regions.before(nanos, before, pid);
    }
  }

  /**
   * Takes a line of before all probes were in place: a completion may have no post, or a post no
   * completion.
   */
  void early(TraceLine line, long nanos) {
    switch (line.kind()) {
      case QUEUE_PAIR, PEER, MODIFY, NAME -> take(line, nanos);
      case POST, RECEIVE, SHARED_RECEIVE, COMPLETION, POLLED, EXTENDED -> early++;
      case MORE -> early += line.integer(4);
      default -> {
        // of no request, or of one that was counted; regions are in the list
      }
    }
    newest = Math.max(newest, nanos);
    begunBefore = true;
  }

  /** Tells how much of the beginning was not seen, if that is not told yet. */
  private void tellEarly(long nanos) {
    if (begunBefore) {
      begunBefore = false;
      add(nanos, EventKind.PROGRAM_UNSEEN, EARLY, early, 0, 0);
      early = 0;
    }
  }

  /** Adds what a line tells. */
  void take(TraceLine line, long nanos) {
    tellEarly(nanos);
    switch (line.kind()) {
      case QUEUE_PAIR -> {
        QueueId queue = queuePair(line, 4);
        var both = new Sides(completionQueue(line.number(5)), completionQueue(line.number(6)));
        sides.put(queue, both);
        of(both.send).add(queue);
        of(both.receive).add(queue);
        PeersBefore.Peer peer = connected.remove(queue.number());
        if (peer != null) {
          peer(nanos, queue, peer.name(), BEFORE);
          if (peer.managed()) {
            managed.add(queue);
          }
        }
      }
      case POST ->
          post(
              nanos,
              queuePair(line, 4),
              new Request(
                  line.number(5),
                  line.integer(6),
                  line.integer(7),
                  line.integer(9),
                  line.number(10),
                  line.integer(11)),
              line.integer(12));
      case EXTENDED ->
          begun
              .computeIfAbsent(queuePair(line, 4), _ -> new ArrayList<>())
              .add(
                  new Request(
                      line.number(5),
                      line.integer(6),
                      line.integer(7),
                      0,
                      line.number(8),
                      line.integer(9)));
      case DATA -> {
        List<Request> requests = begun.getOrDefault(queuePair(line, 4), List.of());
        if (!requests.isEmpty()) {
          requests.addLast(requests.removeLast().longer(line.integer(5)));
        }
      }
      case COMPLETE -> {
        QueueId queue = queuePair(line, 4);
        List<Request> requests = begun.remove(queue);
        if (requests != null) {
          requests.forEach(request -> post(nanos, queue, request, line.integer(5)));
        }
      }
      case ABORT -> begun.remove(queuePair(line, 4));
      case RECEIVE ->
          receive(nanos, queuePair(line, 4), line.number(5), line.integer(7), line.integer(8));
      case SHARED_RECEIVE -> {
        int shared = sharedQueues.computeIfAbsent(line.number(4), _ -> sharedQueues.size() + 1);
        receive(
            nanos,
            QueueId.ofSharedReceiveQueue(shared),
            line.number(5),
            line.integer(7),
            line.integer(8));
      }
      case COMPLETION -> completion(line, nanos);
      case POLLED -> polled(line, nanos);
      case MORE -> {
        switch (line.integer(3)) {
          case 0 -> unseen(nanos, 0, line.integer(4));
          case 1 -> unseen(nanos, 1, line.integer(4));
          default -> unseen(nanos, ALSO_REFUSED, line.integer(4));
        }
      }
      case PEER -> {
        QueueId queue = queuePair(line, 4);
        managed.add(queue);
        peer(
            nanos,
            queue,
            PeerAddress.of(line.number(5), line.number(6), line.number(7), line.number(8)),
            0);
      }
      case MODIFY -> modified(line, nanos);
      case REGISTER ->
          regions.registered(nanos, context(line), line.number(6), line.number(4), line.number(5));
      case DEREGISTER ->
          regions.deregistered(
              nanos, context(line), line.number(6), line.number(4), line.number(5));
      case REGISTER_REFUSED ->
          regions.refused(nanos, line.integer(6), false, line.number(4), line.number(5));
      case DEREGISTER_REFUSED ->
          regions.refused(nanos, line.integer(6), true, line.number(4), line.number(5));
      case CLOSE -> regions.closed(nanos, context(line));
      case REGION_UNREAD -> regions.unread(nanos);
      case NAME -> {
        // not about requests
      }
    }
  }

  /**
   * @param before as in {@link EventKind#PROGRAM_PEER}
   */
  private void peer(long nanos, QueueId queue, String address, int before) {
    connected.remove(queue.number());
    int text = telemetry.phrase(address);
    if (text <= MAX_DETAIL) {
      add(nanos, EventKind.PROGRAM_PEER, text, before, 0, queue.argument());
    }
  }

  /** A queue pair is modified, or that is refused; one that is connected so has a peer. */
  private void modified(TraceLine line, long nanos) {
    QueueId queue = queuePair(line, 4);
    var change =
        new QueuePairChange(
            queue,
            line.integer(5),
            line.integer(6),
            line.integer(7),
            line.integer(8),
            line.integer(9),
            line.integer(10),
            line.integer(11),
            line.integer(12),
            line.integer(13),
            line.integer(14));
    add(
        nanos,
        EventKind.PROGRAM_MODIFIED,
        change.errno(),
        change.mask(),
        change.wrid(),
        change.argument());
    String address =
        PeerAddress.ofDestination(
            line.integer(18) != 0, line.integer(19), line.number(20), line.number(21));
    int mask = change.mask() & QueuePairPath.MEMBERS;
    if (mask != 0) {
      var path =
          new QueuePairPath(
              queue,
              mask,
              change.has(QueuePairAttributes.ADDRESS) ? telemetry.phrase(address) : 0,
              line.integer(15),
              line.integer(16),
              line.integer(17));
      add(
          nanos,
          EventKind.PROGRAM_PATH,
          path.address(),
          path.queuePair(),
          path.wrid(),
          path.argument());
    }
    if (change.isRefused()) {
      return;
    }
    state(queue, change);
    if (change.has(QueuePairAttributes.DESTINATION_QP)
        && change.has(QueuePairAttributes.ADDRESS)
        && !managed.contains(queue)) {
      peer(nanos, queue, PeerAddress.ofQueuePair(line.integer(15), address), 0);
    }
  }

  /**
   * A queue pair that becomes a new one has another peer. librdmacm makes the transition to INIT
   * twice, the second time when the peer is known.
   */
  private void state(QueueId queue, QueuePairChange change) {
    if (!change.has(QueuePairAttributes.STATE)) {
      return;
    }
    Integer before = states.put(queue, change.state());
    boolean again = change.isTo(INIT) && before != null && before != INIT && before != RESET;
    if (change.isTo(RESET) || again) {
      managed.remove(queue);
    }
  }

  private void post(long nanos, QueueId queue, Request of, int errno) {
    if (errno != 0) {
      counts.refused(queue, Side.SEND);
      add(nanos, EventKind.PROGRAM_REFUSED, errno, of.length, of.wrid, queue.argument());
      return;
    }
    counts.posted(queue, Side.SEND, of.length);
    int detail = (of.opcode & 0xff) | (of.flags & 0xff) << 8;
    add(nanos, EventKind.PROGRAM_POST, detail, of.length, of.wrid, queue.argument());
    if (hasTarget(of.opcode)) {
      add(nanos, EventKind.PROGRAM_TARGET, 0, of.remoteKey, of.wrid, of.remoteAddress);
    }
  }

  /** RDMA WRITE, RDMA WRITE with immediate, RDMA READ, both atomics, FLUSH, ATOMIC WRITE. */
  private static boolean hasTarget(int opcode) {
    return switch (opcode) {
      case 0, 1, 4, 5, 6, 14, 15 -> true;
      default -> false;
    };
  }

  private void receive(long nanos, QueueId queue, long wrid, int length, int errno) {
    if (errno != 0) {
      counts.refused(queue, Side.RECEIVE);
      add(nanos, EventKind.PROGRAM_REFUSED, errno, length, wrid, queue.argument() | 1L << 32);
    } else {
      counts.posted(queue, Side.RECEIVE, length);
      add(nanos, EventKind.PROGRAM_RECEIVE, 0, length, wrid, queue.argument());
    }
  }

  private void completion(TraceLine line, long nanos) {
    int completionQueue = completionQueue(line.number(4));
    QueueId queue = queuePair(line, 10);
    int status = line.integer(6);
    int what = line.integer(7);
    int length = line.integer(9);
    if (status != SUCCESS) {
      // Only wr_id, status, queue pair and vendor error are valid then, see ibv_poll_cq(3).
      Sides of = sides.get(queue);
      what = of == null ? 0 : of.of(completionQueue);
      length = line.integer(8);
    }
    completed(nanos, queue, completionQueue, line.number(5), status, what, length);
  }

  private void completed(
      long nanos, QueueId queue, int completionQueue, long wrid, int status, int what, int length) {
    counts.completed(queue, side(status, what), status);
    add(
        nanos,
        EventKind.PROGRAM_COMPLETION,
        (status & 0xff) | (what & 0xff) << 8,
        length,
        wrid,
        queue.argument() | (long) completionQueue << 32);
  }

  /**
   * A completion of which the program has read what it needs. If that is not its queue pair, it is
   * that of the completion queue if there is no other one, and of a success without operation the
   * completion queue may tell whether it was sent or received; otherwise it is counted only.
   */
  private void polled(TraceLine line, long nanos) {
    int completionQueue = completionQueue(line.number(4));
    int status = line.integer(6);
    int read = line.integer(7);
    int context = context(line);
    QueueId queue =
        (read & ProbeRecord.QP_NUM_READ) != 0
            ? QueueId.ofQueuePair(context, line.integer(11))
            : only(completionQueue);
    Sides of = queue == null ? null : sides.get(queue);
    int side = of == null ? 0 : of.of(completionQueue);
    int what;
    int length;
    if (status == SUCCESS) {
      what = (read & ProbeRecord.OPCODE_READ) != 0 ? line.integer(8) & 0xff : NOT_READ[side];
      length = line.integer(10);
      if (what >= OPCODE_OF_RECEIVES && (read & ProbeRecord.BYTE_LEN_READ) == 0) {
        what = OpcodeNames.RECEIVE_NOT_READ;
      }
    } else {
      what = side;
      length =
          (read & ProbeRecord.VENDOR_ERR_READ) != 0
              ? line.integer(9)
              : EventKind.VENDOR_ERROR_NOT_READ;
    }
    if (queue == null || (status == SUCCESS && what == UNKNOWN_OPERATION)) {
      unseen(nanos, ProgramCounts.Unseen.COMPLETIONS.ordinal(), 1);
    } else {
      completed(nanos, queue, completionQueue, line.number(5), status, what, length);
    }
  }

  /**
   * Tells how many polls of a completion queue were empty, of one that has been used otherwise.
   *
   * @param count from the beginning
   */
  void emptyPolls(long nanos, long address, long count) {
    Integer number = completionQueues.get(address);
    if (number == null) {
      return;
    }
    long before = Objects.requireNonNullElse(emptyPolls.put(number, count), 0L);
    for (long more = count - before; more > 0; more -= MOST_AT_ONCE) {
      int part = (int) Math.min(more, MOST_AT_ONCE);
      add(nanos, EventKind.PROGRAM_POLLED_EMPTY, 0, part, 0, (long) number << 32);
    }
  }

  /** The only queue pair of a completion queue; null if it is not known to be that. */
  private @Nullable QueueId only(int completionQueue) {
    Set<QueueId> all = of(completionQueue);
    return late || all.size() != 1 ? null : all.iterator().next();
  }

  /** The queue pairs of a completion queue. */
  private Set<QueueId> of(int completionQueue) {
    return users.computeIfAbsent(completionQueue, _ -> new HashSet<>());
  }

  /** The queue of a completion, as {@link EventKind#PROGRAM_COMPLETION} tells it. */
  private static Side side(int status, int what) {
    if (status == SUCCESS) {
      return (what & OPCODE_OF_RECEIVES) == 0 ? Side.SEND : Side.RECEIVE;
    }
    return switch (what) {
      case 1 -> Side.SEND;
      case 2 -> Side.RECEIVE;
      default -> Side.UNKNOWN;
    };
  }

  /** Adds that something was not seen, as in {@link EventKind#PROGRAM_UNSEEN}. */
  void unseen(long nanos, int what, int count) {
    if (what <= LOST) {
      counts.missed(ProgramCounts.Unseen.values()[what], count);
    }
    add(nanos, EventKind.PROGRAM_UNSEEN, what, count, 0, 0);
  }

  private QueueId queuePair(TraceLine line, int index) {
    return QueueId.ofQueuePair(context(line), line.integer(index));
  }

  private int context(TraceLine line) {
    return contexts.computeIfAbsent(line.number(3), _ -> contexts.size());
  }

  private int completionQueue(long address) {
    return completionQueues.computeIfAbsent(address, _ -> completionQueues.size() + 1);
  }

  /** With the time of the event before it if that is later: then this one was told late. */
  private void add(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    newest = Math.max(newest, nanos);
    telemetry.programEvent(newest, kind, detail, length, wrid, argument);
  }

  /** Adds what its devices had counted until a moment; the program's own events are older. */
  void takeCounted(long until) {
    newest = telemetry.takeCounted(newest, until);
  }

  /** Samples what its events amount to at a moment. */
  void sample(long nanos) {
    telemetry.sampleProgram(nanos);
  }

  /** Ends the session; nothing is added after that. */
  void end(boolean failed, String sentence) {
    tellEarly(newest);
    outcome = sentence;
    telemetry.setStatus(failed ? MigrationStatus.FAILED : MigrationStatus.COMPLETED);
    ended.countDown();
  }

  // ---- for everybody

  @Override
  public boolean migrates() {
    return false;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String uri() {
    return "pid:" + pid;
  }

  @Override
  public Observation observation() {
    return Observation.PROGRAM;
  }

  @Override
  public String device() {
    return device;
  }

  @Override
  public String deviceReason() {
    return "the program uses it";
  }

  @Override
  public SessionTelemetry telemetry() {
    return telemetry;
  }

  @Override
  public Optional<ProgramCounts> programCounts() {
    return Optional.of(counts);
  }

  @Override
  public @Nullable SessionOutcome result() {
    String sentence = outcome;
    return sentence == null ? null : new SessionOutcome(sentence);
  }

  @Override
  public boolean guestRunning() {
    return false;
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  /** Ends the attachment; the program goes on. Returns at once. */
  @Override
  public void cancel() {
    Thread.ofPlatform().daemon().name("leave " + name).start(leave);
  }

  @Override
  public MigrationReport report() {
    return Reports.ofTelemetry(this, System.nanoTime());
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends the attachment, and with it all its programs. */
  @Override
  public void close() {
    leave.run();
  }
}
