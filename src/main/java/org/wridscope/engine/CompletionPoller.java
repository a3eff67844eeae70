// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Takes completions from both queues and hands each to whom it concerns, and is the one place where
 * the engine waits. No completion is ever dropped because somebody waits for another one: that is
 * the hang that QEMU commit b390afd8c50b cured.
 *
 * <p>Unless the endpoint has one queue for both, to show that hang. Then waits are those of QEMU's
 * {@code qemu_rdma_block_for_wrid} before that commit: they take completions one by one until
 * theirs has come, and what a wait for a SEND meets of the receive queue is thrown away. (RDMA
 * WRITEs count whoever meets them, and so does a receive that a wait for a WRITE meets, which is a
 * READY.)
 */
final class CompletionPoller implements SendQueue.Listener {
  private static final int BATCH = 32;
  private static final BooleanSupplier NEVER = () -> false;

  /** Empty polls before sleeping; a few microseconds. */
  private static final int SPINS = 64;

  /** How long may pass before a cancel or a disconnect is noticed. */
  private static final Duration SLICE = Duration.ofMillis(10);

  /** How long a connection's end and the last completions may lie apart. */
  private static final Duration PATIENCE = Duration.ofMillis(200);

  /** How long an event of the device may take that says why our queue pair is in error. */
  private static final Duration EVENT_PATIENCE = Duration.ofSeconds(1);

  /** Which completions end a wait. */
  enum Awaited {
    /** Of the SEND of a control message. */
    SEND,
    /** Of a receive. */
    RECEIVE,
    /** Of any request, or something else that happens. */
    ANY
  }

  /** What is to be done about completions of control messages. */
  interface ControlCompletions {
    void sent(int buffer);

    void received(int buffer, int bytes) throws IOException;

    /** Called between completions while somebody waits. */
    void idle() throws IOException;
  }

  private final Endpoint endpoint;
  private final SendQueue sendQueue;
  private final boolean sharedQueue;
  private final SessionTelemetry telemetry;
  private final Metrics metrics;
  private final Cancellation cancellation;
  private final Limits limits;
  private final WorkCompletion[] completions;
  private final BooleanSupplier allWritten = () -> !hasFailed() && writesOutstanding() == 0;
  private @Nullable ControlCompletions control;
  private IdleTask idleTask = () -> {};
  private ChunkListener chunkListener = (table, chunk, length, arrived) -> {};
  private long lastProgress = System.nanoTime();
  private @Nullable MigrationException failure;
  private boolean flushed;
  private boolean deviceFailed;
  private @Nullable ConnectionEvent ending;
  private long endedAt;
  private boolean draining;

  /** What is waited for at the moment, while a wait goes on that may throw others away. */
  private Awaited awaited = Awaited.ANY;

  private BooleanSupplier awaitedCame = NEVER;
  private String dropped = "";

  /** The first receive whose completion was thrown away; 0 for none. */
  private long droppedReceive;

  private long lastTended = System.nanoTime();

  CompletionPoller(
      Endpoint endpoint, SessionTelemetry telemetry, Cancellation cancellation, Limits limits) {
    this.endpoint = endpoint;
    sendQueue = endpoint.sendQueue();
    this.telemetry = telemetry;
    this.metrics = telemetry.metrics();
    this.cancellation = cancellation;
    this.limits = limits;
    sharedQueue = endpoint.sharesQueue();
    completions = WorkCompletion.array(sharedQueue ? 1 : BATCH);
    sendQueue.setListener(this);
  }

  /** How long to wait for whom. */
  Limits limits() {
    return limits;
  }

  /** What else is to be looked after while the engine waits. */
  @FunctionalInterface
  interface IdleTask {
    void run() throws IOException, InterruptedException;
  }

  void setIdleTask(IdleTask idleTask) {
    this.idleTask = idleTask;
  }

  /** Hears of RDMA WRITEs that are over. */
  @FunctionalInterface
  interface ChunkListener {
    void written(ChunkTable table, int chunk, int length, boolean arrived);
  }

  void setChunkListener(ChunkListener chunkListener) {
    this.chunkListener = chunkListener;
  }

  void setControl(ControlCompletions control) {
    this.control = control;
  }

  /** RDMA WRITEs that were posted and that no completion has covered. */
  int writesOutstanding() {
    return sendQueue.writesOutstanding();
  }

  /** Notes that something came from the peer which is not a mere sign of life. */
  void progress() {
    lastProgress = System.nanoTime();
  }

  /** Whether a request, the queue pair or the device failed, which ends everything. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Whether the peer has gone. */
  boolean disconnected() {
    return ending != null;
  }

  /**
   * Waits until every RDMA WRITE has completed.
   *
   * @throws IllegalStateException when the last one is not signaled, so that it never would
   */
  void awaitWrites() throws IOException, InterruptedException {
    if (sendQueue.isBatchOpen()) {
      throw new IllegalStateException("the last RDMA WRITE is not signaled");
    }
    await(allWritten, "RDMA writes to complete", limits.answer());
  }

  /**
   * Takes what has completed, without waiting.
   *
   * @return whether anything had
   * @throws MigrationException when a request or the connection failed
   */
  boolean poll() throws IOException, InterruptedException {
    boolean any = takeAll();
    if (failure != null) {
      throw explain(failure, "RDMA writes to complete");
    }
    return any;
  }

  /**
   * Takes what has completed, whether it failed or not, without waiting.
   *
   * @return whether anything had
   */
  boolean takeAll() throws IOException {
    if (sharedQueue) {
      return takeShared();
    }
    // Receives last: what the peer said before it went away still counts.
    boolean any = take(endpoint.sendCompletions(), EventKind.COMPLETION_SEND_QUEUE);
    return take(endpoint.receiveCompletions(), EventKind.COMPLETION_RECEIVE_QUEUE) || any;
  }

  private boolean take(CompletionQueue queue, EventKind kind) throws IOException {
    boolean any = false;
    int taken;
    do {
      taken = queue.poll(completions);
      Throwable failure = null;
      for (int i = 0; i < taken; i++) {
        try {
          dispatch(completions[i], kind);
        } catch (IOException | RuntimeException | Error e) {
          // No other poll finds the rest of the batch.
          failure = FirstFailure.of(failure, e);
        }
      }
      FirstFailure.rethrow(failure);
      any |= taken > 0;
    } while (taken == BATCH);
    return any;
  }

  /** Takes completions one by one, until there is none or the one waited for has come. */
  private boolean takeShared() throws IOException {
    boolean any = false;
    while (!awaitedCame.getAsBoolean() && endpoint.sendCompletions().poll(completions) > 0) {
      any = true;
      WorkCompletion completion = completions[0];
      boolean received =
          WorkRequestId.type(completion.workRequestId()) >= WorkRequestId.CONTROL_RECEIVE;
      EventKind kind =
          received ? EventKind.COMPLETION_RECEIVE_QUEUE : EventKind.COMPLETION_SEND_QUEUE;
      if (received
          && awaited == Awaited.SEND
          && completion.status() == WorkCompletionStatus.SUCCESS) {
        drop(completion);
      } else {
        dispatch(completion, kind);
      }
    }
    return any;
  }

  private void drop(WorkCompletion completion) {
    long wrid = completion.workRequestId();
    telemetry.event(
        EventKind.COMPLETION_RECEIVE_QUEUE,
        completion.status().value(),
        completion.byteLength(),
        wrid,
        0);
    metrics.increment(Metric.RECEIVES_COMPLETED);
    telemetry.completionDropped(wrid);
    if (dropped.isEmpty()) {
      droppedReceive = wrid;
      dropped =
          " The wait for %s had thrown away the completion of %s, which came before in the shared completion queue, so that what is waited for never comes; give each queue a completion queue of its own."
              .formatted(telemetry.waitingFor(), WorkRequestId.describe(wrid));
    }
  }

  private void dispatch(WorkCompletion completion, EventKind kind) throws IOException {
    long wrid = completion.workRequestId();
    WorkCompletionStatus status = completion.status();
    boolean ok = status == WorkCompletionStatus.SUCCESS;
    telemetry.event(kind, status.value(), ok ? completion.byteLength() : 0, wrid, 0);
    if (!ok) {
      metrics.increment(Metric.FAILED_COMPLETIONS);
      failed(completion);
    }
    int type = WorkRequestId.type(wrid);
    switch (type) {
      case WorkRequestId.RDMA_WRITE -> {
        sendQueue.completed(completion);
        lastProgress = System.nanoTime();
      }
      case WorkRequestId.CONTROL_SEND -> sendQueue.completed(completion);
      default -> {
        metrics.increment(Metric.RECEIVES_COMPLETED);
        if (ok && control != null && !draining) {
          control.received(type - WorkRequestId.CONTROL_RECEIVE, completion.byteLength());
        }
      }
    }
  }

  @Override
  public void written(ChunkTable table, int chunk, int length, boolean arrived) {
    metrics.increment(Metric.WRITES_COMPLETED);
    transferred(length, arrived);
    chunkListener.written(table, chunk, length, arrived);
  }

  private void transferred(int length, boolean arrived) {
    if (arrived) {
      metrics.add(Metric.RAM_TRANSFERRED, length);
    }
  }

  @Override
  public void sent(int buffer, int length, boolean arrived) {
    metrics.increment(Metric.SENDS_COMPLETED);
    transferred(length, arrived);
    if (control != null) {
      control.sent(buffer);
    }
  }

  /** Keeps the first failure: those that follow are its consequences. */
  private void failed(WorkCompletion completion) {
    if (failure != null) {
      return;
    }
    WorkCompletionStatus status = completion.status();
    flushed = status == WorkCompletionStatus.WR_FLUSH_ERR;
    String what = WorkRequestId.describe(completion.workRequestId());
    failure =
        switch (status) {
          case WR_FLUSH_ERR ->
              new DisconnectedException(
                  "The connection was lost; %s.".formatted(MigrationSession.SEE_THERE));
          case RETRY_EXC_ERR ->
              new DisconnectedException(
                  "The peer does not answer any more (%s: %s). Check its host and the link."
                      .formatted(what, status.text()));
          case RNR_RETRY_EXC_ERR ->
              new MigrationException(
                  "The peer had no receive posted for %s (%s).".formatted(what, status.text()));
          case REM_ACCESS_ERR ->
              new MigrationException(
                  "The peer's device refused %s (%s): a key or an address that it gave is wrong."
                      .formatted(what, status.text()));
          default ->
              new MigrationException(
                  "%s failed: %s (status %d, vendor error %#x)."
                      .formatted(what, status.text(), status.value(), completion.vendorError()));
        };
  }

  /** Waits for something that no completion in particular brings about. */
  void await(BooleanSupplier done, String what, Duration limit)
      throws IOException, InterruptedException {
    await(done, Awaited.ANY, 0, what, limit);
  }

  /**
   * Waits until a condition holds that completions bring about.
   *
   * @param which completions it may be
   * @param wrid of the request whose completion it is, 0 when it may be one of several
   * @param what it waits for, a phrase for the user
   * @param limit how long nothing at all may come from the peer, heartbeats not counted
   * @throws MigrationException when the peer is silent for longer, has gone, or a request failed
   * @throws CancelledException when the user cancelled
   */
  void await(BooleanSupplier done, Awaited which, long wrid, String what, Duration limit)
      throws IOException, InterruptedException {
    if (done.getAsBoolean()) {
      return;
    }
    // Receives complete in order: the next one was that one.
    boolean inVain = which == Awaited.RECEIVE && wrid == 0;
    telemetry.setWaitingFor(what, inVain ? droppedReceive : wrid);
    if (sharedQueue && which != Awaited.ANY) {
      awaited = which;
      awaitedCame = done;
    }
    // What was thrown away does not come.
    boolean hopeless = !dropped.isEmpty() && limit.compareTo(limits.silence()) > 0;
    Duration patience = hopeless ? limits.silence() : limit;
    try {
      int spins = 0;
      lastProgress = System.nanoTime();
      while (true) {
        boolean any = takeAll();
        if (done.getAsBoolean()) {
          return;
        }
        if (failure != null) {
          throw explain(failure, what);
        }
        spins = any ? 0 : spins + 1;
        if (spins >= SPINS) {
          sleep(done, what, patience);
        } else if (System.nanoTime() - lastTended > SLICE.toNanos()) {
          // A peer that never stops sending must not keep us from looking at the clock.
          tend(what, patience);
        } else {
          Thread.yield();
        }
      }
    } finally {
      telemetry.setWaitingFor(null);
      awaited = Awaited.ANY;
      awaitedCame = NEVER;
    }
  }

  private void checkCancellation() throws MigrationException {
    try {
      cancellation.check();
    } catch (CancelledException e) {
      throw e;
    } catch (MigrationException e) {
      throw dropped.isEmpty() ? e : new MigrationException(e.getMessage() + dropped, e);
    }
  }

  private void sleep(BooleanSupplier done, String what, Duration limit)
      throws IOException, InterruptedException {
    tend(what, limit);
    endpoint.sendCompletions().requestNotification();
    if (!sharedQueue) {
      endpoint.receiveCompletions().requestNotification();
    }
    if (takeAll() || done.getAsBoolean()) {
      return;
    }
    metrics.increment(Metric.COMPLETION_WAITS);
    CompletionQueue queue = endpoint.channel().getEvent(SLICE);
    if (queue != null) {
      queue.acknowledgeEvents(1);
    }
  }

  private void tend(String what, Duration limit) throws IOException, InterruptedException {
    tend();
    boolean knewOfEnd = disconnected();
    takeConnectionEvents();
    // What the peer said before it went counts, and so do its late acknowledgements. And when our
    // queue pair failed first, an event will tell why.
    if (knewOfEnd && System.nanoTime() - endedAt >= patienceWithEnd().toNanos()) {
      throw disconnection(what);
    }
    if (System.nanoTime() - lastProgress > limit.toNanos()) {
      throw new MigrationException(
          dropped.isEmpty()
              ? "Nothing came from the peer for %s while waiting for %s; check the other side."
                  .formatted(Format.exactDuration(limit.toNanos()), what)
              : "Nothing came from the peer for %s while waiting for %s.%s"
                  .formatted(Format.exactDuration(limit.toNanos()), what, dropped));
    }
  }

  /**
   * Looks after what must not wait while this side is busy: a cancel, the migration's deadline,
   * heartbeats, and the idle task.
   */
  void tend() throws IOException, InterruptedException {
    lastTended = System.nanoTime();
    checkCancellation();
    takeAsyncEvents();
    takeAll();
    if (deviceFailed && failure != null) {
      throw failure;
    }
    if (control != null) {
      control.idle();
    }
    idleTask.run();
  }

  /** Waits until the peer disconnects; returns without an error when it does. */
  void awaitDisconnect(Duration limit) throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!disconnected() && System.nanoTime() < end) {
      takeAll();
      takeConnectionEvent(SLICE);
    }
  }

  /**
   * After this side has disconnected: takes the completions of what was outstanding, all of it
   * flushed, as far as they come soon.
   */
  void drain() throws IOException {
    draining = true;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (sendQueue.isOutstanding() && System.nanoTime() < end) {
      takeAll();
      Thread.onSpinWait();
    }
    takeAsyncEvents();
  }

  /** Notes what the device reported; the first failure is kept, unless it was its consequence. */
  private void takeAsyncEvents() {
    AsyncEventInbox.Happened event;
    while ((event = endpoint.asyncEvents().poll()) != null) {
      telemetry.event(EventKind.ASYNC, event.type().ordinal(), 0, 0, event.queuePairNumber());
      String reason = event.failure(isInError(), endpoint.deviceName());
      if (reason != null && (failure == null || flushed)) {
        failure = new MigrationException(reason);
        deviceFailed = true;
        flushed = false;
      }
    }
  }

  private Duration patienceWithEnd() {
    return isInError() ? EVENT_PATIENCE : sendQueue.isOutstanding() ? PATIENCE : Duration.ZERO;
  }

  private boolean isInError() {
    return endpoint.queuePair().state() == QueuePairState.ERROR;
  }

  private void takeConnectionEvents() throws IOException, InterruptedException {
    while (takeConnectionEvent(Duration.ZERO)) {
      // until there is none
    }
  }

  private boolean takeConnectionEvent(Duration timeout) throws IOException, InterruptedException {
    ConnectionEvent event = endpoint.connection().nextEvent(timeout);
    if (event == null) {
      return false;
    }
    telemetry.event(EventKind.CONNECTION, event.type().ordinal(), 0, 0, event.status());
    if (ending == null) {
      ending = event;
      endedAt = System.nanoTime();
    }
    return true;
  }

  private MigrationException disconnection(String what) {
    ConnectionEvent.Type type = ending == null ? ConnectionEvent.Type.DISCONNECTED : ending.type();
    return new DisconnectedException(
        switch (type) {
          case DEVICE_REMOVAL ->
              "The RDMA device was removed while this side waited for %s.".formatted(what);
          case UNREACHABLE ->
              "The peer could not be reached any more while this side waited for %s; check its host and the link."
                  .formatted(what);
          case DISCONNECTED, TIMEWAIT_EXIT ->
              "The peer disconnected while this side waited for %s; %s.%s"
                  .formatted(what, MigrationSession.SEE_THERE, dropped);
        });
  }

  /** A flush is only a consequence: waits a moment for an event that tells more. */
  private MigrationException explain(MigrationException first, String what)
      throws IOException, InterruptedException {
    long until = System.nanoTime() + EVENT_PATIENCE.toNanos();
    takeAsyncEvents();
    // The peer's disconnect alone flushes nothing of ours, so that it is not yet the reason.
    while (flushed && System.nanoTime() < until) {
      takeConnectionEvent(SLICE);
      takeAsyncEvents();
    }
    MigrationException known = failure == null ? first : failure;
    MigrationException reason = flushed && disconnected() ? disconnection(what) : known;
    failure = reason;
    flushed = false;
    return reason;
  }
}
