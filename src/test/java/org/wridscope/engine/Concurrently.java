// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Goes through cases that mostly wait, several at a time. */
final class Concurrently {
  private static final int THREADS = 16;

  private Concurrently() {}

  interface Check<T> {
    void accept(T test) throws Exception;
  }

  /** Checks all cases, and throws what the first of those that failed threw. */
  static <T> void forEach(List<T> cases, Check<T> check) throws Exception {
    var tasks = new ArrayList<Callable<Void>>();
    for (T test : cases) {
      tasks.add(() -> {
        try {
          check.accept(test);
          return null;
        } catch (Exception e) {
          throw new AssertionError(test + ": " + e, e);
        }
      });
    }
    try (var threads = Executors.newFixedThreadPool(THREADS)) {
      var failures = new ArrayList<Throwable>();
      for (Future<Void> result : threads.invokeAll(tasks)) {
        try {
          result.get();
        } catch (ExecutionException e) {
          failures.add(e.getCause());
        }
      }
      if (!failures.isEmpty()) {
        var first =
            new AssertionError(
                "%d of %d cases failed, the first: %s"
                    .formatted(failures.size(), cases.size(), failures.getFirst().getMessage()),
                failures.getFirst());
        failures.stream().skip(1).limit(9).forEach(first::addSuppressed);
        throw first;
      }
    }
  }
}
