// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javafx.application.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs in the background what may wait, such as making RAM ready; one thing at a time. */
final class Errands {
  private static final Logger LOG = LoggerFactory.getLogger(Errands.class);

  private final Executor background;
  private final Notices notices;
  private final Consumer<String> onChange;
  private boolean busy;

  /** What may wait. */
  @FunctionalInterface
  interface Errand<T> {
    T run() throws IOException;
  }

  /**
   * @param notices where it is said what is under way, and what went wrong
   * @param onChange gets what is under way, empty when that is done
   */
  Errands(Executor background, Notices notices, Consumer<String> onChange) {
    this.background = background;
    this.notices = notices;
    this.onChange = onChange;
  }

  boolean isBusy() {
    return busy;
  }

  /**
   * Runs an errand.
   *
   * @param what a sentence
   * @param done gets its result, on the JavaFX thread
   */
  <T> void run(String what, Errand<T> errand, Consumer<T> done) {
    notices.tell("");
    busy(what);
    background.execute(() -> {
      try {
        T result = errand.run();
        Platform.runLater(() -> {
          busy("");
          done.accept(result);
        });
      } catch (IOException | RuntimeException | Error e) {
        if (!(e instanceof IOException)) {
          LOG.error("starting a session", e);
        }
        Platform.runLater(() -> {
          busy("");
          notices.tell(sentence(e));
        });
      }
    });
  }

  private void busy(String what) {
    busy = !what.isEmpty();
    onChange.accept(what);
    notices.busy(what);
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
