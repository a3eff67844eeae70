// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.Executor;
import javafx.application.Platform;
import org.wridscope.ui.Texts;
import org.wridscope.watch.AbandonedWatches;

/** Offers to put back what killed watches have left changed in QEMUs. */
final class PutBack {
  private final Executor background;
  private final BackgroundTasks tasks;
  private final Notices notices;

  PutBack(Executor background, BackgroundTasks tasks, Notices notices) {
    this.background = background;
    this.tasks = tasks;
    this.notices = notices;
  }

  /** Looks for such QEMUs and, if there are any, makes the offer; returns at once. */
  void offer(AbandonedWatches abandoned) {
    background.execute(() -> {
      List<String> sentences = abandoned.sentences();
      if (!sentences.isEmpty()) {
        Platform.runLater(() ->
            notices.offer(
                true,
                String.join("\n", sentences),
                Texts.of("Put back"),
                () -> putBack(abandoned),
                () -> {}));
      }
    });
  }

  private void putBack(AbandonedWatches abandoned) {
    if (tasks.isBusy()) {
      return;
    }
    tasks.run(
        Texts.of("Putting the logs and trace events of QEMU back."),
        () -> {
          try {
            return abandoned.putBack();
          } catch (InterruptedException e) {
            throw new InterruptedIOException(Texts.of("Putting back was cancelled."));
          }
        },
        (List<String> sentences) ->
            notices.tell(abandoned.sentences().isEmpty(), String.join("\n", sentences)));
  }
}
