// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import javafx.application.Platform;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.RamProgress;
import org.wridscope.files.TakenException;

/**
 * Runs slow work, such as preparing RAM, in the background. Most tasks are alone: no other such
 * task is offered meanwhile. Those that {@linkplain #beside go beside others} may be several. Each
 * can be cancelled, which interrupts its thread. For the JavaFX thread, except {@link #awaitEnd}.
 */
final class BackgroundTasks {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private final Executor background;
  private final Notices notices;
  private final Consumer<String> onChange;
  private final List<Run> running = new CopyOnWriteArrayList<>();

  /** Work that may block; an interrupt ends it with an exception. */
  @FunctionalInterface
  interface Task<T> {
    T run() throws IOException;
  }

  /**
   * @param notices shows the running tasks and errors
   * @param onChange receives the description of a task that is alone, empty when it has ended
   */
  BackgroundTasks(Executor background, Notices notices, Consumer<String> onChange) {
    this.background = background;
    this.notices = notices;
    this.onChange = onChange;
  }

  /** One execution of a task. */
  private static final class Run {
    private final CountDownLatch finished = new CountDownLatch(1);
    private final String what;
    private final boolean alone;
    private final Notices.Line line;
    private @Nullable Thread worker;
    private boolean cancelled;

    Run(String what, boolean alone, Notices notices) {
      this.what = what;
      this.alone = alone;
      line = notices.begin(what, this::cancel);
    }

    synchronized @Nullable Thread worker() {
      return worker;
    }

    synchronized void begin() {
      worker = Thread.currentThread();
      if (cancelled) {
        worker.interrupt();
      }
    }

    synchronized void cancel() {
      cancelled = true;
      if (worker != null) {
        worker.interrupt();
      }
    }

    synchronized boolean isCancelled() {
      return cancelled;
    }

    synchronized void end() {
      worker = null;
      // The pool reuses the thread: the next task must not see this interrupt.
      boolean _ = Thread.interrupted();
      finished.countDown();
    }
  }

  /** Whether a task runs that is alone. */
  boolean isBusy() {
    return running.stream().anyMatch(run -> run.alone);
  }

  /** A sentence about each running task. */
  List<String> what() {
    return running.stream().map(run -> run.what).toList();
  }

  /** Interrupts all running tasks. */
  void cancel() {
    running.forEach(Run::cancel);
  }

  /**
   * Shows how far the tasks are that prepare RAM.
   *
   * @param of how much RAM of the guests that a thread is starting is ready
   */
  void progress(Function<Thread, RamProgress> of) {
    for (Run run : running) {
      Thread worker = run.worker();
      if (worker != null) {
        run.line.progress(of.apply(worker));
      }
    }
  }

  /**
   * Waits until no task is running; from any thread.
   *
   * @return false when the limit was reached first
   */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    for (Run run : running) {
      if (!run.finished.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Runs a task.
   *
   * @param what a sentence that describes it
   * @param done receives its result, on the JavaFX thread
   */
  <T> void run(String what, Task<T> task, Consumer<T> done) {
    run(what, task, done, this::refuse, null);
  }

  /**
   * Runs a task that a user has described in a dialog.
   *
   * @param what a sentence that describes it
   * @param done receives its result, on the JavaFX thread
   * @param taken receives, on the JavaFX thread, the existing file that the task would replace
   * @param edit opens the dialog again; receives why the task failed, a sentence; null if there is
   *     none
   */
  <T> void run(
      String what,
      Task<T> task,
      Consumer<T> done,
      Consumer<TakenException> taken,
      @Nullable Consumer<String> edit) {
    run(true, what, task, done, taken, edit);
  }

  /** Runs a task as {@link #run} does, beside others: another one may begin before it ends. */
  <T> void beside(
      String what,
      Task<T> task,
      Consumer<T> done,
      Consumer<TakenException> taken,
      @Nullable Consumer<String> edit) {
    run(false, what, task, done, taken, edit);
  }

  private <T> void run(
      boolean alone,
      String what,
      Task<T> task,
      Consumer<T> done,
      Consumer<TakenException> taken,
      @Nullable Consumer<String> edit) {
    notices.tell("");
    var run = new Run(what, alone, notices);
    running.add(run);
    if (alone) {
      onChange.accept(what);
    }
    background.execute(() -> {
      run.begin();
      try {
        T result = task.run();
        end(run, () -> done.accept(result));
      } catch (TakenException e) {
        end(run, () -> taken.accept(e));
      } catch (IOException | RuntimeException | Error e) {
        boolean cancelled = run.isCancelled();
        if (!cancelled) {
          log(what, e);
        }
        end(
            run,
            () -> {
              if (cancelled) {
                notices.tell("Cancelled; nothing was started.");
              } else if (edit == null) {
                notices.tell(sentence(e));
              } else {
                notices.offer(
                    false, sentence(e), "Edit…", () -> edit.accept(sentence(e)), () -> {});
              }
            });
      } finally {
        run.end();
      }
    });
  }

  private void end(Run run, Runnable result) {
    Platform.runLater(() -> {
      running.remove(run);
      run.line.end();
      if (run.alone) {
        onChange.accept("");
      }
      result.run();
    });
  }

  /** A mistake of the user needs no stack trace; a defect does. */
  private static void log(String what, Throwable e) {
    if (e instanceof IOException
        || e instanceof UncheckedIOException
        || e instanceof IllegalArgumentException) {
      LOG.info("{} This failed: {}", what, e.getMessage());
      LOG.debug("stack", e);
    } else {
      LOG.error("{} This failed.", what, e);
    }
  }

  /** Says that a task would have to replace a file that it must not. */
  void refuse(TakenException taken) {
    notices.tell(sentence(taken));
  }

  /** Shows a sentence about what a task found. */
  void tell(String sentence) {
    notices.tell(sentence);
  }

  /** The error as a sentence for the user. */
  static String sentence(Throwable e) {
    String message = e.getMessage();
    if (e instanceof Error) {
      return "It could not be started: %s.".formatted(e);
    }
    return message == null || message.isBlank()
        ? "It could not be started: %s.".formatted(e.getClass().getSimpleName())
        : message;
  }
}
