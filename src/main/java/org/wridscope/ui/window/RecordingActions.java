// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javafx.application.Platform;
import javafx.stage.FileChooser;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.attach.WridLayoutFile;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.Unpacked;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.qemu.UnknownEndException;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Legible;
import org.wridscope.ui.Question;
import org.wridscope.ui.explain.TextPane;
import org.wridscope.ui.recording.Alignments;
import org.wridscope.ui.recording.Comparison;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.recording.PlayerBar;
import org.wridscope.ui.recording.Recorders;
import org.wridscope.ui.recording.RecordingFiles;
import org.wridscope.ui.recording.Seeking;
import org.wridscope.ui.remembered.RecentFiles;
import org.wridscope.ui.remembered.RecentFolder;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;

/** Opens, makes, replays and compares recordings. All file access is in the background. */
final class RecordingActions {
  private static final Logger LOG = LoggerFactory.getLogger(RecordingActions.class);
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  /** Files with texts that the user has pasted, which only this process needs. */
  private final Set<Path> pasted = ConcurrentHashMap.newKeySet();

  private final Stage stage;
  private final Executor background;
  private final BackgroundTasks tasks;
  private final Notices notices;
  private final SessionsModel sessions;
  private final Supplier<@Nullable Migration> selected;
  private final Consumer<Migration> opened;
  private final Consumer<String> explainer;
  private final OpenRecordings open = new OpenRecordings();
  private final Recorders recorders;
  private final RecentFiles recent;
  private final Alignments alignments = new Alignments();
  private final Seeking seeking;
  private final PlayerBar player;

  /**
   * @param parts of the window; its sessions receive opened migrations
   * @param selected the selected migration
   * @param recent receives the files that were opened or made
   * @param opened called for each opened migration
   * @param explainer explains a text
   */
  RecordingActions(
      Parts parts,
      Supplier<@Nullable Migration> selected,
      RecentFiles recent,
      Consumer<Migration> opened,
      Consumer<String> explainer) {
    stage = parts.stage();
    background = parts.background();
    tasks = parts.tasks();
    notices = parts.notices();
    sessions = parts.sessions();
    this.selected = selected;
    this.recent = recent;
    this.opened = opened;
    this.explainer = explainer;
    recorders =
        new Recorders(
            background, (good, sentence) -> Platform.runLater(() -> notices.tell(good, sentence)));
    seeking = new Seeking(background, Platform::runLater, notices::tell);
    player = new PlayerBar(seeking);
  }

  /** The bar that moves through the shown recording. */
  PlayerBar player() {
    return player;
  }

  /** The sessions of all open recordings. */
  List<Session> sessions() {
    return open.sessions();
  }

  /** Opens recordings and trace logs of QEMU; a source and its destination become one migration. */
  void open(List<Path> files) {
    open(files, Map.of());
  }

  /** Opens a text that the user has pasted: a console or a trace log. */
  void openText(String text) {
    tasks.run(
        "Reading the pasted text.",
        () -> {
          Path folder = Files.createTempDirectory("wridscope-");
          Path file = folder.resolve("pasted text");
          pasted.add(file);
          Files.writeString(file, text);
          folder.toFile().deleteOnExit();
          file.toFile().deleteOnExit();
          return opening(List.of(file), Map.of());
        },
        Runnable::run);
  }

  private void open(List<Path> files, Map<Path, Role> ends) {
    tasks.run(
        "Reading %s.".formatted(files.getFirst().getFileName()),
        () -> opening(files, ends),
        Runnable::run);
  }

  /** Opens a recording of one migration; not for the JavaFX thread. */
  SessionPair read(Path file) throws IOException {
    return open.open(List.of(file)).pairs().getFirst();
  }

  /** Opens files in the background; returns what to do about them in the window. */
  private Runnable opening(List<Path> files, Map<Path, Role> ends) throws IOException {
    try {
      OpenRecordings.Opened found = open.open(files, ends);
      return () -> {
        if (!pasted.containsAll(files)) {
          recent.add(files);
        }
        found.pairs().forEach(pair -> opened.accept(sessions.addRecorded(pair)));
        notices.tell(String.join(" ", found.notes()));
      };
    } catch (UnknownEndException e) {
      return () -> askForEnd(e, files, ends);
    }
  }

  private void askForEnd(UnknownEndException unknown, List<Path> files, Map<Path, Role> ends) {
    Question.choose(
        stage,
        Legible.of("Which end wrote %s?".formatted(unknown.file().getFileName())),
        Legible.of(String.valueOf(unknown.getMessage())),
        List.of(
            new Question.Choice(
                "question-source", "Source", () -> openAs(Role.SOURCE, unknown, files, ends)),
            new Question.Choice(
                "question-destination",
                "Destination",
                () -> openAs(Role.DESTINATION, unknown, files, ends)),
            new Question.Choice(
                "question-explain", "Explain its lines", () -> explainLines(unknown.file()))),
        "Do not open");
  }

  private void explainLines(Path file) {
    tasks.run(
        "Reading %s.".formatted(file.getFileName()),
        () -> {
          try (var in = Unpacked.of(Files.newInputStream(file))) {
            return new String(in.readNBytes(TextPane.LONGEST), StandardCharsets.UTF_8);
          }
        },
        explainer);
  }

  private void openAs(
      Role role, UnknownEndException unknown, List<Path> files, Map<Path, Role> ends) {
    var more = new HashMap<>(ends);
    more.put(unknown.file(), role);
    open(files, more);
  }

  /**
   * Asks for the file that says what the wr_ids of the selected program mean.
   *
   * @param decoded runs when they are known
   */
  void decodeWrids(Runnable decoded) {
    if (tasks.isBusy() || selectedProgram() == null) {
      return;
    }
    var chooser = new FileChooser();
    chooser.setTitle("What the wr_ids of the program mean");
    chooser
        .getExtensionFilters()
        .setAll(
            new FileChooser.ExtensionFilter("JSON", "*.json"),
            new FileChooser.ExtensionFilter("All files", "*"));
    File file = chooser.showOpenDialog(stage);
    if (file != null) {
      decodeWrids(file.toPath(), decoded);
    }
  }

  /** Where recordings were last. */
  RecentFolder folder() {
    return recent.folder();
  }

  /** Decodes the wr_ids of the selected program as a file says. */
  void decodeWrids(Path file, Runnable decoded) {
    SessionPair program = selectedProgram();
    if (program != null) {
      tasks.run(
          "Reading %s.".formatted(Legible.of(String.valueOf(file.getFileName()))),
          () -> WridLayoutFile.read("wr_ids", file),
          layout -> {
            program.sessions().forEach(session -> session.telemetry().setWrids(layout));
            decoded.run();
          });
    }
  }

  /** The selected program; null, with a sentence for the user, if there is none. */
  private @Nullable SessionPair selectedProgram() {
    Migration migration = selected.get();
    SessionPair pair = migration == null ? null : migration.pair();
    if (pair == null || pair.leading().migrates()) {
      notices.tell("Select a program; the wr_ids of migrations are decoded already.");
      return null;
    }
    return pair;
  }

  /** Closes the files of a migration that was removed from the list. */
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

  /** Starts to record the selected migration, to a file that the user chooses, or stops. */
  void toggleRecording() {
    toggleRecording(selected.get());
  }

  /** Starts to record a migration, to a file that the user chooses, or stops. */
  void toggleRecording(@Nullable Migration migration) {
    SessionPair pair = migration == null ? null : migration.pair();
    if (pair != null && recorders.isRecording(pair)) {
      recorders.end(pair);
      return;
    }
    if (pair == null || !pair.leading().isLive()) {
      notices.tell("Select a migration that was started here to record it.");
      return;
    }
    FileChooser chooser = RecordingFiles.chooser("Record the migration in a file");
    recent.folder().begin(chooser);
    chooser.setInitialFileName(RecordingFiles.nameFor(migration));
    File file = chooser.showSaveDialog(stage);
    if (file != null) {
      record(file.toPath(), pair);
    }
  }

  /** Starts to record the selected migration, if it has been started. */
  void record(Path file) {
    Migration migration = selected.get();
    if (migration != null && migration.pair() != null) {
      record(file, migration.pair());
    }
  }

  /** The migrations of this window that are in no file, and can be recorded. */
  List<Migration> unsaved() {
    return sessions.migrations().stream().filter(this::isUnsaved).toList();
  }

  private boolean isUnsaved(Migration migration) {
    SessionPair pair = migration.pair();
    return pair != null
        && pair.leading().isLive()
        // A destination to which no source has come has nothing to show.
        && migration.status() != MigrationStatus.NONE
        // Its Wridscope goes on, and can be attached to again.
        && !pair.leading().isRemote()
        && pair.sessions().stream().anyMatch(session -> session.telemetry().monitored())
        && recorders.isUnsaved(pair);
  }

  /**
   * Starts to record all that is in no file, each in a new file.
   *
   * @return done when all have begun; fails if one cannot, with a sentence for the user
   */
  CompletableFuture<Void> saveUnsaved(Path directory) {
    String now = STAMP.format(LocalDateTime.now(ZoneId.systemDefault()));
    List<Migration> all = unsaved();
    var begun = new ArrayList<CompletableFuture<Recorder>>();
    for (int i = 0; i < all.size(); i++) {
      SessionPair pair = all.get(i).pair();
      if (pair != null) {
        // Two may have the same name.
        Path file =
            directory.resolve("%s-%d-%s".formatted(now, i + 1, RecordingFiles.nameFor(all.get(i))));
        begun.add(
            recorders.begin(Output.of("Recording", file, FileKind.RECORDING).onlyNew(), pair));
      }
    }
    return CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new));
  }

  private void record(Path file, SessionPair pair) {
    recent.add(List.of(file));
    // The file chooser has asked whether an existing file may be replaced.
    var _ = recorders.begin(Output.of("Recording", file, FileKind.RECORDING).replacing(), pair);
  }

  boolean isRecording(@Nullable SessionPair pair) {
    return recorders.isRecording(pair);
  }

  /** A phrase about the running recordings; empty when there are none. */
  String text() {
    return recorders.text();
  }

  /** Ends the recordings of migrations that have ended; to be called repeatedly. */
  void refresh() {
    recorders.refresh();
  }

  /** The selected migration beside another one. */
  Comparison comparison() {
    return comparison(selected.get(), null);
  }

  /**
   * Two migrations side by side.
   *
   * @param right null for any
   */
  Comparison comparison(@Nullable Migration left, @Nullable Migration right) {
    return new Comparison(sessions.migrations(), left, right, seeking, alignments, background);
  }

  /** Ends all recordings and closes all files; from any thread, as the last call. */
  void close() {
    try {
      recorders.close();
      open.close();
    } catch (IOException e) {
      LOG.warn("closing recordings", e);
    }
  }
}
