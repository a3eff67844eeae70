// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.wridscope.guest.GuestException;
import org.wridscope.stream.Checkpoint;

/** A long call on its own thread, so that the engine can continue to send heartbeats. */
final class Background {
  private static final Duration SLICE = Duration.ofMillis(20);

  private final CompletableFuture<Void> result = new CompletableFuture<>();

  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /**
   * @param name of the work, for the thread's name
   */
  Background(String name, Work work) {
    Thread.ofPlatform()
        .daemon()
        .name(Thread.currentThread().getName() + " " + name)
        .start(() -> run(work));
  }

  private void run(Work work) {
    try {
      work.run();
      result.complete(null);
    } catch (IOException | RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  boolean isDone() {
    return result.isDone();
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
      result.get(SLICE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return isDone();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MigrationSession.interrupted(e);
    }
    return true;
  }

  /** Waits for the end of the work, whatever it threw. */
  void awaitEnd() {
    result.handle((_, _) -> true).join();
  }

  /** Waits for the end of the work, and throws what it threw. */
  void join() throws IOException {
    try {
      result.join();
    } catch (CompletionException e) {
      throw switch (e.getCause()) {
        case GuestException guest -> new GuestException(String.valueOf(guest.getMessage()), guest);
        case IOException other -> new MigrationException(String.valueOf(other.getMessage()), other);
        case null, default -> new MigrationException("The work failed: " + e.getCause(), e);
      };
    }
  }
}
