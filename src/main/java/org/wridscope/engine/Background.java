// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.wridscope.guest.GuestException;

/** A long call on its own thread, so that the engine can continue to send heartbeats. */
final class Background {
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

  /** Waits for the end of the work, and throws what it threw. */
  void join() throws IOException {
    try {
      result.join();
    } catch (CompletionException e) {
      throw switch (e.getCause()) {
        case GuestException guest -> new GuestException(String.valueOf(guest.getMessage()), guest);
        case null, default -> new MigrationException("The work failed: " + e.getCause(), e);
      };
    }
  }
}
