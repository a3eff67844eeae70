// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.GuestException;
import org.wridscope.stream.Checkpoint;
import org.wridscope.time.Time;

/** A long call on its own thread, so that the engine can continue to send heartbeats. */
final class Background {
  private static final Duration SLICE = Duration.ofMillis(20);

  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Throwable thrown;

  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /**
   * @param name of the work, for the thread's name
   */
  Background(String name, Work work) {
    Time.start(Thread.currentThread().getName() + " " + name, () -> run(work));
  }

  private void run(Work work) {
    try {
      work.run();
    } catch (IOException | RuntimeException | Error e) {
      thrown = e;
    } finally {
      ended.countDown();
    }
  }

  boolean isDone() {
    return ended.getCount() == 0;
  }

  /**
   * Waits for the end of the work, also after an exception of the checkpoint, and throws what the
   * work threw.
   *
   * @param meanwhile called many times per second
   */
  void join(Checkpoint meanwhile) throws IOException {
    try {
      while (!endsSoon()) {
        meanwhile.pass();
      }
    } finally {
      // Not interruptible: what it works on is used after this.
      awaitEnd();
    }
    join();
  }

  /**
   * Waits for the end of the work, a fraction of a second at most.
   *
   * @return whether it has ended
   */
  boolean endsSoon() throws MigrationException {
    try {
      return Time.await(ended, SLICE.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    }
  }

  /** Waits for the end of the work, whatever it threw. */
  void awaitEnd() {
    boolean interrupted = false;
    while (!isDone()) {
      try {
        boolean _ = Time.await(ended, Long.MAX_VALUE);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the end of the work, and throws what it threw. */
  void join() throws IOException {
    awaitEnd();
    Throwable cause = thrown;
    if (cause != null) {
      throw switch (cause) {
        case GuestException guest -> new GuestException(String.valueOf(guest.getMessage()), guest);
        case IOException other -> new MigrationException(String.valueOf(other.getMessage()), other);
        default -> new MigrationException("The work failed: " + cause, cause);
      };
    }
  }
}
