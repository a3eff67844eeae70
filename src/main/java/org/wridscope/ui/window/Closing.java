// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

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
import javafx.event.Event;
import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonBar;
import javafx.scene.control.ButtonType;
import javafx.scene.control.Label;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;

/**
 * Closes the window: asks when something is under way, has it end, and keeps the window until no
 * guest can be lost. For the JavaFX thread only.
 */
final class Closing {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);
  private static final javafx.util.Duration LOOK = javafx.util.Duration.millis(100);

  /** How long RAM that is being made ready may take to be given up; nobody's guest is in it. */
  private static final Duration TASK_PATIENCE = Duration.ofSeconds(5);

  /** More would not fit the question. */
  private static final int MAX_LINES = 8;

  private final Stage stage;
  private final SessionManager manager;
  private final SessionsModel sessions;
  private final BackgroundTasks tasks;
  private final Executor background;
  private final Runnable stop;
  private final Runnable end;
  private final Runnable closed;
  private final Label waiting = new Label();
  private @Nullable Alert question;
  private boolean closing;

  /**
   * @param stop is run when the window is no longer needed
   * @param end ends all sessions, in the background
   * @param closed is run when all have ended and the window is gone
   */
  Closing(
      Stage stage,
      SessionManager manager,
      SessionsModel sessions,
      BackgroundTasks tasks,
      Executor background,
      Runnable stop,
      Runnable end,
      Runnable closed) {
    this.stage = stage;
    this.manager = manager;
    this.sessions = sessions;
    this.tasks = tasks;
    this.background = background;
    this.stop = stop;
    this.end = end;
    this.closed = closed;
    waiting.setWrapText(true);
    waiting.setMinHeight(Region.USE_PREF_SIZE);
    waiting.setId("closing");
    // Should it vanish without a word, nothing of it must go on unseen.
    stage.setOnHidden(_ -> closeNow());
  }

  /** Asks when something is under way, then closes. */
  void close() {
    if (closing || question != null) {
      return;
    }
    List<String> fates = fates();
    if (fates.isEmpty()) {
      closeNow();
    } else {
      ask(fates);
    }
  }

  /** What becomes of what is under way, a sentence each. */
  private List<String> fates() {
    var fates = new ArrayList<String>();
    if (tasks.isBusy()) {
      fates.add(tasks.what() + " This is given up.");
    }
    sessions.migrations().stream()
        .filter(Migration::running)
        .map(Closing::fate)
        .forEach(fates::add);
    return fates;
  }

  private static String fate(Migration migration) {
    Stream<Session> parts =
        migration.pair() == null ? Stream.of() : migration.pair().sessions().stream();
    if (parts.anyMatch(Session::mustFinish)) {
      return migration.name()
          + " cannot be stopped any more: its source has given the guest up, or may have. The window stays until the guest is safe.";
    }
    return migration.status() == MigrationStatus.NONE
        ? migration.name() + " stops waiting for a source."
        : migration.name() + " is cancelled; its guest stays at the source.";
  }

  private void ask(List<String> fates) {
    var quit =
        new ButtonType(
            fates.size() == 1 ? "Stop migration and quit" : "Stop migrations and quit",
            ButtonBar.ButtonData.OTHER);
    var keep = new ButtonType("Keep running", ButtonBar.ButtonData.CANCEL_CLOSE);
    String more =
        fates.size() > MAX_LINES ? "\n… and %d more".formatted(fates.size() - MAX_LINES) : "";
    var alert =
        new Alert(
            Alert.AlertType.NONE,
            fates.stream().limit(MAX_LINES).collect(Collectors.joining("\n")) + more,
            quit,
            keep);
    question = alert;
    Scene scene = stage.getScene();
    alert.initOwner(stage);
    alert.setTitle("Close Wridscope?");
    alert.getDialogPane().getStylesheets().setAll(scene.getStylesheets());
    alert.getDialogPane().setStyle(scene.getRoot().getStyle());
    var keepButton = (Button) alert.getDialogPane().lookupButton(keep);
    keepButton.setDefaultButton(true);
    alert.setOnShown(_ -> keepButton.requestFocus());
    alert
        .resultProperty()
        .subscribe(result -> {
          if (result == quit) {
            closeNow();
          }
        });
    alert.setOnHidden(_ -> question = null);
    alert.show();
  }

  /** Closes without asking; the window stays for as long as a guest could be lost. */
  void closeNow() {
    if (closing) {
      return;
    }
    closing = true;
    tasks.cancel();
    stop.run();
    stage.setOnCloseRequest(Event::consume);
    cover();
    var look = new Timeline(new KeyFrame(LOOK, _ -> waiting.setText(waitingFor())));
    look.setCycleCount(Animation.INDEFINITE);
    look.play();
    background.execute(() -> {
      try {
        awaitTask();
        end.run();
      } finally {
        Platform.runLater(() -> {
          look.stop();
          stage.setOnCloseRequest(null);
          stage.setOnHidden(null);
          stage.hide();
          closed.run();
        });
      }
    });
  }

  private void awaitTask() {
    try {
      if (!tasks.awaitEnd(TASK_PATIENCE)) {
        LOG.warn("what was being made ready could not be given up");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Puts what is waited for in the place of the views and their shortcuts, which are dead. */
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
        ? "Ending what is under way."
        : guests + "\nThe window closes as soon as the guest is safe.";
  }

  private static String progress(Session session) {
    String what = session.telemetry().waitingFor();
    return "%s: the source has given the guest up, or may have.%s"
        .formatted(session.name(), what == null ? "" : " Waiting for " + what + ".");
  }
}
