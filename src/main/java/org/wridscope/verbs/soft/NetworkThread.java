// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.common.RejectionLog;

/**
 * The thread of a device on the network: besides serving queue pairs it reads and writes all
 * sockets, none of which ever blocks it, and runs tasks for other threads.
 */
final class NetworkThread extends DeviceThread {

  /** The owner of a selector key. */
  interface Selected {
    /** The channel is ready for one of the operations of interest. */
    void ready();

    /** {@link #ready} threw because of a defect in this program. */
    void failed(Throwable defect);
  }

  private static final Logger LOG = LoggerFactory.getLogger(NetworkThread.class);
  private static final int SCRATCH_BYTES = 64 << 10;

  /** Interval between two checks of the links' time limits. */
  private static final long TICK_NANOS = 50_000_000;

  private final NetworkLimits limits;
  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Consumer<SelectionKey> dispatch = NetworkThread::dispatch;

  // The rest belongs to the thread.
  private final Set<NetworkLink> links = new LinkedHashSet<>();
  private final SequencedSet<NetworkLink> dismissed = new LinkedHashSet<>();

  /** Listeners that are paused until the next check of the time limits. */
  private final Set<NetworkListener> paused = new LinkedHashSet<>();

  /** Anybody can connect to a listener and send garbage, as often as they like. */
  private final RejectionLog rejections =
      new RejectionLog(System::nanoTime, line -> LOG.warn("{}", line));

  private final ByteBuffer zeros = ByteBuffer.allocateDirect(SCRATCH_BYTES);
  private final ByteBuffer discarded = ByteBuffer.allocateDirect(SCRATCH_BYTES);
  private boolean selected;

  /** The selector does not work any more, and the device has failed. */
  private volatile boolean broken;

  private long lastTick = System.nanoTime();

  NetworkThread(String name, NetworkLimits limits) throws IOException {
    // Spinning does not see what arrives at a socket.
    super(name, false);
    this.limits = limits;
    selector = Selector.open();
  }

  /** The log of peers that never belonged to a connection of this device. */
  RejectionLog rejections() {
    return rejections;
  }

  NetworkLimits limits() {
    return limits;
  }

  /** Runs a task on the thread soon. */
  void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  /** For the thread itself: the selector of all its channels. */
  Selector selector() {
    return selector;
  }

  /** Zeros to write: at least one, at most as many as given. */
  ByteBuffer zeros(long atMost) {
    return zeros.clear().limit((int) Math.min(SCRATCH_BYTES, atMost));
  }

  /** A buffer for bytes to discard, at most as many as given. */
  ByteBuffer discardBuffer(long atMost) {
    return discarded.clear().limit((int) Math.min(SCRATCH_BYTES, atMost));
  }

  void add(NetworkLink link) {
    links.add(link);
  }

  void remove(NetworkLink link) {
    links.remove(link);
    dismissed.remove(link);
  }

  /**
   * A peer whose request was refused has a moment to read why, unless too many others were refused
   * since.
   */
  void dismiss(NetworkLink link) {
    dismissed.add(link);
    if (dismissed.size() > limits.pendingPeers()) {
      dismissed.getFirst().abort();
    }
  }

  /** Pauses a listener that cannot accept now, and would be selected all the time. */
  void pause(NetworkListener listener) {
    listener.setAccepting(false);
    paused.add(listener);
  }

  @Override
  boolean hasTasks() {
    return !tasks.isEmpty();
  }

  @Override
  void interruptSleep() {
    if (!thread().equals(Thread.currentThread())) {
      super.interruptSleep();
      selector.wakeup();
    }
  }

  @Override
  void sleep(long nanos) {
    if (broken) {
      super.sleep(nanos);
      return;
    }
    long limit = links.isEmpty() && paused.isEmpty() ? nanos : Math.min(nanos, TICK_NANOS);
    // The selector takes milliseconds, and 0 for no limit.
    select(limit == Long.MAX_VALUE ? 0 : Math.max(1, limit / 1_000_000));
    selected = true;
  }

  @Override
  void runTasks() {
    pollTasks();
    if (!selected) {
      selectNow();
    }
    selected = false;
    long now = System.nanoTime();
    if (now - lastTick >= TICK_NANOS) {
      lastTick = now;
      List.copyOf(links).forEach(link -> tick(link, now));
      paused.forEach(listener -> listener.setAccepting(true));
      paused.clear();
    }
  }

  private void tick(NetworkLink link, long now) {
    try {
      link.tick(now);
    } catch (RuntimeException | Error e) {
      fail(link, e);
    }
  }

  private void pollTasks() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.error("a task failed", e);
      }
    }
  }

  private void select(long millis) {
    try {
      selector.select(dispatch, millis);
    } catch (IOException | RuntimeException e) {
      breakDown(e);
    }
  }

  /** Handles all ready channels without waiting; deregisters channels that were closed. */
  void selectNow() {
    if (broken) {
      return;
    }
    try {
      selector.selectNow(dispatch);
    } catch (IOException | RuntimeException e) {
      breakDown(e);
    }
  }

  private void breakDown(Exception e) {
    broken = true;
    failed(new IllegalStateException("the selector failed: " + e, e));
  }

  private static void dispatch(SelectionKey key) {
    var owner = (Selected) key.attachment();
    try {
      owner.ready();
    } catch (RuntimeException | Error e) {
      fail(owner, e);
    }
  }

  /** A defect fails one connection, not the others. */
  private static void fail(Selected owner, Throwable defect) {
    LOG.error("a connection failed", defect);
    try {
      owner.failed(defect);
    } catch (RuntimeException | Error e) {
      LOG.error("a connection that failed cannot be cut", e);
    }
  }

  /** Sends what links still have to send, and closes them. */
  @Override
  void shutDown() {
    long deadline = System.nanoTime() + limits.linger().toNanos();
    pollTasks();
    while (!broken
        && links.stream().anyMatch(link -> link.writer().hasUnsent())
        && System.nanoTime() - deadline < 0) {
      select(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      pollTasks();
    }
    List.copyOf(links).forEach(NetworkLink::close);
    rejections.close();
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("the selector cannot be closed: {}", e.getMessage());
    }
  }
}
