// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javafx.application.Platform;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.TakenException;

/**
 * Runs slow work, such as preparing RAM, in the background, one task at a time. A task can be
 * cancelled, which interrupts its thread. For the JavaFX thread, except {@link #awaitEnd}.
 */
final class BackgroundTasks {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private final Executor background;
  private final Notices notices;
  private final Consumer<String> onChange;
  private String what = "";
  private volatile Run current = Run.finished();

  /** Work that may block; an interrupt ends it with an exception. */
  @FunctionalInterface
  interface Task<T> {
    T run() throws IOException;
  }

  /**
   * @param notices shows the running task and errors
   * @param onChange receives the description of the running task, empty when it has ended
   */
  BackgroundTasks(Executor background, Notices notices, Consumer<String> onChange) {
    this.background = background;
    this.notices = notices;
    this.onChange = onChange;
  }

  /** One execution of a task. */
  private static final class Run {
    private final CountDownLatch finished = new CountDownLatch(1);
    private @Nullable Thread worker;
    private boolean cancelled;

    static Run finished() {
      var run = new Run();
      run.finished.countDown();
      return run;
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

  boolean isBusy() {
    return !what.isEmpty();
  }

  /** A sentence about the running task; empty when there is none. */
  String what() {
    return what;
  }

  /** Interrupts the running task, if any. */
  void cancel() {
    current.cancel();
  }

  /**
   * Waits until no task is running; from any thread.
   *
   * @return false when the limit was reached first
   */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return current.finished.await(limit.toNanos(), TimeUnit.NANOSECONDS);
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
    notices.tell("");
    var run = new Run();
    current = run;
    busy(what);
    background.execute(() -> {
      run.begin();
      try {
        T result = task.run();
        end(() -> done.accept(result));
      } catch (TakenException e) {
        end(() -> taken.accept(e));
      } catch (IOException | RuntimeException | Error e) {
        boolean cancelled = run.isCancelled();
        if (!cancelled) {
          log(what, e);
        }
        end(() -> {
          if (cancelled) {
            notices.tell("Cancelled; nothing was started.");
          } else if (edit == null) {
            notices.tell(sentence(e));
          } else {
            notices.offer(false, sentence(e), "Edit…", () -> edit.accept(sentence(e)), () -> {});
          }
        });
      } finally {
        run.end();
      }
    });
  }

  private void end(Runnable result) {
    Platform.runLater(() -> {
      busy("");
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

  private void busy(String what) {
    this.what = what;
    onChange.accept(what);
    notices.busy(what, this::cancel);
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
