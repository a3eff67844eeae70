// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javafx.application.Platform;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test in which the JavaFX thread waits for 100 ms within one event: for a lock, another
 * thread or a file. It examines what the thread does instead of measuring how long an event takes:
 * a thread that works, or that gets no processor on a busy machine, does not wait.
 */
public final class FxWatchdog implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  private static final long LIMIT = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(5);

  /** The most that counts between two checks: the watchdog itself may have had no processor. */
  private static final long MOST_COUNTED = 4 * INTERVAL;

  /** A thread that used so much processor time has not stayed in one wait. */
  private static final long WORKED = TimeUnit.MILLISECONDS.toNanos(1);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private volatile @Nullable Thread watched;
  private volatile boolean stopping;
  private volatile @Nullable String stack;
  private @Nullable Thread watcher;

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    start();
  }

  @Override
  public void afterTestExecution(ExtensionContext context) throws InterruptedException {
    Optional<String> found = stop();
    if (found.isPresent() && context.getExecutionException().isEmpty()) {
      throw new AssertionError("the JavaFX thread waited in one event:\n" + found.get());
    }
  }

  void start() {
    Platform.runLater(() -> watched = Thread.currentThread());
    watcher = Thread.ofPlatform().daemon().name("fx watchdog").start(this::watch);
  }

  /** Stops watching; returns the stack of the JavaFX thread's wait, if there was one. */
  Optional<String> stop() throws InterruptedException {
    stopping = true;
    if (watcher != null) {
      watcher.join();
    }
    return stack();
  }

  /** The stack of the JavaFX thread's wait, if one has been too long so far. */
  Optional<String> stack() {
    return Optional.ofNullable(stack);
  }

  private void watch() {
    long waited = 0;
    long lookedAt = System.nanoTime();
    long workedBefore = 0;
    String placeBefore = "";
    while (!stopping && stack == null) {
      LockSupport.parkNanos(INTERVAL);
      Thread of = watched;
      ThreadInfo info = of == null ? null : THREADS.getThreadInfo(of.threadId(), Integer.MAX_VALUE);
      if (of == null || info == null) {
        continue;
      }
      long now = System.nanoTime();
      long worked = THREADS.getThreadCpuTime(of.threadId());
      String place = waitsAt(info);
      boolean same =
          !place.isEmpty() && place.equals(placeBefore) && worked - workedBefore < WORKED;
      waited = same ? waited + Math.min(now - lookedAt, MOST_COUNTED) : 0;
      if (waited >= LIMIT) {
        stack =
            info.getThreadState()
                + " "
                + info.getLockName()
                + " held by "
                + info.getLockOwnerName()
                + Arrays.stream(info.getStackTrace())
                    .map(frame -> "\n  at " + frame)
                    .collect(Collectors.joining());
      }
      lookedAt = now;
      workedBefore = worked;
      placeBefore = place;
    }
  }

  /** The line of this program in which the thread waits; empty when it does not, or is idle. */
  private static String waitsAt(ThreadInfo info) {
    StackTraceElement[] frames = info.getStackTrace();
    if (frames.length == 0
        || (info.getThreadState() == Thread.State.RUNNABLE && !readsOrWrites(frames[0]))) {
      return "";
    }
    for (StackTraceElement frame : frames) {
      String name = frame.getClassName();
      if (name.startsWith("org.wridscope.")) {
        return frame.toString();
      }
      boolean toolkit = name.startsWith("com.sun.") || name.startsWith("javafx.");
      boolean loadsClasses =
          name.startsWith("jdk.internal.loader.") || name.startsWith("java.lang.ClassLoader");
      if (toolkit || loadsClasses) {
        // It waits for events or for itself.
        return "";
      }
    }
    return "";
  }

  private static boolean readsOrWrites(StackTraceElement top) {
    String name = top.getClassName();
    return top.isNativeMethod()
        && (name.startsWith("sun.nio.") || name.startsWith("java.io.") || name.contains(".prefs."));
  }
}
