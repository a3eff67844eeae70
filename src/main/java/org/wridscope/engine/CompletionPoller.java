// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.CompletionPolicy.Awaited;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Takes the completions of an endpoint and passes each to the send queue or the control channel.
 * This is the only place where the engine waits. A wait handles every completion that it takes,
 * whichever it waits for: discarding the others is the hang that QEMU commit b390afd8c50b fixed.
 */
final class CompletionPoller implements SendQueue.Listener {
  /** Polls without a completion before sleeping; they take a few microseconds. */
  private static final int SPINS = 64;

  /** Longest time until a cancel or a disconnect is noticed. */
  private static final Duration SLICE = Duration.ofMillis(10);

  /** How long to wait for flushed completions after this side has disconnected. */
  private static final Duration DRAIN_LIMIT = Duration.ofMillis(200);

  /** Handles the completions of control messages. */
  interface ControlCompletions {
    void sent(int buffer);

    void received(int buffer, int bytes) throws IOException;

    /** Called between completions during a wait. */
    void idle() throws IOException;
  }

  /** Something to be done regularly during a wait. */
  @FunctionalInterface
  interface IdleTask {
    void run() throws IOException, InterruptedException;
  }

  /** Notified of RDMA WRITEs that have ended. */
  @FunctionalInterface
  interface ChunkListener {
    void written(int block, int chunk);
  }

  private final Endpoint endpoint;
  private final CompletionPolicy policy;
  private final FailureMonitor failures;
  private final SendQueue sendQueue;
  private SessionTelemetry telemetry;
  private Metrics metrics;
  private Cancellation cancellation;
  private final Limits limits;
  private final CompletionPolicy.Handler handler = this::dispatch;
  private ReleasePolicy release = ReleasePolicy.ON_COMPLETION;
  private final BooleanSupplier allWritten = () -> !hasFailed() && writesOutstanding() == 0;
  private @Nullable ControlCompletions control;
  private IdleTask idleTask = () -> {};
  private ChunkListener chunkListener = (block, chunk) -> {};
  private long lastProgress = Time.nanos();
  private long lastTended = Time.nanos();
  private boolean draining;

  /** Whether it waits for a message of the peer. */
  private boolean awaiting;

  CompletionPoller(
      Endpoint endpoint, SessionTelemetry telemetry, Cancellation cancellation, Limits limits) {
    this.endpoint = endpoint;
    policy =
        endpoint.sharesQueue()
            ? new SharedQueue(endpoint, telemetry, limits)
            : new SeparateQueues(endpoint);
    failures = new FailureMonitor(endpoint, policy, telemetry);
    sendQueue = endpoint.sendQueue();
    this.telemetry = telemetry;
    metrics = telemetry.metrics();
    this.cancellation = cancellation;
    this.limits = limits;
    sendQueue.setListener(this);
  }

  Limits limits() {
    return limits;
  }

  /**
   * The connection is that of a session from now on, whose telemetry has adopted the one before.
   */
  void belongTo(SessionTelemetry session, Cancellation itsCancellation) {
    telemetry = session;
    metrics = session.metrics();
    cancellation = itsCancellation;
    failures.setTelemetry(session);
    policy.setTelemetry(session);
  }

  /** For how long the peer has not sent what this side waits for; 0 if it waits for nothing. */
  long silence() {
    return awaiting ? Time.nanos() - lastProgress : 0;
  }

  void setIdleTask(IdleTask idleTask) {
    this.idleTask = idleTask;
  }

  void setChunkListener(ChunkListener chunkListener) {
    this.chunkListener = chunkListener;
  }

  void setControl(ControlCompletions control) {
    this.control = control;
  }

  void setRelease(ReleasePolicy release) {
    this.release = release;
  }

  /** Number of RDMA WRITEs that were posted and that no completion has covered. */
  int writesOutstanding() {
    return sendQueue.writesOutstanding();
  }

  /** Notes that the peer has sent something other than a heartbeat. */
  void progress() {
    lastProgress = Time.nanos();
  }

  /** Whether a request, the queue pair or the device failed, after which nothing can succeed. */
  boolean hasFailed() {
    return failures.hasFailed();
  }

  /** See {@link FailureMonitor#advise}. */
  void advise(String sentence) {
    failures.advise(sentence);
  }

  /** Whether the connection has ended. */
  boolean disconnected() {
    return failures.disconnected();
  }

  /**
   * Why nothing can come from the peer any more, as far as that is known without waiting; null if
   * something can.
   *
   * @param what is wanted
   */
  @Nullable MigrationException end(Wait what) throws IOException, InterruptedException {
    return failures.end(what);
  }

  /** Whether the engine may do something else while an answer of the peer is outstanding. */
  boolean isPipelined() {
    return policy.isPipelined();
  }

  /**
   * Notes that the SEND of a control message has been posted.
   *
   * @param allSent whether every SEND has completed
   */
  void posted(ControlType type, long workRequestId, BooleanSupplier allSent)
      throws IOException, InterruptedException {
    release.asked();
    policy.posted(this, type, workRequestId, allSent);
  }

  /** Notes that a message other than a heartbeat has come from the peer. */
  void answered() throws IOException {
    progress();
    release.answered();
  }

  // --------------------------------------------------------------------------------- completions

  /**
   * Takes what has completed, without waiting.
   *
   * @return whether anything had
   * @throws MigrationException if a request or the connection failed
   */
  boolean poll() throws IOException, InterruptedException {
    boolean any = takeAll();
    if (hasFailed()) {
      throw failures.explain(new Wait(Wait.Kind.WRITES));
    }
    return any;
  }

  /**
   * Takes what has completed, successfully or not, without waiting.
   *
   * @return whether anything had
   */
  boolean takeAll() throws IOException {
    return policy.take(handler);
  }

  private void dispatch(WorkCompletion completion, EventKind kind) throws IOException {
    long wrid = completion.workRequestId();
    WorkCompletionStatus status = completion.status();
    boolean ok = status == WorkCompletionStatus.SUCCESS;
    telemetry.takeSentAgain();
    telemetry.event(kind, status.value(), ok ? completion.byteLength() : 0, wrid, 0);
    if (!ok) {
      failures.failed(completion);
    }
    int type = WorkRequestId.type(wrid);
    switch (type) {
      case WorkRequestId.RDMA_WRITE -> {
        sent(completion);
        progress();
      }
      case WorkRequestId.CONTROL_SEND -> sent(completion);
      default -> {
        if (ok && control != null && !draining) {
          control.received(type - WorkRequestId.CONTROL_RECEIVE, completion.byteLength());
        }
      }
    }
  }

  private void sent(WorkCompletion completion) throws IOException {
    if (release.isHeld(completion)) {
      sendQueue.completed(completion);
    }
  }

  @Override
  public void written(ChunkTable table, int chunk, int length, boolean arrived) {
    chunkListener.written(table.index(), chunk);
  }

  @Override
  public void sent(int buffer, int length, boolean arrived) {
    if (control != null) {
      control.sent(buffer);
    }
  }

  // --------------------------------------------------------------------------------------- waits

  /**
   * Waits until every RDMA WRITE has completed.
   *
   * @throws IllegalStateException if the last one is not signaled, so that it never would
   */
  void awaitWrites() throws IOException, InterruptedException {
    if (sendQueue.isBatchOpen()) {
      throw new IllegalStateException("the last RDMA WRITE is not signaled");
    }
    await(allWritten, Awaited.WRITE, new Wait(Wait.Kind.WRITES), limits.answer());
  }

  /** Waits until a condition holds, whatever brings it about. */
  void await(BooleanSupplier done, Wait what, Duration limit)
      throws IOException, InterruptedException {
    await(done, Awaited.ANY, what, limit);
  }

  /**
   * Waits until a condition holds.
   *
   * @param awaited which completions bring it about
   * @param what is waited for
   * @param limit how long the peer may send nothing but heartbeats
   * @throws MigrationException if the peer is silent for longer, has gone, or a request failed
   * @throws CancelledException if the user cancelled the migration
   */
  void await(BooleanSupplier done, Awaited awaited, Wait what, Duration limit)
      throws IOException, InterruptedException {
    if (done.getAsBoolean()) {
      return;
    }
    telemetry.setWaitingFor(what, policy.waitBegins(done, awaited, what));
    Duration patience = policy.limit(limit);
    awaiting = awaited == Awaited.RECEIVE;
    try {
      int spins = 0;
      progress();
      while (true) {
        boolean any = takeAll();
        if (done.getAsBoolean()) {
          return;
        }
        if (hasFailed()) {
          throw failures.explain(what);
        }
        spins = any ? 0 : spins + 1;
        if (spins >= SPINS || !Time.isParallel()) {
          sleep(done, what, patience);
        } else if (Time.nanos() - lastTended > SLICE.toNanos()) {
          // Also while the peer never stops sending.
          tend(what, patience);
        } else {
          Time.letOthersRun();
        }
      }
    } finally {
      awaiting = false;
      telemetry.setWaitingFor(null);
      policy.waitEnds();
    }
  }

  private void sleep(BooleanSupplier done, Wait what, Duration limit)
      throws IOException, InterruptedException {
    tend(what, limit);
    policy.requestNotification();
    // What completed before the request does not notify.
    if (takeAll() || done.getAsBoolean()) {
      return;
    }
    metrics.increment(Metric.COMPLETION_WAITS);
    CompletionQueue queue = endpoint.channel().getEvent(SLICE);
    if (queue != null) {
      queue.acknowledgeEvents(1);
    }
  }

  private void tend(Wait what, Duration limit) throws IOException, InterruptedException {
    tend();
    failures.requireConnection(what);
    if (Time.nanos() - lastProgress > limit.toNanos()) {
      String loss = policy.loss();
      throw new StrangerException(
          Reason.SILENT,
          "Nothing came from the peer for %s while waiting for %s%s"
              .formatted(
                  Format.duration(limit.toNanos()),
                  what.text(),
                  loss.isEmpty() ? "; check the other side." : "." + loss));
    }
  }

  /**
   * Does what must not be delayed while this side is busy: checks for a cancel and the migration's
   * deadline, sends heartbeats, and runs the idle task.
   */
  void tend() throws IOException, InterruptedException {
    lastTended = Time.nanos();
    checkCancellation();
    failures.takeAsyncEvents();
    telemetry.takeSentAgain();
    takeAll();
    failures.requireDevice();
    if (control != null) {
      control.idle();
    }
    idleTask.run();
  }

  /** As {@link #tend}; an interrupt ends the migration. */
  void keepAlive() throws IOException {
    try {
      tend();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    }
  }

  private void checkCancellation() throws MigrationException {
    try {
      cancellation.check();
    } catch (CancelledException e) {
      throw e;
    } catch (MigrationException e) {
      throw policy.loss().isEmpty() ? e : new MigrationException(e.getMessage() + policy.loss(), e);
    }
  }

  // ----------------------------------------------------------------------------------------- end

  /** Waits until the peer disconnects, or the limit has passed; neither is an error. */
  void awaitDisconnect(Duration limit) throws IOException, InterruptedException {
    long end = Time.nanos() + limit.toNanos();
    while (!disconnected() && Time.nanos() < end) {
      takeAll();
      failures.takeConnectionEvent(SLICE);
    }
    // The last messages may have come with it.
    takeAll();
  }

  /**
   * After this side has disconnected: takes the completions of outstanding requests, which are
   * flushed, as far as they come soon.
   */
  void drain() throws IOException {
    draining = true;
    long end = Time.nanos() + DRAIN_LIMIT.toNanos();
    while (sendQueue.isOutstanding() && Time.nanos() < end) {
      takeAll();
      Time.letOthersRun();
    }
    failures.takeAsyncEvents();
    telemetry.takeSentAgain();
  }
}
