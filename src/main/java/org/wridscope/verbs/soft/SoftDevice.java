// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.AsyncEvents;
import org.wridscope.verbs.common.Checks;
import org.wridscope.verbs.common.DeviceLife;
import org.wridscope.verbs.common.Undo;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * A software RDMA device. Its thread executes the work requests of its queue pairs, like the
 * processor of a network adapter; see {@link SoftFabric#open} and {@link SoftNetwork#open}.
 *
 * <p>Vendor errors of its completions: 1 unknown key, 2 foreign protection domain, 3 missing access
 * right, 4 outside the region, 5 memory freed, 6 receive too short, 7 no answer, 8 receiver not
 * ready, 9 refused by the peer.
 */
public final class SoftDevice implements RdmaDevice {
  static final int MAX_MESSAGE_SIZE = 1 << 30;
  private static final int MAX_QUEUE_PAIRS = 1 << 16;
  private static final int MAX_WORK_REQUESTS = 1 << 15;
  private static final int MAX_COMPLETIONS = 1 << 20;

  /** Numbers 0 and 1 are reserved for the management queue pairs (IBTA 3.9.2). */
  private static final int FIRST_QUEUE_PAIR_NUMBER = 2;

  private static final DeviceCapabilities CAPABILITIES =
      new DeviceCapabilities(
          MAX_QUEUE_PAIRS,
          MAX_WORK_REQUESTS,
          MAX_COMPLETIONS,
          MemoryKeys.MAX_REGIONS,
          Long.MAX_VALUE,
          MAX_MESSAGE_SIZE);

  /** How long closing an object waits for the device's thread to release it. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String name;
  private final DeviceProcessor processor;
  private final ConnectionManager manager;
  private final MemoryKeys keys;
  private final AsyncEvents events = new AsyncEvents();
  private final DeviceLife life;
  private volatile FaultPlan faultPlan = FaultPlan.NONE;
  private volatile @Nullable WireTap tap;
  private final AtomicLong handlingNanos = new AtomicLong();
  private volatile Duration patience = PATIENCE;

  /** An event whose acknowledgement takes long, as that of a thread which is not scheduled. */
  private record DelayedEvent(AsyncEvent event, Duration delay) implements AsyncEvent {
    @Override
    public AsyncEventType type() {
      return event.type();
    }

    @Override
    public int queuePairNumber() {
      return event.queuePairNumber();
    }

    @Override
    public void acknowledge() {
      Uninterrupted.sleep(delay);
      event.acknowledge();
    }
  }

  // Guarded by this object's lock, which is taken after the connection manager's lock.
  private final Map<Integer, SoftQueuePair> queuePairs = new HashMap<>();
  private final BitSet queuePairNumbers = new BitSet();

  /** Events that a driver with a mistake will deliver to the wrong queue pair, by its number. */
  private final Map<Integer, List<AsyncEventType>> lateEvents = new HashMap<>();

  /**
   * @param processor not started yet
   */
  SoftDevice(
      String name, DeviceProcessor processor, Function<SoftDevice, ConnectionManager> manager) {
    this.name = name;
    life = new DeviceLife(name);
    this.processor = processor;
    this.manager = manager.apply(this);
    keys = new MemoryKeys(processor.thread());
    processor.start(this::fail);
  }

  /** The device's thread has a defect and cannot do its work any more. */
  private void fail(Throwable defect) {
    fail(defect.getMessage() == null ? defect.toString() : defect.getMessage());
  }

  DeviceLife life() {
    return life;
  }

  /** How long closing an object waits for a device's thread to release it. */
  Duration patience() {
    return patience;
  }

  void setPatience(Duration patience) {
    this.patience = patience;
  }

  /** The exception when a device's thread does not release an object in time. */
  VerbsException stuck(String what) {
    return new VerbsException(
        Errno.EBUSY,
        "a thread of the software device has not released %s within %d ms: the thread is stuck"
            .formatted(what, patience.toMillis()));
  }

  DeviceProcessor processor() {
    return processor;
  }

  MemoryKeys keys() {
    return keys;
  }

  AsyncEvents events() {
    return events;
  }

  FaultPlan faultPlan() {
    return faultPlan;
  }

  /**
   * Sets the faults of this device: of send requests that are executed from now on, and the limits
   * for objects created from now on. A device begins with {@link FaultPlan#NONE}.
   */
  public void setFaultPlan(FaultPlan plan) {
    faultPlan = plan;
  }

  @Nullable WireTap tap() {
    return tap;
  }

  /**
   * Shows what this device carries from now on, on connections within this process that it accepts
   * from now on.
   */
  public void setTap(WireTap tap) {
    this.tap = tap;
  }

  /**
   * Cuts all connections that the device has now, as if its cable were pulled. Both ends of each
   * get a {@code DISCONNECTED} event, and what either of them sends from now on completes with
   * {@code RETRY_EXC_ERR}.
   */
  public void cutAll() {
    manager.lock().lock();
    try {
      manager.cutAll();
    } finally {
      manager.lock().unlock();
    }
  }

  /**
   * Fails a queue pair as if the adapter had found its state damaged: raises {@code QP_FATAL} and
   * enters the error state. Does nothing when there is no such queue pair or it has failed before.
   *
   * @param number of the queue pair
   */
  public void failQueuePair(int number) {
    SoftQueuePair victim;
    synchronized (this) {
      victim = queuePairs.get(number);
    }
    if (victim != null) {
      victim.fail(AsyncEventType.QP_FATAL);
    }
  }

  /**
   * Fails the device as if it were removed from the machine: raises {@code DEVICE_FATAL}, reports
   * {@code DEVICE_REMOVAL} on its connections, and puts all queue pairs in the error state. Peers
   * get {@code DISCONNECTED}, and {@code RETRY_EXC_ERR} for what they send; connection requests get
   * no answer. Objects of the device can be closed, but none can be created.
   */
  public void fail() {
    fail("");
  }

  private void fail(String cause) {
    manager.lock().lock();
    try {
      if (!life.fail(cause)) {
        return;
      }
      List<SoftQueuePair> victims;
      synchronized (this) {
        victims = List.copyOf(queuePairs.values());
      }
      events.raise(AsyncEventType.DEVICE_FATAL, null, 0);
      manager.fail();
      victims.forEach(SoftQueuePair::enterError);
    } finally {
      manager.lock().unlock();
    }
  }

  @Override
  public String name() {
    return name;
  }

  /** The limits that are enforced, those of the {@linkplain #setFaultPlan fault plan} included. */
  @Override
  public DeviceCapabilities capabilities() {
    return faultPlan.capabilities(CAPABILITIES);
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    add(SoftResource.PROTECTION_DOMAIN);
    return new SoftProtectionDomain(this);
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    add(SoftResource.COMPLETION_CHANNEL);
    return new SoftCompletionChannel(this);
  }

  @Override
  public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel)
      throws VerbsException {
    Checks.requireEntries(entries, capabilities());
    if (!(channel instanceof SoftCompletionChannel soft) || soft.device() != this) {
      throw Checks.foreignChannel();
    }
    var undo = new Undo();
    try (undo) {
      add(SoftResource.COMPLETION_QUEUE);
      undo.add(() -> remove(SoftResource.COMPLETION_QUEUE));
      var queue = new SoftCompletionQueue(this, soft, entries);
      undo.add(() -> events.retire(queue, Duration.ZERO));
      soft.attach();
      undo.forget();
      return queue;
    }
  }

  ConnectionManager manager() {
    return manager;
  }

  @Override
  public ConnectionListener listen(
      InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    Checks.requireBacklog(backlog);
    if (!LocalAddresses.contain(address)) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL,
          "%s is not an address of this machine".formatted(address.getHostString()));
    }
    return manager.listen(address, backlog, admitted);
  }

  @Override
  public Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException {
    Checks.requireResolved(destination);
    return manager.resolve(destination, timeout);
  }

  SoftQueuePair createQueuePair(
      QueuePairHalves halves,
      ProtectionDomain domain,
      CompletionQueue sendCompletions,
      CompletionQueue receiveCompletions,
      QueuePairCapacity capacity)
      throws VerbsException {
    if (!(domain instanceof SoftProtectionDomain softDomain)
        || !(sendCompletions instanceof SoftCompletionQueue softSends)
        || !(receiveCompletions instanceof SoftCompletionQueue softReceives)
        || softDomain.device() != this
        || softSends.device() != this
        || softReceives.device() != this) {
      throw Checks.foreignObjects();
    }
    Checks.requireDepths(capacity, capabilities());
    synchronized (this) {
      int number = queuePairNumbers.nextClearBit(FIRST_QUEUE_PAIR_NUMBER);
      List<Integer> workQueues = freeIds(number + 1, faultPlan.queuePairIds() - 1);
      if (queuePairs.size() >= MAX_QUEUE_PAIRS) {
        throw new VerbsException(
            Errno.ENOMEM, "the device has no more queue pairs than " + MAX_QUEUE_PAIRS);
      }
      var queuePair =
          new SoftQueuePair(
              halves, softDomain, softSends, softReceives, capacity, number, workQueues);
      var undo = new Undo();
      try (undo) {
        add(SoftResource.QUEUE_PAIR);
        undo.add(() -> remove(SoftResource.QUEUE_PAIR));
        softDomain.use();
        undo.add(softDomain::release);
        softSends.use(queuePair);
        undo.add(() -> softSends.release(queuePair));
        softReceives.use(queuePair);
        undo.add(() -> softReceives.release(queuePair));
        events.add(queuePair);
        queuePairNumbers.set(number);
        workQueues.forEach(queuePairNumbers::set);
        queuePairs.put(number, queuePair);
        processor.add(queuePair);
        List<AsyncEventType> late = lateEvents.remove(number);
        if (late != null) {
          late.forEach(queuePair::report);
        }
        undo.forget();
        return queuePair;
      }
    }
  }

  private List<Integer> freeIds(int from, int count) {
    var ids = new ArrayList<Integer>(count);
    for (int next = from; ids.size() < count; next++) {
      next = queuePairNumbers.nextClearBit(next);
      ids.add(next);
    }
    return ids;
  }

  /** An event of a queue pair reaches the next one with its number. */
  synchronized void addLateEvent(int number, AsyncEventType type) {
    lateEvents.computeIfAbsent(number, _ -> new ArrayList<>()).add(type);
  }

  /** Delays whoever takes the next event before its acknowledgement. */
  void delayHandling(long nanos) {
    handlingNanos.set(nanos);
  }

  synchronized void release(SoftQueuePair queuePair) {
    queuePairs.remove(queuePair.number());
    processor.remove(queuePair);
    queuePairNumbers.clear(queuePair.number());
    queuePair.workQueueIds().forEach(queuePairNumbers::clear);
    remove(SoftResource.QUEUE_PAIR);
  }

  void checkAlive() throws VerbsException {
    life.checkAlive();
  }

  /** Counts an object that is about to be created. */
  void add(SoftResource object) throws VerbsException {
    life.add();
    object.created();
  }

  /** An object of this device was destroyed. */
  void remove(SoftResource object) {
    life.remove();
    object.destroyed();
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    AsyncEvent event = events.next(timeout);
    long delay = event == null ? 0 : handlingNanos.getAndSet(0);
    return event == null || delay == 0 ? event : new DelayedEvent(event, Duration.ofNanos(delay));
  }

  @Override
  public void close() throws VerbsException {
    if (!life.close()) {
      return;
    }
    boolean stopped = processor.stop(patience);
    events.close();
    if (!stopped) {
      throw stuck("the device " + name);
    }
  }
}
