// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javafx.animation.Animation;
import javafx.animation.KeyFrame;
import javafx.animation.Timeline;
import javafx.application.Platform;
import javafx.beans.binding.BooleanExpression;
import javafx.event.Event;
import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.Label;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.stage.DirectoryChooser;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.ui.Question;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;

/**
 * Closes the window. Asks first if a task or a migration is running, and keeps the window open
 * until no guest can be lost. For the JavaFX thread only.
 */
final class Closing {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);
  private static final javafx.util.Duration REFRESH = javafx.util.Duration.millis(100);

  /** Limit of the wait for a cancelled task, which holds no guest that could be lost. */
  private static final Duration TASK_PATIENCE = Duration.ofSeconds(5);

  /** More lines would not fit into the question. */
  private static final int MAX_LINES = 8;

  private final Stage stage;
  private final SessionManager manager;
  private final RecordingActions recordings;
  private final SessionsModel sessions;
  private final BackgroundTasks tasks;
  private final Remembered remembered;
  private final BooleanExpression offer;
  private final Notices notices;
  private final Executor background;
  private final Runnable stop;
  private final Runnable closed;
  private final Label waiting = new Label();
  private @Nullable Alert question;
  private boolean closing;

  /**
   * @param offer whether what is in no file is offered for saving
   * @param stop runs when closing begins and the views are no longer needed
   * @param closed runs when all sessions have ended and the window is gone
   */
  Closing(
      Parts parts,
      RecordingActions recordings,
      Remembered remembered,
      BooleanExpression offer,
      Runnable stop,
      Runnable closed) {
    stage = parts.stage();
    manager = parts.manager();
    sessions = parts.sessions();
    tasks = parts.tasks();
    notices = parts.notices();
    background = parts.background();
    this.recordings = recordings;
    this.remembered = remembered;
    this.offer = offer;
    this.stop = stop;
    this.closed = closed;
    waiting.setWrapText(true);
    waiting.setMinHeight(Region.USE_PREF_SIZE);
    waiting.setId("closing");
    // If the desktop hides the window unasked, its sessions must not run on unseen.
    stage.setOnHidden(_ -> closeNow());
  }

  /** Closes the window; asks first if something is running, or would be lost. */
  void close() {
    if (closing || question != null) {
      return;
    }
    List<String> effects = effects();
    List<Migration> unsaved = offer.get() ? recordings.unsaved() : List.<Migration>of();
    if (effects.isEmpty() && unsaved.isEmpty()) {
      closeNow();
    } else {
      ask(effects, unsaved);
    }
  }

  /** What closing does to everything that is running, a sentence each. */
  private List<String> effects() {
    var effects = new ArrayList<String>();
    tasks.what().forEach(what -> effects.add("%s This will be cancelled.".formatted(what)));
    sessions.migrations().stream()
        .filter(migration -> migration.running() && !isRemote(migration))
        .map(Closing::effect)
        .forEach(effects::add);
    return effects;
  }

  /** Whether it goes on elsewhere, whatever happens to this window. */
  private static boolean isRemote(Migration migration) {
    return migration.pair() != null && migration.pair().leading().isRemote();
  }

  private static String effect(Migration migration) {
    Stream<Session> ends =
        migration.pair() == null ? Stream.of() : migration.pair().sessions().stream();
    if (ends.anyMatch(Session::mustFinish)) {
      return ("%s can no longer be stopped: its source has given the guest up, or may have. The window"
              + " stays open until the guest is safe.")
          .formatted(migration.name());
    }
    if (migration.pair() != null && migration.pair().leading().isWatched()) {
      return "%s is no longer watched, but continues.".formatted(migration.name());
    }
    return migration.status() == MigrationStatus.NONE
        ? "%s will stop waiting for a source.".formatted(migration.name())
        : "%s will be cancelled; its guest stays at the source.".formatted(migration.name());
  }

  private void ask(List<String> effects, List<Migration> unsaved) {
    String more =
        effects.size() > MAX_LINES ? "\n… and %d more".formatted(effects.size() - MAX_LINES) : "";
    var text =
        new StringBuilder(effects.stream().limit(MAX_LINES).collect(Collectors.joining("\n")))
            .append(more);
    var choices = new ArrayList<Question.Choice>();
    if (!unsaved.isEmpty()) {
      text.append(effects.isEmpty() ? "" : "\n\n").append(lost(unsaved));
      choices.add(new Question.Choice("question-save", "Save recordings…", this::chooseAndSave));
    }
    choices.add(new Question.Choice("question-yes", quit(effects), this::closeNow));
    Alert alert =
        Question.choose(
            stage,
            "Close Wridscope?",
            text.toString(),
            choices,
            effects.isEmpty() ? "Keep open" : "Keep running");
    question = alert;
    alert.setOnHidden(_ -> question = null);
  }

  private static String quit(List<String> effects) {
    return switch (effects.size()) {
      case 0 -> "Quit without saving";
      case 1 -> "Stop migration and quit";
      default -> "Stop migrations and quit";
    };
  }

  private static String lost(List<Migration> unsaved) {
    return unsaved.size() == 1
        ? "%s is not recorded; what the views show of it is lost when the window closes."
            .formatted(unsaved.getFirst().name())
        : ("%d migrations are not recorded (%s); what the views show of them is lost when the window"
                + " closes.")
            .formatted(
                unsaved.size(),
                Format.listed(unsaved.stream().map(Migration::name).toList(), MAX_LINES));
  }

  private void chooseAndSave() {
    var chooser = new DirectoryChooser();
    chooser.setTitle("Save recordings in");
    recordings.folder().begin(chooser);
    File directory = chooser.showDialog(stage);
    if (directory != null) {
      saveAndClose(directory.toPath());
    }
  }

  /** Records all that is in no file, each in a new file, and closes when all have begun. */
  void saveAndClose(Path directory) {
    var _ =
        recordings
            .saveUnsaved(directory)
            .whenComplete((_, failure) ->
                Platform.runLater(() -> {
                  if (failure == null) {
                    closeNow();
                  } else {
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    notices.tell(BackgroundTasks.sentence(cause));
                  }
                }));
  }

  /** Closes without asking; the window stays open for as long as a guest could be lost. */
  void closeNow() {
    if (closing) {
      return;
    }
    closing = true;
    tasks.cancel();
    stop.run();
    stage.setOnCloseRequest(Event::consume);
    // A window that the desktop has destroyed cannot be given another scene.
    if (stage.isShowing()) {
      cover();
    }
    var refresh = new Timeline(new KeyFrame(REFRESH, _ -> waiting.setText(waitingFor())));
    refresh.setCycleCount(Animation.INDEFINITE);
    refresh.play();
    background.execute(() -> {
      try {
        awaitTask();
        endSessions();
        remembered.write();
      } finally {
        Platform.runLater(() -> {
          refresh.stop();
          stage.setOnCloseRequest(null);
          stage.setOnHidden(null);
          stage.hide();
          closed.run();
        });
      }
    });
  }

  private void endSessions() {
    try {
      manager.close();
    } finally {
      // After the sessions, so that recordings include how they ended.
      recordings.close();
    }
  }

  private void awaitTask() {
    try {
      if (!tasks.awaitEnd(TASK_PATIENCE)) {
        LOG.warn("a task has not ended {} after it was cancelled", TASK_PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Replaces the views and their shortcuts, which no longer work, by what closing waits for. */
  private void cover() {
    var title = new Label("Closing");
    title.getStyleClass().add("ready-title");
    waiting.setText(waitingFor());
    var card = new VBox(14, title, waiting);
    card.getStyleClass().add("ready-card");
    card.setMaxSize(520, Region.USE_PREF_SIZE);
    var cover = new StackPane(card);
    cover.getStyleClass().addAll("ready", "window-root");
    Scene before = stage.getScene();
    cover.setStyle(before.getRoot().getStyle());
    var scene = new Scene(cover, before.getWidth(), before.getHeight());
    scene.getStylesheets().setAll(before.getStylesheets());
    stage.setScene(scene);
    List.copyOf(Window.getWindows()).stream()
        .filter(window -> window instanceof Stage other && stage.equals(other.getOwner()))
        .forEach(Window::hide);
  }

  private String waitingFor() {
    String guests =
        manager.sessions().stream()
            .filter(Session::mustFinish)
            .map(Closing::progress)
            .collect(Collectors.joining("\n"));
    return guests.isEmpty()
        ? "Ending all sessions."
        : "%s\nThe window closes as soon as the guest is safe.".formatted(guests);
  }

  private static String progress(Session session) {
    Wait what = session.telemetry().waitingFor();
    return "%s: the source has given the guest up, or may have.%s"
        .formatted(session.name(), what == null ? "" : " Waiting for %s.".formatted(what.text()));
  }
}
