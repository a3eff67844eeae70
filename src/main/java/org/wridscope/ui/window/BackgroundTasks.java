// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
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
 * Runs in the background what may wait, such as making RAM ready; one thing at a time. It can be
 * cancelled, which interrupts it. For the JavaFX thread, but for {@link #awaitEnd}.
 */
final class BackgroundTasks {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private final Executor background;
  private final Notices notices;
  private final Consumer<String> onChange;
  private String what = "";
  private volatile Run present = Run.over();

  /** What may wait; an interrupt ends it with an exception. */
  @FunctionalInterface
  interface Task<T> {
    T run() throws IOException;
  }

  /**
   * @param notices where it is said what is under way, and what went wrong
   * @param onChange gets what is under way, empty when that is done
   */
  BackgroundTasks(Executor background, Notices notices, Consumer<String> onChange) {
    this.background = background;
    this.notices = notices;
    this.onChange = onChange;
  }

  /** One that was begun. */
  private static final class Run {
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable Thread worker;
    private boolean cancelled;

    static Run over() {
      var run = new Run();
      run.over.countDown();
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
      // The thread goes on to something else.
      boolean _ = Thread.interrupted();
      over.countDown();
    }
  }

  boolean isBusy() {
    return !what.isEmpty();
  }

  /** What is under way, a sentence; empty when nothing is. */
  String what() {
    return what;
  }

  /** Has what is under way end soon, without a result. */
  void cancel() {
    present.cancel();
  }

  /**
   * Waits until nothing is under way; from any thread.
   *
   * @return whether that came in time
   */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return present.over.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Runs a task.
   *
   * @param what a sentence
   * @param done gets its result, on the JavaFX thread
   */
  <T> void run(String what, Task<T> task, Consumer<T> done) {
    run(what, task, done, taken -> notices.tell(sentence(taken)));
  }

  /**
   * Runs a task that writes a file.
   *
   * @param what a sentence
   * @param done gets its result, on the JavaFX thread
   * @param taken gets, on the JavaFX thread, what is in the way when a file would be replaced
   */
  <T> void run(String what, Task<T> task, Consumer<T> done, Consumer<TakenException> taken) {
    notices.tell("");
    var run = new Run();
    present = run;
    busy(what);
    background.execute(() -> {
      run.begin();
      try {
        T result = task.run();
        Platform.runLater(() -> {
          busy("");
          done.accept(result);
        });
      } catch (TakenException e) {
        Platform.runLater(() -> {
          busy("");
          taken.accept(e);
        });
      } catch (IOException | RuntimeException | Error e) {
        boolean cancelled = run.isCancelled();
        if (!(e instanceof IOException) && !cancelled) {
          LOG.error("starting a session", e);
        }
        Platform.runLater(() -> {
          busy("");
          notices.tell(cancelled ? "Cancelled; nothing was started." : sentence(e));
        });
      } finally {
        run.end();
      }
    });
  }

  /** Says what a task found on its way. */
  void tell(String sentence) {
    notices.tell(sentence);
  }

  private void busy(String what) {
    this.what = what;
    onChange.accept(what);
    notices.busy(what, this::cancel);
  }

  /** What went wrong, for the user. */
  static String sentence(Throwable e) {
    String message = e.getMessage();
    if (e instanceof Error) {
      return "It could not be started: " + e + ".";
    }
    return message == null || message.isBlank()
        ? "It could not be started: " + e.getClass().getSimpleName() + "."
        : message;
  }
}
