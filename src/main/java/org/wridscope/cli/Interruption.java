// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles Ctrl-C and SIGTERM while a command runs: requests it to stop, and waits a limited time
 * before the process ends with the status of the signal (130, 143). There is no limit while a guest
 * could be lost; a second signal changes nothing.
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
   * @param patience how long the process waits for the command if no guest can be lost
   */
  Interruption(Duration patience) {
    this.patience = patience;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Sets the action that stops the command; runs it at once if a signal has already arrived.
   *
   * @param stop must not wait; runs on another thread
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

  /** Sets the condition that a guest could be lost now, so that the process must not end. */
  void holdWhile(BooleanSupplier mustFinish) {
    this.mustFinish = mustFinish;
  }

  /** Sets the status of a command that has completed its work, whether or not a signal arrived. */
  void completed(ExitCode code) {
    completed = code;
  }

  private void signalled() {
    interrupt();
    ExitCode code = completed;
    if (code != null) {
      // The status of the signal would mean that the command was cancelled.
      Runtime.getRuntime().halt(code.number());
    }
  }

  /** Requests the command to stop, and waits; without a limit while a guest could be lost. */
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

  /** To be called when the command has ended. */
  @Override
  public void close() {
    finished.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The shutdown has begun because of a signal.
    }
  }
}
