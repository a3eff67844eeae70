// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

/**
 * A software RDMA device. A thread of its own executes the work requests of its queue pairs, as the
 * processor of a network adapter does; see {@link SoftFabric#open} and {@link SoftNetwork#open}.
 *
 * <p>Vendor errors of its completions: 1 unknown key, 2 foreign protection domain, 3 missing access
 * right, 4 outside the region, 5 memory gone, 6 receive too short, 7 no answer, 8 receiver not
 * ready, 9 refused by the peer.
 */
public final class SoftDevice implements RdmaDevice {
  static final int MAX_MESSAGE_SIZE = 1 << 30;
  private static final int MAX_QUEUE_PAIRS = 1 << 16;
  private static final int MAX_WORK_REQUESTS = 1 << 15;
  private static final int MAX_COMPLETIONS = 1 << 20;

  /** Numbers 0 and 1 are those of the management queue pairs (IBTA 3.9.2). */
  private static final int FIRST_QUEUE_PAIR_NUMBER = 2;

  private static final DeviceCapabilities CAPABILITIES =
      new DeviceCapabilities(
          MAX_QUEUE_PAIRS,
          MAX_WORK_REQUESTS,
          MAX_COMPLETIONS,
          MemoryKeys.MAX_REGIONS,
          Long.MAX_VALUE,
          MAX_MESSAGE_SIZE);

  /** How long whoever closes something waits for the device's thread to let go of it. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String name;
  private final DeviceThread thread;
  private final ConnectionManager manager;
  private final MemoryKeys keys;
  private final AsyncEvents events = new AsyncEvents();
  private volatile FaultPlan faultPlan = FaultPlan.NONE;
  private volatile Duration patience = PATIENCE;

  // Guarded by this object's lock, which is taken after that of the connection manager.
  private final Map<Integer, SoftQueuePair> queuePairs = new HashMap<>();
  private final BitSet queuePairNumbers = new BitSet();
  private int objects;
  private boolean failed;

  /** Why it failed, a phrase with a space before it; empty when somebody had it fail. */
  private String cause = "";

  private boolean closed;

  /**
   * @param thread not started yet
   */
  SoftDevice(String name, DeviceThread thread, Function<SoftDevice, ConnectionManager> manager) {
    this.name = name;
    this.thread = thread;
    this.manager = manager.apply(this);
    keys = new MemoryKeys(thread.thread());
    thread.start(this::fail);
  }

  /** The device's thread cannot go on with its work. */
  private void fail(Throwable defect) {
    synchronized (this) {
      cause = " (%s)".formatted(defect.getMessage() == null ? defect : defect.getMessage());
    }
    fail();
  }

  /** How long whoever closes something waits for a device's thread to let go of it. */
  Duration patience() {
    return patience;
  }

  void setPatience(Duration patience) {
    this.patience = patience;
  }

  /** That a device's thread has not let go of something within {@link #patience}. */
  VerbsException stuck(String what) {
    return new VerbsException(
        Errno.EBUSY,
        "a thread of the software device has not let go of %s within %d ms, since it does not get on with its work"
            .formatted(what, patience.toMillis()));
  }

  DeviceThread thread() {
    return thread;
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
   * Sets what goes wrong from now on with the send requests of this device's queue pairs, and what
   * attributes the device has for what is made from now on; {@link FaultPlan#NONE} is what a device
   * begins with.
   */
  public void setFaultPlan(FaultPlan plan) {
    faultPlan = plan;
  }

  /**
   * Pulls the cable out: cuts all connections that the device has at this moment. Both ends of each
   * get a {@code DISCONNECTED} event, and whatever either of them sends from now on completes with
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
   * Fails a queue pair as if the adapter had found its state damaged: a {@code QP_FATAL} event, and
   * the error state. Without effect when there is no such queue pair, or it has failed before.
   *
   * @param number of the queue pair
   */
  public void failQueuePair(int number) {
    SoftQueuePair victim;
    synchronized (this) {
      victim = queuePairs.get(number);
    }
    if (victim != null) {
      victim.fail();
    }
  }

  /**
   * Fails the device as if it were torn out of the machine: a {@code DEVICE_FATAL} event, {@code
   * DEVICE_REMOVAL} on its connections, all queue pairs in the error state. Peers get {@code
   * DISCONNECTED}, and {@code RETRY_EXC_ERR} for what they send; who waits for an answer to a
   * connection request gets none. Objects of the device can be closed, but none made.
   */
  public void fail() {
    manager.lock().lock();
    try {
      List<SoftQueuePair> victims;
      synchronized (this) {
        if (failed || closed) {
          return;
        }
        failed = true;
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

  /** What is enforced, and so what the {@linkplain #setFaultPlan plan} leaves of what there is. */
  @Override
  public DeviceCapabilities capabilities() {
    return faultPlan.capabilities(CAPABILITIES);
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    adopt(SoftResource.PROTECTION_DOMAIN);
    return new SoftProtectionDomain(this);
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    adopt(SoftResource.COMPLETION_CHANNEL);
    return new SoftCompletionChannel(this);
  }

  @Override
  public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel)
      throws VerbsException {
    int most = capabilities().maxCompletionQueueEntries();
    if (entries < 1 || entries > most) {
      throw new VerbsException(
          Errno.EINVAL,
          "a completion queue of %d entries, 1 to %d are possible".formatted(entries, most));
    }
    if (!(channel instanceof SoftCompletionChannel soft) || soft.device() != this) {
      throw new VerbsException(
          Errno.EINVAL, "the channel of a completion queue must be one of its device");
    }
    var undo = new Undo();
    try (undo) {
      adopt(SoftResource.COMPLETION_QUEUE);
      undo.add(() -> forget(SoftResource.COMPLETION_QUEUE));
      var queue = new SoftCompletionQueue(this, soft, entries);
      undo.add(() -> events.retire(queue, Duration.ZERO));
      soft.attach();
      undo.forget();
      return queue;
    }
  }

  @Override
  public ConnectionListener listen(
      InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    if (backlog < 1) {
      throw new VerbsException(Errno.EINVAL, "a backlog of " + backlog + " is less than 1");
    }
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
    if (destination.isUnresolved()) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL,
          "%s is not the name of a host".formatted(destination.getHostString()));
    }
    return manager.resolve(destination, timeout);
  }

  SoftQueuePair createQueuePair(
      Wiring wiring,
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
      throw new VerbsException(
          Errno.EINVAL,
          "the protection domain and completion queues of a queue pair must be those of its device");
    }
    checkDepth("send", capacity.maxSendRequests());
    checkDepth("receive", capacity.maxReceiveRequests());
    synchronized (this) {
      int number = queuePairNumbers.nextClearBit(FIRST_QUEUE_PAIR_NUMBER);
      if (queuePairs.size() >= MAX_QUEUE_PAIRS) {
        throw new VerbsException(
            Errno.ENOMEM, "the device has no queue pair left: " + MAX_QUEUE_PAIRS);
      }
      var queuePair =
          new SoftQueuePair(wiring, softDomain, softSends, softReceives, capacity, number);
      var undo = new Undo();
      try (undo) {
        adopt(SoftResource.QUEUE_PAIR);
        undo.add(() -> forget(SoftResource.QUEUE_PAIR));
        softDomain.use();
        undo.add(softDomain::release);
        softSends.use(queuePair);
        undo.add(() -> softSends.release(queuePair));
        softReceives.use(queuePair);
        undo.add(() -> softReceives.release(queuePair));
        events.enter(queuePair);
        queuePairNumbers.set(number);
        queuePairs.put(number, queuePair);
        undo.forget();
        return queuePair;
      }
    }
  }

  private void checkDepth(String queue, int depth) throws VerbsException {
    int most = capabilities().maxQueuePairWorkRequests();
    if (depth < 1 || depth > most) {
      throw new VerbsException(
          Errno.EINVAL,
          "a %s queue of %d requests, 1 to %d are possible".formatted(queue, depth, most));
    }
  }

  synchronized void release(SoftQueuePair queuePair) {
    queuePairs.remove(queuePair.number());
    queuePairNumbers.clear(queuePair.number());
    forget(SoftResource.QUEUE_PAIR);
  }

  synchronized void checkAlive() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the device %s was closed".formatted(name));
    }
    if (failed) {
      throw new VerbsException(
          Errno.EIO, "the device %s failed%s; open another one".formatted(name, cause));
    }
  }

  /** Counts an object made from this device. */
  synchronized void adopt(SoftResource object) throws VerbsException {
    checkAlive();
    objects++;
    object.made();
  }

  /** An object made from this device is gone. */
  synchronized void forget(SoftResource object) {
    objects--;
    object.gone();
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    return events.next(timeout);
  }

  @Override
  public void close() throws VerbsException {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (objects > 0) {
        throw new VerbsException(
            Errno.EBUSY,
            "the device %s still has %d objects; close them first".formatted(name, objects));
      }
      closed = true;
    }
    boolean stopped = thread.stop(patience);
    events.close();
    if (!stopped) {
      throw stuck("the device " + name);
    }
  }
}
