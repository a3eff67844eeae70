// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.time.Time;
import org.wridscope.verbs.DeviceCounter;

/**
 * Everything observable about one session, while it runs and afterwards. The session's engine
 * thread writes, a {@link Sampler} turns that into history, and any thread reads. The engine never
 * waits for a reader.
 */
public final class SessionTelemetry {
  private static final int RING_CAPACITY = 1 << 16;

  /**
   * Events kept for one session: enough for a million requests if the heap is large enough. All
   * sessions share an {@link EventBudget}.
   */
  static final int LOG_CAPACITY =
      Math.clamp(
          Runtime.getRuntime().maxMemory() / 8 / (EventRecord.LONGS * Long.BYTES),
          1 << 16,
          1 << 22);

  private static final int HISTORY_CAPACITY = 1 << 13;
  static final int PHASES_KEPT = 1000;

  /** Events of a caller: connecting, and heartbeats until it sends its first message. */
  private static final int CALLER_EVENTS = 1 << 10;

  /** The detail of an event has 16 bits. */
  private static final int MAX_DETAIL = (1 << 16) - 1;

  private final Role role;
  private final FlightEvents flight;
  private final long startNanos;
  private final boolean monitored;
  private final Metrics metrics = new Metrics();
  private final MessageCounts messagesSent = new MessageCounts();
  private final MessageCounts messagesReceived = new MessageCounts();
  private final CompletionCounts sendCompletions = new CompletionCounts();
  private final CompletionCounts receiveCompletions = new CompletionCounts();

  /** Null once the session has ended, or when it is not monitored. */
  private volatile @Nullable EventRing ring;

  private final EventLog log;
  private final History history;
  private final TurnedAway turnedAway = new TurnedAway();
  private final List<Wait> waits = new CopyOnWriteArrayList<>();
  private final Queue<SentAgain> sentAgain = new ConcurrentLinkedQueue<>();
  private final DeviceCounts deviceCounts = new DeviceCounts();

  /** Events of other threads than the engine's. */
  private final Queue<Event> others = new ConcurrentLinkedQueue<>();

  private final List<Phase> phases = new ArrayList<>();
  private volatile List<ChunkTable> blocks = List.of();
  private volatile MigrationStatus status = MigrationStatus.NONE;
  private volatile @Nullable Wait waitingFor;
  private volatile @Nullable Banner banner;
  private volatile WridLayout wrids = WridLayout.UNKNOWN;
  private volatile long leftOut;
  private final LongSupplier clock = Time.clock();

  /** The last request that could not be sent again, because its memory was not registered. */
  private @Nullable SentAgain unregistered;

  private int wait;
  private long waitBegan;

  /** Whether a completion was polled since the set-up; the newest at {@link #lastCompletion}. */
  private boolean completionSeen;

  private long lastCompletion;

  /** For metrics that are set. */
  private static final Counting NOTHING =
      new Counting() {
        @Override
        public void event(EventKind kind, int detail, int length, long wrid, long argument) {
          // counts nothing
        }

        @Override
        public Counting continuedBy(SessionTelemetry session) {
          return this;
        }
      };

  /** For the engine's thread. */
  private Counting counting;

  /**
   * Telemetry whose metrics are set, and not counted by its events.
   *
   * @param monitored whether events and history are kept; metrics are always kept
   */
  public SessionTelemetry(Role role, boolean monitored) {
    this(role, monitored, LOG_CAPACITY);
  }

  /**
   * The same, with a limit.
   *
   * @param monitored whether events and history are kept; metrics are always kept
   * @param eventsKept lower limit of how many of the newest events are kept
   */
  public SessionTelemetry(Role role, boolean monitored, int eventsKept) {
    this(role, monitored, eventsKept, _ -> NOTHING);
  }

  /**
   * The telemetry of a session of the engine.
   *
   * @param monitored whether events and history are kept; metrics are always kept
   * @param counts makes what adds to the metrics and the message counts what events amount to
   */
  public SessionTelemetry(
      Role role, boolean monitored, Function<SessionTelemetry, Counting> counts) {
    this(role, monitored, LOG_CAPACITY, counts);
  }

  private SessionTelemetry(
      Role role, boolean monitored, int eventsKept, Function<SessionTelemetry, Counting> counts) {
    this(
        role,
        Time.nanos(),
        monitored,
        monitored ? new EventRing(RING_CAPACITY) : null,
        new EventLog(eventsKept),
        new History(monitored ? HISTORY_CAPACITY : 2),
        counts);
  }

  private SessionTelemetry(
      Role role,
      long startNanos,
      boolean monitored,
      @Nullable EventRing ring,
      EventLog log,
      History history,
      Function<SessionTelemetry, Counting> counts) {
    this.role = role;
    flight = new FlightEvents(role);
    this.startNanos = startNanos;
    this.monitored = monitored;
    this.ring = ring;
    this.log = log;
    this.history = history;
    counting = counts.apply(this);
  }

  /** The telemetry of a session that a {@link Replay} moves. */
  static SessionTelemetry replayed(Role role, long startNanos, int samplesKept) {
    return new SessionTelemetry(
        role,
        startNanos,
        true,
        null,
        new EventLog(LOG_CAPACITY),
        new History(samplesKept),
        _ -> NOTHING);
  }

  /**
   * The telemetry of a program that is not ours. Its events have times of their own; one thread
   * {@linkplain #programEvent adds} and {@linkplain #sampleProgram samples} them.
   *
   * @param counts makes what adds to the metrics what events amount to
   */
  public static SessionTelemetry ofProgram(Function<SessionTelemetry, Counting> counts) {
    return new SessionTelemetry(
        Role.SOURCE,
        Time.nanos(),
        true,
        null,
        new EventLog(LOG_CAPACITY),
        new History(HISTORY_CAPACITY),
        counts);
  }

  /** Adds an event of a program that is not ours, not before the one that was added last. */
  public void programEvent(
      long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    counting.event(kind, detail, length, wrid, argument);
    log.add(nanos, kind, detail, length, wrid, argument);
  }

  /** Adds a sample of what the events of a program amount to. */
  public void sampleProgram(long nanos) {
    history.add(nanos, metrics);
  }

  /**
   * The telemetry of a caller of a destination; {@link #adopt} takes it over if the caller is the
   * source.
   *
   * @param counts as that of the destination
   */
  public static SessionTelemetry ofCaller(
      boolean monitored, Function<SessionTelemetry, Counting> counts) {
    return new SessionTelemetry(
        Role.DESTINATION,
        Time.nanos(),
        monitored,
        monitored ? new EventRing(CALLER_EVENTS) : null,
        new EventLog(1, new EventBudget(2)),
        new History(2),
        counts);
  }

  /**
   * Takes over what a caller's telemetry has, events with their times; for the engine's thread
   * only, which writes to that one no more.
   */
  public void adopt(SessionTelemetry caller) {
    metrics.include(caller.metrics);
    messagesSent.include(caller.messagesSent);
    messagesReceived.include(caller.messagesReceived);
    counting = caller.counting.continuedBy(this);
    banner = caller.banner;
    EventRing from = caller.ring;
    EventRing to = ring;
    if (from != null && to != null) {
      from.peek(
          0,
          (nanos, kind, detail, length, wrid, argument) -> {
            count(kind, detail);
            to.write(nanos, kind, detail, length, wrid, argument);
          });
    }
  }

  /** The callers that a destination has turned away; for any thread. */
  public TurnedAway turnedAway() {
    return turnedAway;
  }

  /** The present time on its session's clock; from any thread. */
  public long now() {
    return clock.getAsLong();
  }

  public Role role() {
    return role;
  }

  /** Whether events and history are kept. */
  public boolean monitored() {
    return monitored;
  }

  /** {@link System#nanoTime()} when the session was created. */
  public long startNanos() {
    return startNanos;
  }

  public Metrics metrics() {
    return metrics;
  }

  /** Control messages that this session sent. */
  public MessageCounts messagesSent() {
    return messagesSent;
  }

  /** Control messages that this session received. */
  public MessageCounts messagesReceived() {
    return messagesReceived;
  }

  /** Completions of the send queue; a {@link Replay} of the past does not count them. */
  public CompletionCounts sendCompletions() {
    return sendCompletions;
  }

  /** Completions of the receive queue; a {@link Replay} of the past does not count them. */
  public CompletionCounts receiveCompletions() {
    return receiveCompletions;
  }

  /** Writes an event of now; for the engine's thread only. Does not allocate. */
  public void event(EventKind kind, int detail, int length, long wrid, long argument) {
    event(Time.nanos(), kind, detail, length, wrid, argument);
  }

  /**
   * Writes an event; for the engine's thread only. Does not allocate.
   *
   * @param nanos its moment, not before that of the event before it: that of a post is before the
   *     device gets the request, so that nothing that follows from it seems to be earlier
   */
  public void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    counting.event(kind, detail, length, wrid, argument);
    count(kind, detail);
    EventRing to = ring;
    if (to != null) {
      to.write(nanos, kind, detail, length, wrid, argument);
    }
    if (kind == EventKind.COMPLETION_SEND_QUEUE || kind == EventKind.COMPLETION_RECEIVE_QUEUE) {
      measureGap(nanos);
    }
    if (kind == EventKind.REGISTERED || kind == EventKind.DEREGISTERED) {
      flight.registration(kind == EventKind.REGISTERED, length, wrid);
    }
  }

  /** Measures the time since the completion before this one, while the migration runs. */
  private void measureGap(long now) {
    if (!isBetweenSetUpAndEnd(status) || metrics.get(Metric.TOTAL_TIME) != 0) {
      return;
    }
    if (completionSeen) {
      // 0 means that it is not known.
      long gap = Math.max(1, now - lastCompletion);
      metrics.set(Metric.COMPLETION_GAP, Math.max(gap, metrics.get(Metric.COMPLETION_GAP)));
    }
    completionSeen = true;
    lastCompletion = now;
  }

  private static boolean isBetweenSetUpAndEnd(MigrationStatus status) {
    return switch (status) {
      case ACTIVE, PRE_SWITCHOVER, DEVICE -> true;
      case NONE, SETUP, CANCELLING, FAILING, COMPLETED, FAILED, CANCELLED, UNDECIDED -> false;
    };
  }

  /** Counts an event if it is a completion. */
  void count(EventKind kind, int status) {
    if (kind == EventKind.COMPLETION_SEND_QUEUE) {
      sendCompletions.increment(status);
    } else if (kind == EventKind.COMPLETION_RECEIVE_QUEUE) {
      receiveCompletions.increment(status);
    }
  }

  /**
   * Shows the events that the engine has written since the last call, before anybody else takes
   * them. Only while the engine stands still; nothing is shown after its end.
   *
   * @param from what the last call returned; at first 0
   * @return where the next call continues
   */
  public long peek(long from, EventRing.Reader reader) {
    EventRing of = ring;
    if (of == null || of.written() == from) {
      return from;
    }
    of.peek(from, reader);
    return of.written();
  }

  /** How many events were skipped because the reader was too slow. */
  public long eventsLeftOut() {
    EventRing of = ring;
    return of == null ? leftOut : of.leftOut();
  }

  /**
   * How many events were discarded from the log to make room for newer ones, or for those of other
   * sessions.
   */
  public long eventsGivenUp() {
    return log.oldest();
  }

  /** For a replayed session: sets how many events had been skipped. */
  void replayLeftOut(long events) {
    leftOut = events;
  }

  public EventLog log() {
    return log;
  }

  public History history() {
    return history;
  }

  /** Begins a phase that is no round. */
  public void beginPhase(Phase.Kind kind) {
    begin(new Phase(kind, Time.nanos()));
  }

  /**
   * Begins a round.
   *
   * @param round from 1
   */
  public void beginRound(long round) {
    begin(new Phase(Phase.Kind.ROUND, round, Time.nanos()));
  }

  private void begin(Phase phase) {
    synchronized (phases) {
      if (phases.size() == PHASES_KEPT) {
        // Not one of the first, from which times are counted.
        phases.remove(PHASES_KEPT / 2);
      }
      phases.addLast(phase);
    }
    flight.phase(phase.name());
  }

  /**
   * The first and the newest phases, oldest first; the last one is current unless the session has
   * ended.
   */
  public List<Phase> phases() {
    synchronized (phases) {
      return List.copyOf(phases);
    }
  }

  /** For a replayed session: replaces all phases. */
  void replayPhases(List<Phase> newPhases) {
    synchronized (phases) {
      phases.clear();
      phases.addAll(newPhases);
    }
  }

  /** The chunk tables of all RAM blocks, in their order; empty until the blocks are known. */
  public List<ChunkTable> blocks() {
    return blocks;
  }

  public void setBlocks(List<ChunkTable> blocks) {
    this.blocks = List.copyOf(blocks);
  }

  public MigrationStatus status() {
    return status;
  }

  public void setStatus(MigrationStatus status) {
    this.status = status;
    completionSeen &= isBetweenSetUpAndEnd(status);
    event(EventKind.STATUS, status.ordinal(), 0, 0, 0);
    if (status.isEnd()) {
      log.end();
      flight.phase(null);
    }
  }

  /** What identifies device and connection; null until the route to the peer is known. */
  public @Nullable Banner banner() {
    return banner;
  }

  /** Records that device and connection are known; for the engine's thread only. */
  public void opened(Banner of) {
    banner = of;
    event(EventKind.DEVICE_OPENED, 0, 0, 0, 0);
  }

  /** For a replayed session: sets what identifies device and connection, null for nothing yet. */
  void replayBanner(@Nullable Banner of) {
    banner = of;
  }

  /** What the wr_ids of a program that is not ours mean. */
  public WridLayout wrids() {
    return wrids;
  }

  /** Sets what the wr_ids of a program that is not ours mean. */
  public void setWrids(WridLayout layout) {
    wrids = layout;
  }

  /** What the engine is waiting for, or null. */
  public @Nullable Wait waitingFor() {
    return waitingFor;
  }

  /** Records what the engine waits for from now on, null for nothing; for its thread only. */
  public void setWaitingFor(@Nullable Wait waitingFor) {
    setWaitingFor(waitingFor, 0);
  }

  /**
   * Records what the engine waits for from now on, null for nothing; for its thread only.
   *
   * @param wrid the request whose completion it waits for, or 0
   */
  public void setWaitingFor(@Nullable Wait waitingFor, long wrid) {
    long now = Time.nanos();
    if (this.waitingFor != null) {
      event(EventKind.WAIT_END, wait, 0, 0, now - waitBegan);
    }
    this.waitingFor = waitingFor;
    flight.waitingFor(waitingFor);
    if (waitingFor != null) {
      wait = number(waitingFor);
      waitBegan = now;
      event(EventKind.WAIT_BEGIN, wait, 0, wrid, 0);
    }
  }

  /**
   * Records that the current wait dropped a completion; for the engine's thread only.
   *
   * @param wrid the wrid of the completion
   * @param wanted the type of the wrid that the wait is for
   */
  public void completionDropped(long wrid, int wanted) {
    event(EventKind.COMPLETION_DROPPED, wait, 0, wrid, wanted);
  }

  /** Records what the guest's operator did, unless the session has ended; from any thread. */
  public void operated(OperatorAct act) {
    operated(act, 0);
  }

  private void operated(OperatorAct act, long argument) {
    if (monitored && !status.isEnd()) {
      others.add(new Event(0, Time.nanos(), EventKind.OPERATED, act.ordinal(), 0, 0, argument));
    }
  }

  /**
   * Changes the limit of the bandwidth of the migration; from any thread.
   *
   * @param bytesPerSecond 0 for no limit
   */
  public void limitBandwidth(long bytesPerSecond) {
    limit(Metric.BANDWIDTH_LIMIT, OperatorAct.LIMITED_BANDWIDTH, bytesPerSecond);
  }

  /** Changes the limit of the downtime of the migration; from any thread. */
  public void limitDowntime(Duration limit) {
    limit(Metric.DOWNTIME_LIMIT, OperatorAct.LIMITED_DOWNTIME, limit.toNanos());
  }

  private void limit(Metric limit, OperatorAct act, long value) {
    if (metrics.get(limit) != value) {
      metrics.set(limit, value);
      operated(act, value);
    }
  }

  /** What the session's devices have counted since it began; for any thread. */
  public DeviceCounts deviceCounts() {
    return deviceCounts;
  }

  /**
   * Records how much a counter of a device has counted until now; for one thread at a time, before
   * {@link #closeRing}.
   */
  public void counted(DeviceCounter counter, DeviceCounts.Count count) {
    deviceCounts.set(counter, count);
    int name = monitored ? number(new Wait(counter)) : Integer.MAX_VALUE;
    if (name <= MAX_DETAIL) {
      Event event =
          new Event(
              0,
              Time.nanos(),
              EventKind.DEVICE_COUNTED,
              name,
              count.atLeast() ? 1 : 0,
              0,
              count.value());
      others.add(event);
    }
  }

  /**
   * Records that the outcome of a session is known that had ended undecided; for one thread at a
   * time, after {@link #closeRing}.
   *
   * @param runs whether its guest runs here from now on
   */
  public void settle(MigrationStatus known, OperatorAct act, boolean runs) {
    if (monitored) {
      long now = Time.nanos();
      log.add(now, EventKind.OPERATED, act.ordinal(), 0, 0, 0);
      if (runs) {
        log.add(now, EventKind.GUEST_RESUMED, 0, 0, 0, 0);
      }
      log.add(now, EventKind.STATUS, known.ordinal(), 0, 0, 0);
    }
    status = known;
  }

  /** Notes a request that the device sent again; from any thread. */
  public void sentAgain(SentAgain request) {
    sentAgain.add(request);
  }

  /** Records the requests that the device sent again meanwhile; for the engine's thread only. */
  public void takeSentAgain() {
    SentAgain request;
    while ((request = sentAgain.poll()) != null) {
      if (request.data() == SentAgain.Data.NONE) {
        unregistered = request;
      }
      event(
          EventKind.SENT_AGAIN,
          request.data().ordinal(),
          request.length(),
          request.wrid(),
          request.request());
    }
  }

  /**
   * Whether the last request that the device could not send again, because its memory was not
   * registered any more, has this wrid; for the engine's thread only.
   */
  public boolean isMemoryGone(long wrid) {
    SentAgain last = unregistered;
    return last != null && last.wrid() == wrid;
  }

  /**
   * Records that the current wait took a completion that it did not wait for, and handled it; for
   * the engine's thread only.
   *
   * @param wrid the wrid of the completion
   * @param wanted the type of the wrid that the wait is for
   */
  public void completionMet(long wrid, int wanted) {
    event(EventKind.COMPLETION_MET, wait, 0, wrid, wanted);
  }

  /**
   * Everything the engine has waited for, and the texts of programs that are not ours; the detail
   * of such an event is an index into this.
   */
  public List<Wait> waits() {
    return Collections.unmodifiableList(waits);
  }

  /**
   * The number of a program's text in {@link #waits()}, to which it is added if it is new; for the
   * engine's thread only.
   */
  public int phrase(String text) {
    return number(new Wait(Wait.Kind.OF_PROGRAM, text));
  }

  private int number(Wait of) {
    int known = waits.indexOf(of);
    return known < 0 ? add(of) : known;
  }

  /** Locked, because counters get their names on a thread of their own. */
  private int add(Wait of) {
    synchronized (waits) {
      int known = waits.indexOf(of);
      if (known < 0) {
        known = waits.size();
        waits.add(of);
      }
      return known;
    }
  }

  /** For a replayed session: replaces the waits. */
  void replayWaits(List<Wait> newWaits, @Nullable Wait now) {
    if (!waits.equals(newWaits)) {
      waits.clear();
      waits.addAll(newWaits);
    }
    waitingFor = now;
  }

  void sample(long nanos) {
    EventRing from = ring;
    if (from != null) {
      log.drain(from, others);
      history.add(nanos, metrics);
    }
  }

  /**
   * For a program that is not ours: adds to the log what its devices have counted.
   *
   * @param newest the time of the newest event of the log
   * @param until later events stay for the next time
   * @return the time of the newest event now
   */
  public long takeCounted(long newest, long until) {
    long last = newest;
    Event event = others.peek();
    while (event != null && event.nanos() <= until) {
      others.remove();
      last = Math.max(last, event.nanos());
      log.add(last, event.kind(), event.detail(), event.length(), event.wrid(), event.argument());
      event = others.peek();
    }
    return last;
  }

  /**
   * Frees the ring, which is large. The session must have stopped writing, and the sampler must
   * have taken its last sample.
   */
  public void closeRing() {
    EventRing last = ring;
    if (last != null) {
      leftOut = last.leftOut();
      ring = null;
    }
  }
}
