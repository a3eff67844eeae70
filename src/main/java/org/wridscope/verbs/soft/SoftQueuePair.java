// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * A queue pair of the software device. The device's thread runs its {@link Requester}. Its {@link
 * Responder} is run by the thread of the peer's device if the peer is in this process, else by the
 * device's own thread.
 */
final class SoftQueuePair implements QueuePair {
  private static final Logger LOG = LoggerFactory.getLogger(SoftQueuePair.class);

  private static final VarHandle SCHEDULED;

  static {
    try {
      SCHEDULED =
          MethodHandles.lookup().findVarHandle(SoftQueuePair.class, "scheduled", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SoftDevice device;
  private final SoftProtectionDomain domain;
  private final SoftCompletionQueue sendCompletions;
  private final SoftCompletionQueue receiveCompletions;
  private final QueuePairCapacity capacity;
  private final int number;
  private final List<Integer> workQueueIds;
  private final WorkQueue sends;
  private final WorkQueue receives;
  private final Requester requester;
  private final Responder responder;
  private final DeviceStep flushing =
      new DeviceStep(this, DeviceStep.Kind.FLUSH, () -> -1, this::flushAll);
  private final CountDownLatch retired = new CountDownLatch(1);

  /** Written under this object's lock. */
  private volatile QueuePairState state = QueuePairState.INIT;

  private volatile boolean retiring;
  private boolean closed;

  /** Serving failed twice, the second time while flushing: it is not served any more. */
  private volatile boolean broken;

  /** Whether serving has failed once; belongs to the device's thread. */
  private boolean defective;

  /** Whether the queue pair is in one of the device thread's lists or is being served. */
  private volatile boolean scheduled;

  // Links of the device thread's lists.
  @Nullable SoftQueuePair nextReady;
  @Nullable SoftQueuePair nextTurn;

  SoftQueuePair(
      QueuePairHalves halves,
      SoftProtectionDomain domain,
      SoftCompletionQueue sendCompletions,
      SoftCompletionQueue receiveCompletions,
      QueuePairCapacity capacity,
      int number,
      List<Integer> workQueueIds) {
    this.device = domain.device();
    this.domain = domain;
    this.sendCompletions = sendCompletions;
    this.receiveCompletions = receiveCompletions;
    this.capacity = capacity;
    this.number = number;
    this.workQueueIds = List.copyOf(workQueueIds);
    sends = WorkQueue.ofSends(capacity.maxSendRequests());
    receives = WorkQueue.ofReceives(capacity.maxReceiveRequests());
    requester = halves.requester(this, sends, sendCompletions);
    responder = halves.responder(this, receives, receiveCompletions);
  }

  SoftDevice device() {
    return device;
  }

  SoftProtectionDomain domain() {
    return domain;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public List<Integer> workQueueIds() {
    return workQueueIds;
  }

  @Override
  public QueuePairState state() {
    return state;
  }

  @Override
  public QueuePairCapacity capacity() {
    return capacity;
  }

  @Override
  public void postSend(SendRequest request) throws VerbsException {
    QueuePairState now = state;
    if (now != QueuePairState.RTS && now != QueuePairState.ERROR) {
      throw new VerbsException(
          Errno.EINVAL, "queue pair %d cannot send in the state %s".formatted(number, now));
    }
    if (request.length() > SoftDevice.MAX_MESSAGE_SIZE) {
      throw new VerbsException(
          Errno.EINVAL,
          "a message of %d bytes is longer than %d"
              .formatted(request.length(), SoftDevice.MAX_MESSAGE_SIZE));
    }
    if (!sends.post(request)) {
      throw full("send", sends);
    }
    device.processor().schedule(this);
    device.processor().handOver();
  }

  @Override
  public void postReceive(ReceiveRequest request) throws VerbsException {
    if (state == QueuePairState.RESET) {
      throw new VerbsException(
          Errno.EINVAL, "queue pair %d was destroyed and cannot receive".formatted(number));
    }
    if (!receives.post(request)) {
      throw full("receive", receives);
    }
    if (state == QueuePairState.ERROR) {
      device.processor().schedule(this);
    }
    device.processor().handOver();
  }

  private VerbsException full(String which, WorkQueue queue) {
    return new VerbsException(
        Errno.ENOMEM,
        "the %s queue of queue pair %d is full: %d requests are outstanding"
            .formatted(which, number, queue.depth()));
  }

  /**
   * Makes the queue pair ready to send to and receive from a peer.
   *
   * @param rnrRetries how often to repeat a message that finds no receive
   * @return false when it has failed or was destroyed
   */
  boolean connect(int rnrRetries) {
    synchronized (this) {
      if (state != QueuePairState.INIT) {
        return false;
      }
      requester.connect(rnrRetries);
      state = QueuePairState.RTS;
    }
    return true;
  }

  /** Enters the error state, in which the device flushes both queues; false if it was in it. */
  boolean enterError() {
    synchronized (this) {
      if (state == QueuePairState.ERROR || state == QueuePairState.RESET) {
        return false;
      }
      state = QueuePairState.ERROR;
    }
    // Requests posted from now on, and the end of an arriving message, schedule a turn themselves.
    if (scheduled || hasWork() || !requester.isIdleBetweenTurns()) {
      device.processor().scheduleNow(this);
    }
    return true;
  }

  /** Enters the error state with an event, for a reason that no completion carries. */
  void fail(AsyncEventType type) {
    if (enterError()) {
      report(type);
    }
  }

  /** Fails as a fault says. */
  void fail(Fault.Fatal fault) {
    if (enterError()) {
      device.delayHandling(fault.handlingNanos());
      report(AsyncEventType.QP_FATAL);
      for (int i = 1; i < fault.events(); i++) {
        if (device.faultPlan().freesNumbersEarly()) {
          device.addLateEvent(number, AsyncEventType.QP_FATAL);
        } else {
          report(AsyncEventType.QP_FATAL);
        }
      }
    }
  }

  /** Reports an event, which names the work queue that it concerns if that has an id. */
  void report(AsyncEventType type) {
    boolean own = type.subject() == AsyncEventType.Subject.QUEUE_PAIR;
    device.events().raise(type, own ? this : null, own ? idIn(type) : 0);
  }

  private int idIn(AsyncEventType type) {
    if (workQueueIds.isEmpty()) {
      return number;
    }
    return switch (type) {
      case QP_REQ_ERR, QP_ACCESS_ERR, COMM_EST -> workQueueIds.getLast();
      default -> workQueueIds.getFirst();
    };
  }

  /**
   * Serving failed because of a defect in this program. Called by the device thread.
   *
   * @return AGAIN when the next turn is to flush it, IDLE when even that failed
   */
  DeviceThread.Turn defective() {
    broken = defective;
    defective = true;
    boolean reported = false;
    try {
      fail(AsyncEventType.QP_FATAL);
      reported = true;
    } finally {
      broken |= !reported;
    }
    return broken ? DeviceThread.Turn.IDLE : DeviceThread.Turn.AGAIN;
  }

  /** How many completions of its receive queue were polled. */
  long receivesPolled() {
    return receives.freed();
  }

  /** Claims the right to put the queue pair in the device thread's list. */
  boolean markScheduled() {
    return !scheduled && SCHEDULED.compareAndSet(this, false, true);
  }

  /** Called by the device thread after a turn without work; true when there is work after all. */
  boolean unmarkScheduled() {
    scheduled = false;
    return hasWork() && markScheduled();
  }

  private boolean hasWork() {
    if (retiring) {
      return retired.getCount() > 0;
    }
    if (broken) {
      return false;
    }
    return switch (state) {
      case RTS -> requester.hasWork();
      case ERROR -> !sends.isEmpty() || responder.canFlush();
      default -> false;
    };
  }

  // ------------------------------------------------------------------------- steps of a schedule

  /** Adds what can be done now, each a step of its own. */
  void addSteps(List<? super DeviceStep> steps) {
    if (!retiring && !broken) {
      switch (state) {
        case RTS -> requester.addSteps(steps);
        case ERROR -> {
          if (hasWork()) {
            steps.add(flushing);
          }
        }
        default -> {}
      }
    }
  }

  /** Adds what may be done, but is not done by itself. */
  void addOthers(List<? super DeviceStep> others) {
    if (!retiring && !broken && state == QueuePairState.RTS) {
      requester.addOthers(others);
    }
  }

  /** What it has to do, and what is to be polled. */
  Outstanding outstanding() {
    List<PendingCompletion> completed = new ArrayList<>();
    sendCompletions.addPending(this, completed);
    if (receiveCompletions != sendCompletions) {
      receiveCompletions.addPending(this, completed);
    }
    return new Outstanding(
        device.name(),
        number,
        sends.requests(sends.ordinal(), sends.posted(), device.keys()),
        requester.unacknowledged(),
        completed);
  }

  /** Whether a work queue is the one of its receives. */
  boolean isReceives(@Nullable WorkQueue queue) {
    return queue == receives;
  }

  /** When a step can be done, in the clock of {@link Time#nanos}; not earlier than the truth. */
  long nextDue() {
    return !retiring && !broken && state == QueuePairState.RTS
        ? requester.nextDue()
        : Scheduler.NEVER;
  }

  WorkQueue sends() {
    return sends;
  }

  /** Does a step; a defect fails the queue pair, not the device. */
  void takeStep(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.error("queue pair {} failed", number, e);
      Time.note(e);
      var _ = defective();
    }
  }

  private void flushAll() {
    requester.flush();
    responder.flush();
  }

  /** When it is to be served, in the clock of {@link Time#nanos}. */
  long dueAt() {
    return requester.dueAt();
  }

  /** Called by the device thread. */
  DeviceThread.Turn serve() {
    if (retiring) {
      abandon();
      return DeviceThread.Turn.IDLE;
    }
    if (broken) {
      return DeviceThread.Turn.IDLE;
    }
    return switch (state) {
      case RTS -> requester.serve();
      case ERROR -> {
        flushAll();
        yield DeviceThread.Turn.IDLE;
      }
      default -> DeviceThread.Turn.IDLE;
    };
  }

  /**
   * {@inheritDoc}
   *
   * @throws VerbsException with {@link Errno#EBUSY} also when a device's thread does not release it
   *     in time; can be called again
   */
  @Override
  public void close() throws VerbsException {
    device.events().retireQueuePair(this);
    synchronized (this) {
      if (closed) {
        return;
      }
      retiring = true;
      state = QueuePairState.RESET;
    }
    retire();
    if (!responder.awaitIdle(device.patience().toNanos())) {
      throw device.stuck("a message that arrives at queue pair " + number);
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    sendCompletions.release(this);
    receiveCompletions.release(this);
    domain.release();
    WireTap tap = device.tap();
    if (tap != null) {
      tap.destroyed(counts());
    }
    device.release(this);
  }

  private QueuePairCounts counts() {
    return new QueuePairCounts(
        device.name(),
        number,
        sends.posted() - sends.writes(),
        sends.writes(),
        sends.signaledWrites(),
        receives.posted(),
        sends.bytes(),
        sends.completions(),
        receives.completions());
  }

  /** Waits until no request's memory is accessed any more. */
  private void retire() throws VerbsException {
    if (requester.isIdleBetweenTurns() && markScheduled()) {
      // Nobody serves it and nobody will, since that requires marking it first.
      abandon();
    } else {
      device.processor().scheduleNow(this);
      if (!Uninterrupted.await(retired, device.patience())) {
        throw device.stuck("queue pair " + number);
      }
    }
  }

  private void abandon() {
    if (retired.getCount() > 0) {
      try {
        requester.abandon();
      } finally {
        retired.countDown();
      }
    }
  }
}
