// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs tasks of tests on separate threads. */
public final class Background {
  private Background() {}

  /** A task that may throw. */
  public interface Task<T extends @Nullable Object> {
    T run() throws Exception;
  }

  /** Starts a task. */
  public static <T extends @Nullable Object> CompletableFuture<T> inBackground(Task<T> task) {
    var result = new CompletableFuture<T>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            result.complete(task.run());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /** The result of a task; throws the task's exception. */
  static <T> T get(CompletableFuture<T> future) throws Exception {
    try {
      return future.orTimeout(Endpoint.PATIENCE.toSeconds() * 2, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }
}
