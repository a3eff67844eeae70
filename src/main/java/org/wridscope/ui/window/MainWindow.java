// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.prefs.Preferences;
import java.util.stream.Stream;
import javafx.animation.AnimationTimer;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.Priority;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.Machine;
import org.wridscope.export.Export;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.completions.CompletionCharts;
import org.wridscope.ui.devices.DevicesPane;
import org.wridscope.ui.explain.ExplainView;
import org.wridscope.ui.inspector.Inspector;
import org.wridscope.ui.log.LogView;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.recording.PlayerBar;
import org.wridscope.ui.registrations.RegistrationCharts;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionList;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.virtio.VirtioView;
import org.wridscope.ui.wrids.WridsView;

/**
 * The main window: sessions at the left, views of the selected one in the middle, the inspector at
 * the right. For the JavaFX thread only; whatever may wait goes to the background.
 */
final class MainWindow {
  private static final Logger LOG = LoggerFactory.getLogger(MainWindow.class);
  private static final long TEXT_NANOS = 100_000_000;

  private final Stage stage;
  private final SessionManager manager;
  private final Executor background;
  private final Closing closing;
  private final Theme theme;
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final Analyses analyses = new Analyses();
  private final Presentation presentation;
  private final SessionsModel sessions = new SessionsModel();
  private final Removal removal;
  private final SessionList list;
  private final SteeringBar steering;
  private final ReadyPane ready;
  private final Toolbar toolbar;
  private final StatusLine statusLine = new StatusLine();
  private final Notices notices = new Notices();
  private final BackgroundTasks tasks;
  private final Starting starting;
  private final Exporting exporting;
  private final SideWindows beside;
  private final RecordingActions recordings;
  private final PlayerBar player;
  private final Inspector inspector;
  private final LogView log;
  private final ViewTabs tabs = new ViewTabs();
  private final StackPane centre = new StackPane();
  private final VBox shown;
  private final Node nothing;
  private final Panes panes;
  private final BorderPane root = new BorderPane();
  private final Shortcuts shortcuts = new Shortcuts();
  private final AnimationTimer pulse;
  private @Nullable SessionPair shownPair;
  private long textAt;

  /**
   * Builds the window in a stage, which is not shown yet.
   *
   * @param machine what the doctor examines
   * @param background runs what may wait
   * @param store where choices are remembered
   * @param closed is run when the window was closed and all sessions have ended
   */
  MainWindow(
      Stage stage,
      SessionManager manager,
      Machine machine,
      Executor background,
      Preferences store,
      Runnable closed) {
    this.stage = stage;
    this.manager = manager;
    this.background = background;
    theme = new Theme(store, background);
    tasks = new BackgroundTasks(background, notices, this::busy);
    starting =
        new Starting(
            stage,
            manager,
            background,
            sessions,
            tasks,
            new ScenarioRuns(
                background,
                (good, verdict) -> Platform.runLater(() -> notices.tell(good, verdict))),
            this::show,
            this::started);
    closing =
        new Closing(
            stage, manager, sessions, tasks, background, this::stopMoving, this::end, closed);
    exporting = new Exporting(stage, theme, background, notices);
    beside =
        new SideWindows(
            stage, theme, new DevicesPane(manager, machine, background), starting::startScenario);
    removal = new Removal(sessions, notices, migration -> show(migration), this::closeRemoved);
    list =
        new SessionList(
            sessions,
            new SessionList.Actions(
                starting::startReady, this::cancel, removal::remove, exporting::export));
    steering = new SteeringBar(this::cancel, starting::repeat, starting::canRepeat, tabs::focus);
    ready = new ReadyPane(starting::startReady, starting::changeReady);
    inspector = new Inspector(selection, background);
    recordings = new RecordingActions(stage, background, tasks, notices, sessions, list::select);
    player = recordings.player();
    log = new LogView(range, selection);
    toolbar = new Toolbar(range, theme, commands());
    addViews();
    presentation = new Presentation(analyses, selection, this::forEachView);
    shown = new VBox(steering.node(), player.node(), tabs.node());
    var none = new Label("Start a migration with the buttons above, or select one at the left.");
    none.getStyleClass().add("empty-text");
    var noneBox = new StackPane(none);
    noneBox.getStyleClass().add("empty");
    nothing = noneBox;

    VBox.setVgrow(centre, Priority.ALWAYS);
    var middle = new VBox(notices.node(), exporting.node(), centre);
    middle.setMinWidth(0);
    panes = new Panes(list.node(), middle, inspector.node(), toolbar::inspector);
    root.setTop(toolbar.node());
    root.setCenter(panes.node());
    root.setBottom(statusLine.node());
    root.getStyleClass().add("window-root");

    Scene scene = SideWindows.sceneOf(root, 1280, 800);
    theme.dress(
        scene,
        (_, dark) -> {
          list.theme(dark);
          tabs.forEach(view -> view.theme(dark));
        });
    stage.setScene(scene);
    stage.setTitle("Wridscope");
    stage.setMinWidth(800);
    stage.setMinHeight(480);
    stage.setOnCloseRequest(event -> {
      event.consume();
      close();
    });
    addShortcuts(scene);
    list.selectedProperty().subscribe(_ -> migrationSelected());
    tabs.onChange(() -> textAt = 0);
    range
        .cursorNanosProperty()
        .subscribe(_ ->
            statusLine.cursor(
                range.hasCursor()
                    ? Format.moment(range.cursorNanosProperty().get() - range.originNanos())
                    : ""));
    list.select(starting.addReady("First migration"));
    pulse =
        new AnimationTimer() {
          @Override
          public void handle(long frame) {
            // A frame's own time may be of another clock than telemetry's.
            pulse(System.nanoTime());
          }
        };
  }

  private void addViews() {
    var overview =
        new OverviewView(
            this::clock,
            List.of(
                new OverviewView.Row(1, List.of(Charts.rates(range), Charts.remaining(range))),
                new OverviewView.Row(
                    1.1, List.of(Charts.completions(range), Charts.registrations(range))),
                new OverviewView.Row(1.4, List.of(new ChunksView(selection)))));
    tabs.add(overview, Feather.ACTIVITY, "how far, how fast, and what holds it up");
    tabs.add(
        CompletionCharts.view(range),
        Feather.CHECK_SQUARE,
        "send and receive queues, completions and what is outstanding");
    tabs.add(new ChunksView(selection), Feather.GRID, "the state of every chunk of RAM");
    tabs.add(
        RegistrationCharts.view(range),
        Feather.LOCK,
        "memory regions, the RAM they pin, their cost");
    tabs.add(
        new WridsView(range, selection, analyses),
        Feather.SHUFFLE,
        "every work request from its post to its completion");
    tabs.add(
        new MessagesView(range, selection, analyses),
        Feather.REPEAT,
        "control messages between source and destination");
    tabs.add(new VirtioView(), Feather.HARD_DRIVE, "the guest's virtqueues at both ends");
    tabs.add(
        new ExplainView(range, selection, analyses, tabs::open),
        Feather.MESSAGE_CIRCLE,
        "what happened and why, step by step, and findings");
    tabs.add(log, Feather.LIST, "every event");
  }

  private void forEachView(Consumer<View> action) {
    tabs.forEach(action);
    action.accept(inspector);
  }

  private Toolbar.Commands commands() {
    return new Toolbar.Commands(
        starting::newSource,
        starting::newDestination,
        starting::newLab,
        this::repeatLast,
        beside::scenarios,
        recordings::open,
        this::toggleRecording,
        this::compare,
        this::export,
        this::savePicture,
        beside::devices,
        this::toggleInspector,
        this::help);
  }

  private void addShortcuts(Scene scene) {
    toolbar.addShortcuts(shortcuts);
    shortcuts
        .add("Shortcut+Shift+S", "new source", starting::newSource)
        .add("Shortcut+Shift+D", "new destination", starting::newDestination)
        .add("Shortcut+P", "play a recording, or stop", player::toggle)
        .add("Shortcut+Z", "bring back what was just removed", removal::undo)
        .add("Shortcut+Period", "cancel the selected migration", this::cancelSelected);
    int number = 1;
    for (String title : tabs.titles()) {
      shortcuts.add("Shortcut+" + number++, title, () -> tabs.open(title));
    }
    shortcuts
        .add("Shortcut+Page_Down", "next view", () -> tabs.step(1))
        .add("Shortcut+Page_Up", "previous view", () -> tabs.step(-1))
        .add("Shortcut+Equals", "show less time", () -> zoom(0.5))
        .add("Shortcut+Minus", "show more time", () -> zoom(2))
        .add("Shortcut+F", "filter the log", this::filterLog)
        .add("Shortcut+I", "show or hide the inspector", this::toggleInspector)
        .add("Shortcut+D", "devices and doctor", beside::devices)
        .add("Shortcut+T", "dark or light", theme::toggle)
        .add("Shortcut+Q", "close the window", this::close)
        .add("F1", "this page", this::help);
    shortcuts.install(scene);
    scene.addEventHandler(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (event.getCode() == KeyCode.ESCAPE) {
            selection.select(null);
          }
        });
  }

  /** Shows the window and begins to move. */
  void show() {
    stage.show();
    ready.focus();
    pulse.start();
  }

  private void toggleInspector() {
    panes.toggleInspector();
  }

  private void help() {
    shortcuts.help(stage);
  }

  private void filterLog() {
    tabs.open(log.title());
    log.focusFilter();
  }

  private void zoom(double factor) {
    range.zoom(factor, range.hasCursor() ? range.cursorNanosProperty().get() : middle());
  }

  private long middle() {
    return range.leftNanos() + range.shownNanos() / 2;
  }

  // ---- the pulse

  private long clock(long nowNanos) {
    Migration selected = list.selected();
    return selected == null ? nowNanos : selected.clock(nowNanos);
  }

  private void pulse(long now) {
    if (now - textAt >= TEXT_NANOS) {
      textAt = now;
      texts(now);
    }
    player.pulse(now);
    moveTime(now);
    if (shownPair == null || stage.isIconified()) {
      return;
    }
    presentation.refresh();
    View view = tabs.shown();
    if (view != null) {
      view.pulse(now);
    }
    if (panes.hasInspector()) {
      inspector.pulse(now);
    }
  }

  private void moveTime(long now) {
    Migration selected = list.selected();
    if (player.hasRecording() && range.spanNanosProperty().get() == TimeRange.WHOLE) {
      range.standStill(player.lastNanos());
    } else if (player.isPlaying() || (selected != null && selected.running())) {
      range.update(clock(now));
    } else {
      range.standStill(clock(now));
    }
  }

  /** Those that run or ran here, and those out of recordings. */
  private List<Session> allSessions() {
    return Stream.concat(manager.sessions().stream(), recordings.sessions().stream()).toList();
  }

  private void texts(long now) {
    if (!tasks.isBusy()) {
      sessions.refresh(allSessions(), now);
    } else {
      sessions.sample(allSessions(), now);
    }
    recordings.refresh();
    Migration selected = list.selected();
    if (selected == null && !sessions.migrations().isEmpty()) {
      list.select(sessions.migrations().getLast());
    } else if (selected != null && !Objects.equals(selected.pair(), shownPair)) {
      // It was started, or its other end has appeared.
      migrationSelected();
    }
    if (shownPair != null && shownPair.originNanos() != range.originNanos()) {
      // A destination that waited has a source now.
      range.reset(shownPair.originNanos());
    }
    list.refresh();
    steering.refresh();
    statusLine.refresh(shownPair);
    statusLine.recording(recordings.text());
    toolbar.recording(recordings.isRecording(shownPair));
  }

  private void migrationSelected() {
    Migration selected = list.selected();
    SessionPair pair = selected == null ? null : selected.pair();
    shownPair = pair;
    if (selected != null && pair != null) {
      range.reset(pair.originNanos());
      steering.show(selected);
    }
    player.show(pair);
    moveTime(System.nanoTime());
    presentation.show(pair);
    if (pair != null) {
      centre.getChildren().setAll(shown);
    } else if (selected != null) {
      ready.show(selected);
      centre.getChildren().setAll(ready.node());
      ready.focus();
    } else {
      centre.getChildren().setAll(nothing);
    }
  }

  // ---- recordings

  /** Opens recordings and QEMU's trace logs; a source and a destination become one migration. */
  void openRecordings(List<Path> files) {
    recordings.open(files);
  }

  /** Begins to record the migration that is selected. */
  void record(Path file) {
    Migration selected = list.selected();
    if (selected != null && selected.pair() != null) {
      recordings.record(file, selected.pair());
    }
  }

  private void toggleRecording() {
    recordings.toggleRecording(list.selected());
  }

  private void compare() {
    beside.compare(recordings.compare(list.selected()));
  }

  // ---- exports and pictures

  private void export(Export export) {
    Migration selected = list.selected();
    if (selected != null) {
      exporting.export(selected, export);
    }
  }

  private void savePicture() {
    exporting.savePicture(list.selected(), tabs.shown());
  }

  Exporting exporting() {
    return exporting;
  }

  /** The view whose tab is selected. */
  @Nullable View currentView() {
    return tabs.shown();
  }

  // ---- starting and steering

  private void repeatLast() {
    starting.repeatLast(list.selected());
  }

  /** Shows a migration that was started just now. */
  private void show(Migration migration) {
    list.select(migration);
    migrationSelected();
    // The button that had the keyboard is gone, and it would wander into the toolbar.
    tabs.focus();
  }

  private void started(Session session) {
    sessions.refresh(allSessions(), System.nanoTime());
    Migration migration = sessions.find(session);
    if (migration != null) {
      list.select(migration);
    }
  }

  /** Something is being made ready; empty when that is done. */
  private void busy(String what) {
    if (!what.isEmpty()) {
      // Buttons are disabled meanwhile, and the keyboard would wander on to any that is not.
      list.node().requestFocus();
    }
    toolbar.busy(!what.isEmpty());
    ready.busy(what);
  }

  private void cancelSelected() {
    Migration selected = list.selected();
    if (selected != null) {
      cancel(selected);
    }
  }

  private void cancel(Migration migration) {
    SessionPair pair = migration.pair();
    if (pair != null && migration.running()) {
      pair.leading().cancel();
    }
  }

  /** Closes what is out of the list for good. */
  private void closeRemoved(Migration migration) {
    starting.forget(migration);
    SessionPair pair = migration.pair();
    if (pair == null) {
      return;
    }
    if (migration.recorded()) {
      recordings.remove(pair);
      return;
    }
    background.execute(() -> pair.sessions().forEach(manager::remove));
  }

  // ---- closing

  /** Asks when something is under way, then ends it and the window. */
  void close() {
    closing.close();
  }

  /** Ends the window and all sessions without asking. */
  void closeNow() {
    closing.closeNow();
  }

  private void stopMoving() {
    pulse.stop();
    removal.stop();
    exporting.cancel();
    theme.close();
  }

  /** Ends all that the window has; in the background. */
  private void end() {
    try {
      manager.close();
    } finally {
      // The end of a session that was cancelled just now is recorded too.
      closeRecordings();
    }
  }

  private void closeRecordings() {
    try {
      recordings.close();
    } catch (IOException e) {
      LOG.warn("closing recordings", e);
    }
  }
}
