// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does the same work on each processor: a run under a scheduler waits for nothing. */
final class Workers {
  private Workers() {}

  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** Runs the work once for each processor, and returns when all have returned. */
  static void run(Work work) throws IOException, InterruptedException {
    int processors = Runtime.getRuntime().availableProcessors();
    try (ExecutorService workers = Executors.newFixedThreadPool(processors)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < processors; i++) {
        all.add(
            workers.submit(() -> {
              work.run();
              return null;
            }));
      }
      for (Future<?> worker : all) {
        await(worker);
      }
    }
  }

  private static void await(Future<?> worker) throws IOException, InterruptedException {
    try {
      worker.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    }
  }
}
