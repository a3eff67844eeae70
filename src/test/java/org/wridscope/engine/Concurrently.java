// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.wridscope.time.Scheduler;

/**
 * Checks cases that mostly wait, several at a time; or of a test that is {@link UnderSchedule}, and
 * waits for nothing, each under a schedule of its own.
 */
final class Concurrently {
  private static final int THREADS = 16;

  /** Over TCP, in real time, one of so many cases is checked; all of them are under a schedule. */
  private static final int OVER_TCP = 4;

  /** Longer than any case takes; one that never gives its turn back would hold up all. */
  private static final long LIMIT_SECONDS = 300;

  private Concurrently() {}

  interface Check<T> {
    void accept(T test) throws Exception;
  }

  /**
   * A test for each case. The checks begin immediately, and each test waits for its own.
   *
   * @param cases whose texts are the names of the tests; {@link OverTcp}, a sample of them
   */
  static <T> Stream<DynamicTest> tests(List<T> cases, Check<T> check) {
    ExecutorService threads = threads();
    var tests = new ArrayList<DynamicTest>();
    int step = OverTcp.isOn() ? OVER_TCP : 1;
    for (int i = 0; i < cases.size(); i += step) {
      T test = cases.get(i);
      Future<?> result = threads.submit(task(test, check));
      tests.add(DynamicTest.dynamicTest(test.toString(), () -> join(result)));
    }
    threads.shutdown();
    return tests.stream();
  }

  /** Whether the test of the calling thread is under a schedule. */
  private static boolean isScheduled() {
    return Scheduler.current() != null;
  }

  private static ExecutorService threads() {
    return Executors.newFixedThreadPool(
        isScheduled() ? Runtime.getRuntime().availableProcessors() : THREADS,
        Thread.ofPlatform().daemon().factory());
  }

  private static void join(Future<?> result) throws Throwable {
    try {
      result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  private static <T> Callable<Void> task(T test, Check<T> check) {
    Callable<Void> work =
        () -> {
          check.accept(test);
          return null;
        };
    boolean scheduled = isScheduled();
    return () -> {
      try {
        return scheduled ? UnderSchedule.run(test.toString(), work) : work.call();
      } catch (Exception e) {
        throw new AssertionError(test + ": " + e, e);
      }
    };
  }

  /** Checks all cases, and throws what the first of those that failed threw. */
  static <T> void forEach(List<T> cases, Check<T> check) throws Exception {
    var tasks = new ArrayList<Callable<Void>>();
    for (T test : cases) {
      tasks.add(task(test, check));
    }
    try (ExecutorService threads = threads()) {
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
