// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Divides work on memory among a few threads, which end with the work. */
public final class Parallel {

  private Parallel() {}

  /**
   * Calls {@code task} once for each number in {@code [0, count)}, in the calling thread and {@code
   * threads - 1} others, and returns when all calls have returned. An exception of a task ends the
   * work early and is thrown here. An interrupt does not, unless the task is {@linkplain
   * #interruptible interruptible}.
   *
   * @param threads at least 1
   */
  public static void forEach(int threads, long count, LongConsumer task) {
    AtomicLong next = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Runnable work =
        () -> {
          try {
            for (long i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
              task.accept(i);
            }
          } catch (RuntimeException | Error e) {
            next.set(count);
            failure.compareAndSet(null, e);
          }
        };
    List<Thread> helpers = new ArrayList<>();
    try {
      for (int i = 1; i < Math.min(threads, count); i++) {
        helpers.add(Thread.ofPlatform().daemon().name("memory-", i).start(work));
      }
      work.run();
    } finally {
      joinAll(helpers);
    }
    switch (failure.get()) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
  }

  /**
   * A task that throws an {@link UncheckedIOException} when the calling thread is interrupted,
   * which it stays.
   */
  public static LongConsumer interruptible(LongConsumer task) {
    Thread caller = Thread.currentThread();
    return i -> {
      if (caller.isInterrupted()) {
        throw new UncheckedIOException(new InterruptedIOException("It was interrupted."));
      }
      task.accept(i);
    };
  }

  // Not interruptible: the helpers write to memory that the caller would release.
  private static void joinAll(List<Thread> helpers) {
    boolean interrupted = false;
    for (Thread helper : helpers) {
      while (true) {
        try {
          helper.join();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
