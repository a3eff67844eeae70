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

/**
 * The thread of a device on the network: besides serving queue pairs it does all that has to do
 * with sockets, none of which ever blocks it. Others have it run errands.
 */
final class NetworkThread extends DeviceThread {

  /** What a key of the selector belongs to. */
  interface Selected {
    /** The channel is ready for something. */
    void ready();

    /** {@link #ready} failed for a defect of this program. */
    void failed(Throwable defect);
  }

  private static final Logger LOG = LoggerFactory.getLogger(NetworkThread.class);
  private static final int SCRATCH_BYTES = 64 << 10;

  /** Between two looks at the clocks of links. */
  private static final long TICK_NANOS = 50_000_000;

  private final NetworkLimits limits;
  private final Selector selector;
  private final Queue<Runnable> errands = new ConcurrentLinkedQueue<>();
  private final Consumer<SelectionKey> dispatch = NetworkThread::dispatch;

  // The rest belongs to the thread.
  private final Set<NetworkLink> links = new LinkedHashSet<>();
  private final SequencedSet<NetworkLink> dismissed = new LinkedHashSet<>();
  private final ByteBuffer zeros = ByteBuffer.allocateDirect(SCRATCH_BYTES);
  private final ByteBuffer rubbish = ByteBuffer.allocateDirect(SCRATCH_BYTES);
  private boolean selected;

  /** Sockets cannot be waited for any more, and the device has failed. */
  private volatile boolean broken;

  private long lastTick = System.nanoTime();

  NetworkThread(String name, NetworkLimits limits) throws IOException {
    // What comes from a socket cannot be seen by spinning.
    super(name, false);
    this.limits = limits;
    selector = Selector.open();
  }

  NetworkLimits limits() {
    return limits;
  }

  /** Has the thread run this soon. */
  void execute(Runnable errand) {
    errands.add(errand);
    wake();
  }

  /** For the thread itself: what a link waits with. */
  Selector selector() {
    return selector;
  }

  /** At least one zero byte, at most so many. */
  ByteBuffer zeros(long atMost) {
    return zeros.clear().limit((int) Math.min(SCRATCH_BYTES, atMost));
  }

  /** Room for bytes that nobody wants, at most so many. */
  ByteBuffer rubbish(long atMost) {
    return rubbish.clear().limit((int) Math.min(SCRATCH_BYTES, atMost));
  }

  void add(NetworkLink link) {
    links.add(link);
  }

  void remove(NetworkLink link) {
    links.remove(link);
    dismissed.remove(link);
  }

  /**
   * Whoever asked for a connection and gets none has a moment to hear so, unless too many others
   * were turned away since.
   */
  void dismiss(NetworkLink link) {
    dismissed.add(link);
    if (dismissed.size() > limits.strangers()) {
      dismissed.getFirst().abort();
    }
  }

  @Override
  boolean hasErrands() {
    return !errands.isEmpty();
  }

  @Override
  void rouse() {
    if (!thread().equals(Thread.currentThread())) {
      super.rouse();
      selector.wakeup();
    }
  }

  @Override
  void sleep(long nanos) {
    if (broken) {
      super.sleep(nanos);
      return;
    }
    long limit = links.isEmpty() ? nanos : Math.min(nanos, TICK_NANOS);
    // Selecting knows milliseconds only, and takes 0 for ever.
    select(limit == Long.MAX_VALUE ? 0 : Math.max(1, limit / 1_000_000));
    selected = true;
  }

  @Override
  void look() {
    runErrands();
    if (!selected) {
      selectNow();
    }
    selected = false;
    long now = System.nanoTime();
    if (now - lastTick >= TICK_NANOS) {
      lastTick = now;
      List.copyOf(links).forEach(link -> tick(link, now));
    }
  }

  private void tick(NetworkLink link, long now) {
    try {
      link.tick(now);
    } catch (RuntimeException | Error e) {
      fail(link, e);
    }
  }

  private void runErrands() {
    Runnable errand;
    while ((errand = errands.poll()) != null) {
      try {
        errand.run();
      } catch (RuntimeException | Error e) {
        LOG.error("an errand failed", e);
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

  /** Looks at all channels without waiting; channels that were closed are gone then. */
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
    failed(new IllegalStateException("sockets cannot be waited for: " + e, e));
  }

  private static void dispatch(SelectionKey key) {
    var owner = (Selected) key.attachment();
    try {
      owner.ready();
    } catch (RuntimeException | Error e) {
      fail(owner, e);
    }
  }

  /** A defect costs one connection, not the others. */
  private static void fail(Selected owner, Throwable defect) {
    LOG.error("a connection failed", defect);
    try {
      owner.failed(defect);
    } catch (RuntimeException | Error e) {
      LOG.error("a connection that failed cannot be cut", e);
    }
  }

  /** Has links say what they still have to, and closes what is open. */
  @Override
  void end() {
    long deadline = System.nanoTime() + limits.farewell().toNanos();
    runErrands();
    while (!broken
        && links.stream().anyMatch(NetworkLink::hasUnsent)
        && System.nanoTime() - deadline < 0) {
      select(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      runErrands();
    }
    List.copyOf(links).forEach(NetworkLink::close);
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("the selector cannot be closed: {}", e.getMessage());
    }
  }
}
