// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.qemu.QemuConnection.Phase;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;

/** The connection to one QEMU, and the thread that asks it. Thread-safe. */
final class QemuLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QemuLink.class);

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

  /** Time between two questions if no event arrives. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Time until a connection that was lost is tried again. */
  private static final Duration RETRY = Duration.ofSeconds(3);

  private final QmpAddress address;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile QemuConnection now;

  // guarded by the lock
  private @Nullable Qmp qmp;
  private boolean lent;
  private boolean idle;
  private boolean closed;
  private boolean noted;

  private QemuLink(QmpAddress address) {
    this.address = address;
    now = new QemuConnection(address, Phase.CONNECTING, null, "");
  }

  static QemuLink start(QmpAddress address) {
    var link = new QemuLink(address);
    Thread.ofVirtual().name("connection to " + address).start(link::run);
    return link;
  }

  /** What is known of the QEMU. */
  QemuConnection now() {
    return now;
  }

  private void run() {
    try {
      while (true) {
        if (!mayAsk()) {
          return;
        }
        askUntilItFails();
      }
    } catch (InterruptedException e) {
      LOG.debug("{}", address, e);
    } catch (RuntimeException | Error e) {
      LOG.error("the connection to {}", address, e);
      show(Phase.LOST, "This program made an error; see its log.");
    } finally {
      drop();
    }
  }

  /** Waits while the QEMU is lent; false when the connection is to end. */
  private boolean mayAsk() throws InterruptedException {
    lock.lock();
    try {
      while (lent && !closed) {
        now = new QemuConnection(address, Phase.LENT, now.state(), "");
        idle = true;
        changed.signalAll();
        changed.await();
      }
      idle = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Connects and asks, until the connection ends, the QEMU is lent, or this is closed. */
  private void askUntilItFails() throws InterruptedException {
    try {
      Qmp opened = Qmp.connect(address, CONNECT_LIMIT);
      if (!keep(opened)) {
        opened.close();
        return;
      }
      try (var _ = opened.onEvent(_ -> note())) {
        var monitor = new QemuMonitor(opened);
        if (monitor.version().isWridscope()) {
          throw new IOException(
              "A Wridscope answers there, not a QEMU; attach to it with Recording > Attach to a"
                  + " Wridscope.");
        }
        var reader = new QemuReader(monitor);
        do {
          now = new QemuConnection(address, Phase.CONNECTED, reader.read(), "");
        } while (pause(PAUSE));
      }
    } catch (IOException e) {
      drop();
      show(Phase.LOST, String.valueOf(e.getMessage()));
      boolean _ = pause(RETRY);
    } finally {
      drop();
    }
  }

  /** Keeps a new connection; false if nobody wants it any more. */
  private boolean keep(Qmp opened) {
    lock.lock();
    try {
      boolean wanted = !lent && !closed;
      qmp = wanted ? opened : null;
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  private void drop() {
    close(take());
  }

  /** The connection, which is forgotten here; null if there is none. */
  private @Nullable Qmp take() {
    lock.lock();
    try {
      Qmp taken = qmp;
      qmp = null;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Closes a connection, which may take a moment; questions that wait for an answer fail. */
  private static void close(@Nullable Qmp connection) {
    if (connection != null) {
      connection.close();
    }
  }

  private void show(Phase phase, String message) {
    lock.lock();
    try {
      if (!lent && !closed) {
        now = new QemuConnection(address, phase, now.state(), message);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Asks again soon; from the thread that reads events. */
  private void note() {
    lock.lock();
    try {
      noted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the time or an event; false if the QEMU is not to be asked any more. */
  private boolean pause(Duration time) throws InterruptedException {
    lock.lock();
    try {
      long left = time.toNanos();
      while (left > 0 && !noted && !lent && !closed) {
        left = changed.awaitNanos(left);
      }
      noted = false;
      return !lent && !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the connection until {@link #takeBack}; waits until it has ended. */
  void lend() throws InterruptedException {
    lock.lock();
    try {
      lent = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    drop();
    lock.lock();
    try {
      long left = CONNECT_LIMIT.toNanos() * 2;
      while (!idle && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  void takeBack() {
    lock.lock();
    try {
      lent = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    // The caller may be the JavaFX thread, and ssh takes a moment to end.
    Qmp connection = take();
    Thread.ofVirtual().name("closing " + address).start(() -> close(connection));
  }
}
