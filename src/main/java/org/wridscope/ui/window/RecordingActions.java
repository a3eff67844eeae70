// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javafx.application.Platform;
import javafx.stage.FileChooser;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.recording.Comparison;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.recording.Player;
import org.wridscope.ui.recording.PlayerBar;
import org.wridscope.ui.recording.Recorders;
import org.wridscope.ui.recording.RecordingFiles;
import org.wridscope.ui.recording.Seeking;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;

/**
 * What the window does with recordings: opens them and makes them, moves and compares them. All
 * work on files is done in the background.
 */
final class RecordingActions {
  private static final Logger LOG = LoggerFactory.getLogger(RecordingActions.class);

  private final Stage stage;
  private final Executor background;
  private final BackgroundTasks tasks;
  private final Notices notices;
  private final SessionsModel sessions;
  private final Consumer<Migration> opened;
  private final OpenRecordings open = new OpenRecordings();
  private final Recorders recorders;
  private final Seeking seeking;
  private final PlayerBar player;

  /**
   * @param sessions where what was opened is entered
   * @param opened is told of each migration that was opened
   */
  RecordingActions(
      Stage stage,
      Executor background,
      BackgroundTasks tasks,
      Notices notices,
      SessionsModel sessions,
      Consumer<Migration> opened) {
    this.stage = stage;
    this.background = background;
    this.tasks = tasks;
    this.notices = notices;
    this.sessions = sessions;
    this.opened = opened;
    recorders =
        new Recorders(
            background, (good, sentence) -> Platform.runLater(() -> notices.tell(good, sentence)));
    seeking = new Seeking(background, Platform::runLater, notices::tell);
    player = new PlayerBar(seeking);
  }

  /** The bar with which the shown recording is moved. */
  PlayerBar player() {
    return player;
  }

  /** The ends of all recordings that are open. */
  List<Session> sessions() {
    return open.sessions();
  }

  /** Asks which files to open. */
  void open() {
    if (tasks.isBusy()) {
      return;
    }
    List<File> chosen = RecordingFiles.chooser("Open recordings").showOpenMultipleDialog(stage);
    if (chosen != null) {
      open(chosen.stream().map(File::toPath).toList());
    }
  }

  /** Opens recordings and QEMU's trace logs; a source and a destination become one migration. */
  void open(List<Path> files) {
    tasks.run(
        "Reading " + files.getFirst().getFileName() + ".",
        () -> open.open(files),
        (OpenRecordings.Opened found) -> {
          found.pairs().forEach(pair -> opened.accept(sessions.addRecorded(pair)));
          notices.tell(String.join(" ", found.notes()));
        });
  }

  /** Closes the files of a migration that was taken out of the list. */
  void remove(SessionPair pair) {
    seeking.forget(pair);
    background.execute(() -> {
      try {
        open.remove(pair);
      } catch (IOException e) {
        LOG.warn("closing a recording", e);
      }
    });
  }

  /** Begins to record a migration, in a file that is asked for, or ends that. */
  void toggleRecording(@Nullable Migration migration) {
    SessionPair pair = migration == null ? null : migration.pair();
    if (pair != null && recorders.isRecording(pair)) {
      recorders.end(pair);
      return;
    }
    if (pair == null || !Player.recorded(pair).isEmpty()) {
      notices.tell("Select a migration that was started here to record it.");
      return;
    }
    FileChooser chooser = RecordingFiles.chooser("Record the migration in a file");
    chooser.setInitialFileName(RecordingFiles.nameFor(migration));
    File file = chooser.showSaveDialog(stage);
    if (file != null) {
      record(file.toPath(), pair);
    }
  }

  /** Begins to record a migration. */
  void record(Path file, SessionPair pair) {
    // The chooser has asked about a file that exists.
    recorders.begin(Output.of("Recording", file, FileKind.RECORDING).replacing(), pair);
  }

  boolean isRecording(@Nullable SessionPair pair) {
    return recorders.isRecording(pair);
  }

  /** A phrase about what is being recorded, empty when nothing is. */
  String text() {
    return recorders.text();
  }

  /** Ends the recordings of what has ended; called now and then. */
  void refresh() {
    recorders.refresh();
  }

  /** Two migrations side by side. */
  Comparison compare(@Nullable Migration first) {
    return new Comparison(sessions.migrations(), first, seeking);
  }

  /** Ends all recordings and closes all files; by any thread, once nothing else is called. */
  void close() throws IOException {
    recorders.close();
    open.close();
  }
}
