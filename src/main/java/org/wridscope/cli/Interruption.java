// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What Ctrl-C and SIGTERM do while a command works: they ask it to stop, and give it some time to
 * do so before the process ends with the status that belongs to the signal (130, 143).
 */
final class Interruption implements AutoCloseable {
  private final Duration patience;
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::interrupt);
  private boolean requested;
  private @Nullable Runnable stop;

  /**
   * @param patience how long the process waits for the command
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

  /** Asks the command to stop and waits for it, within limits. */
  void interrupt() {
    synchronized (this) {
      requested = true;
      if (stop != null) {
        stop.run();
      }
    }
    try {
      // Whether it was in time makes no difference: the process ends now.
      boolean _ = finished.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
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
