// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import javafx.application.Platform;
import org.wridscope.control.guard.Recovery;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.watch.AbandonedWatches;

/** Offers to put back what killed watches, and killed migrations, have left changed in QEMUs. */
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
      List<String> sentences = sentences(abandoned);
      if (!sentences.isEmpty()) {
        Platform.runLater(() ->
            notices.offer(
                true,
                String.join("\n", sentences),
                "Put back",
                () -> putBack(abandoned),
                () -> {}));
      }
    });
  }

  private static List<String> sentences(AbandonedWatches abandoned) {
    return Stream.concat(abandoned.sentences().stream(), Journals.ofUser().sentences().stream())
        .toList();
  }

  private void putBack(AbandonedWatches abandoned) {
    if (tasks.isBusy()) {
      return;
    }
    tasks.run(
        "Putting the settings, logs and trace events of QEMU back.",
        () -> {
          try {
            List<String> done = new ArrayList<>(abandoned.putBack());
            done.addAll(Recovery.ofUser().recoverAll());
            return done;
          } catch (InterruptedException e) {
            throw new InterruptedIOException("Putting back was cancelled.");
          }
        },
        (List<String> sentences) ->
            notices.tell(sentences(abandoned).isEmpty(), String.join("\n", sentences)));
  }
}
