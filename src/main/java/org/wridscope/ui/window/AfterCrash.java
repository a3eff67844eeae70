// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javafx.application.Platform;
import org.wridscope.aftermath.Aftermath;
import org.wridscope.aftermath.Left;
import org.wridscope.control.guard.Recovery;

/** Says at the start what ran when processes were killed, and offers what can be done about it. */
final class AfterCrash {
  private final Executor background;
  private final BackgroundTasks tasks;
  private final Notices notices;
  private final Consumer<List<Path>> open;

  /**
   * @param open opens recordings
   */
  AfterCrash(
      Executor background, BackgroundTasks tasks, Notices notices, Consumer<List<Path>> open) {
    this.background = background;
    this.tasks = tasks;
    this.notices = notices;
    this.open = open;
  }

  /** Looks for what was left and, if there is anything, says it; returns at once. */
  void tell(Aftermath aftermath, Recovery recovery) {
    background.execute(() -> {
      List<Left> left = aftermath.find();
      if (!left.isEmpty()) {
        Platform.runLater(() -> show(left, aftermath, recovery));
      }
    });
  }

  private void show(List<Left> left, Aftermath aftermath, Recovery recovery) {
    String sentences = left.stream().map(Left::sentence).collect(Collectors.joining("\n"));
    List<Path> recordings = left.stream().map(Left::recording).filter(Objects::nonNull).toList();
    Runnable forget = () -> background.execute(aftermath::forget);
    if (left.stream().anyMatch(Left::isRepairable)) {
      notices.offer(true, sentences, "Put back", () -> putBack(aftermath, recovery), forget);
    } else if (!recordings.isEmpty()) {
      notices.offer(
          true,
          sentences,
          "Open recordings",
          () -> {
            notices.tell("");
            forget.run();
            open.accept(recordings);
          },
          forget);
    } else {
      notices.offer(
          true,
          sentences,
          "Understood",
          () -> {
            notices.tell("");
            forget.run();
          },
          forget);
    }
  }

  private void putBack(Aftermath aftermath, Recovery recovery) {
    if (tasks.isBusy()) {
      return;
    }
    tasks.run(
        "Putting the settings, logs and trace events of QEMU back.",
        () -> {
          try {
            List<String> done = new ArrayList<>(aftermath.watches().putBack());
            done.addAll(recovery.recoverAll());
            return new Result(done, aftermath.find());
          } catch (InterruptedException e) {
            throw new InterruptedIOException("Putting back was cancelled.");
          }
        },
        result -> {
          String done = String.join("\n", result.done);
          boolean repaired = result.left.stream().noneMatch(Left::isRepairable);
          notices.tell(repaired, done);
        });
  }

  /** What was done, and what is left after it. */
  private record Result(List<String> done, List<Left> left) {}
}
