// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Ctrl-C and SIGTERM do while a command works: they ask it to stop, and give it some time to
 * do so before the process ends with the status that belongs to the signal (130, 143). While a
 * guest could be lost they wait as long as it takes; a second signal changes nothing.
 */
final class Interruption implements AutoCloseable {
  private static final Duration SLICE = Duration.ofMillis(50);

  private final Duration patience;
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::signalled);
  private boolean requested;
  private @Nullable Runnable stop;
  private volatile BooleanSupplier mustFinish = () -> false;
  private volatile @Nullable ExitCode completed;

  /**
   * @param patience how long the process waits for the command when no guest can be lost
   */
  Interruption(Duration patience) {
    this.patience = patience;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Sets what stops the command; runs it at once when that was asked for already.
   *
   * @param stop returns at once, runs on a thread of its own
   */
  synchronized void onRequest(Runnable stop) {
    this.stop = stop;
    if (requested) {
      stop.run();
    }
  }

  synchronized boolean requested() {
    return requested;
  }

  /** Sets what tells whether a guest could be lost now, so that the process must not end. */
  void holdWhile(BooleanSupplier mustFinish) {
    this.mustFinish = mustFinish;
  }

  /** The command did all that it was to do, signal or not: this is its status. */
  void completed(ExitCode code) {
    completed = code;
  }

  private void signalled() {
    interrupt();
    ExitCode code = completed;
    if (code != null) {
      // The status of the signal would say that it was cancelled.
      Runtime.getRuntime().halt(code.number());
    }
  }

  /** Asks the command to stop and waits for it, within limits unless a guest could be lost. */
  void interrupt() {
    synchronized (this) {
      requested = true;
      if (stop != null) {
        stop.run();
      }
    }
    long since = System.nanoTime();
    boolean interrupted = false;
    while (true) {
      try {
        if (finished.await(SLICE.toNanos(), TimeUnit.NANOSECONDS)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (mustFinish.getAsBoolean()) {
        since = System.nanoTime();
      } else if (System.nanoTime() - since >= patience.toNanos()) {
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The command has ended. */
  @Override
  public void close() {
    finished.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending because of the signal.
    }
  }
}
