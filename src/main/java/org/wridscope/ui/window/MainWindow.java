// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.prefs.Preferences;
import java.util.stream.Stream;
import javafx.animation.AnimationTimer;
import javafx.application.Platform;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.geometry.Rectangle2D;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.SnapshotParameters;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonBar;
import javafx.scene.control.ButtonType;
import javafx.scene.control.Label;
import javafx.scene.control.ProgressIndicator;
import javafx.scene.control.SplitPane;
import javafx.scene.image.Image;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.scene.transform.Transform;
import javafx.stage.FileChooser;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.util.Subscription;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.export.Ends;
import org.wridscope.export.Export;
import org.wridscope.recording.RecordedSession;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.completions.CompletionsView;
import org.wridscope.ui.devices.DevicesPane;
import org.wridscope.ui.explain.ExplainView;
import org.wridscope.ui.export.ExportBar;
import org.wridscope.ui.export.ExportFiles;
import org.wridscope.ui.inspector.Inspector;
import org.wridscope.ui.log.LogView;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.recording.Comparison;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.recording.Player;
import org.wridscope.ui.recording.PlayerBar;
import org.wridscope.ui.recording.Recorders;
import org.wridscope.ui.recording.RecordingFiles;
import org.wridscope.ui.registrations.RegistrationsView;
import org.wridscope.ui.scenarios.ScenariosPane;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionList;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.settings.SettingsForm;
import org.wridscope.ui.settings.StartDialog;
import org.wridscope.ui.virtio.VirtioView;
import org.wridscope.ui.wrids.WridsView;
import org.wridscope.verbs.DeviceDescription;

/**
 * The main window: sessions at the left, views of the selected one in the middle, the inspector at
 * the right. For the JavaFX thread only; whatever may wait goes to the background.
 */
final class MainWindow {
  private static final PseudoClass GOOD = PseudoClass.getPseudoClass("good");
  private static final Logger LOG = LoggerFactory.getLogger(MainWindow.class);
  private static final long TEXT_NANOS = 100_000_000;

  /** Narrower windows begin without the inspector. */
  private static final double NARROW = 1100;

  private final Stage stage;
  private final SessionManager manager;
  private final Executor background;
  private final Runnable closed;
  private final Theme theme;
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final Analyses analyses = new Analyses();
  private final SessionsModel sessions = new SessionsModel();
  private final Map<Migration, LabSettings> startedWith = new HashMap<>();
  private final SessionList list;
  private final SteeringBar steering;
  private final ReadyPane ready;
  private final Toolbar toolbar;
  private final StatusLine statusLine = new StatusLine();
  private final OpenRecordings recordings = new OpenRecordings();
  private final Recorders recorders;
  private final ExportBar exports;
  private final PlayerBar player = new PlayerBar(this::tell);
  private final Inspector inspector;
  private final LogView log;
  private final DevicesPane devices;
  private final ScenarioRuns scenarioRuns;
  private final ViewTabs tabs = new ViewTabs();
  private final Label banner = new Label();
  private final HBox bannerBox;
  private final Label busyLabel = new Label();
  private final HBox busyBox;
  private final StackPane centre = new StackPane();
  private final VBox shown;
  private final Node nothing;
  private final SplitPane split;
  private final BorderPane root = new BorderPane();
  private final Shortcuts shortcuts = new Shortcuts();
  private final AnimationTimer pulse;
  private LabSettings lastLab = new SettingsForm(SettingsForm.Kind.LAB).lab();
  private @Nullable SessionPair shownPair;
  private @Nullable Stage devicesStage;
  private @Nullable Stage scenariosStage;
  private long textAt;
  private long countedAt;
  private int frames;
  private double framesPerSecond;
  private String starting = "";
  private boolean closing;
  private int rewinds;
  private boolean inspectorWanted = true;

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
    this.closed = closed;
    theme = new Theme(store);
    devices = new DevicesPane(manager, machine, background);
    list =
        new SessionList(
            sessions,
            new SessionList.Actions(this::startReady, this::cancel, this::remove, this::export));
    steering = new SteeringBar(this::cancel, this::repeat);
    ready = new ReadyPane(this::startReady, this::changeReady);
    inspector = new Inspector(selection, background);
    scenarioRuns =
        new ScenarioRuns(
            background, (good, verdict) -> Platform.runLater(() -> tell(good, verdict)));
    recorders = new Recorders(background, outcome -> Platform.runLater(() -> tell(outcome)));
    exports = new ExportBar(background, this::tell);
    log = new LogView(range, selection);
    toolbar = new Toolbar(range, theme, commands());
    addViews();
    shown = new VBox(steering.node(), player.node(), tabs.node());
    var none = new Label("Start a migration with the buttons above, or select one at the left.");
    none.getStyleClass().add("empty-text");
    var noneBox = new StackPane(none);
    noneBox.getStyleClass().add("empty");
    nothing = noneBox;

    var close = new Button("", new FontIcon(Feather.X));
    close.getStyleClass().addAll("flat", "button-icon", "small");
    close.setAccessibleText("Close this message");
    banner.setWrapText(true);
    banner.setId("banner");
    banner.setMaxWidth(Double.MAX_VALUE);
    banner.setMinHeight(Region.USE_PREF_SIZE);
    HBox.setHgrow(banner, Priority.ALWAYS);
    bannerBox = new HBox(8, banner, close);
    bannerBox.setAlignment(Pos.CENTER_LEFT);
    bannerBox.getStyleClass().add("banner");
    close.setOnAction(_ -> tell(""));
    tell("");
    var progress = new ProgressIndicator();
    progress.setPrefSize(16, 16);
    busyBox = new HBox(8, progress, busyLabel);
    busyBox.setAlignment(Pos.CENTER_LEFT);
    busyBox.getStyleClass().add("busy");
    busy("");

    VBox.setVgrow(centre, Priority.ALWAYS);
    var middle = new VBox(bannerBox, busyBox, exports.node(), centre);
    middle.setMinWidth(0);
    split = new SplitPane(list.node(), middle);
    SplitPane.setResizableWithParent(list.node(), false);
    SplitPane.setResizableWithParent(inspector.node(), false);
    root.setTop(toolbar.node());
    root.setCenter(split);
    root.setBottom(statusLine.node());
    root.getStyleClass().add("window-root");

    var scene = sceneOf(root, 1280, 800);
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
    scene
        .widthProperty()
        .subscribe((before, now) -> widthChanged(before.doubleValue(), now.doubleValue()));
    range
        .cursorNanosProperty()
        .subscribe(_ ->
            statusLine.cursor(
                range.hasCursor()
                    ? Format.moment(range.cursorNanosProperty().get() - range.originNanos())
                    : ""));
    list.select(sessions.addReady("First migration", lastLab));
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
        new CompletionsView(range),
        Feather.CHECK_SQUARE,
        "send and receive queues, completions and what is outstanding");
    tabs.add(new ChunksView(selection), Feather.GRID, "the state of every chunk of RAM");
    tabs.add(
        new RegistrationsView(range), Feather.LOCK, "memory regions, the RAM they pin, their cost");
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

  private Toolbar.Commands commands() {
    return new Toolbar.Commands(
        this::newSource,
        this::newDestination,
        this::newLab,
        this::repeatLast,
        this::scenarios,
        this::openRecordings,
        this::toggleRecording,
        this::compare,
        this::export,
        this::savePicture,
        this::devices,
        this::toggleInspector,
        this::help);
  }

  private void addShortcuts(Scene scene) {
    shortcuts
        .add("Shortcut+L", "new lab migration", this::newLab)
        .add("Shortcut+R", "repeat the last lab migration", this::repeatLast)
        .add("Shortcut+Shift+S", "new source", this::newSource)
        .add("Shortcut+Shift+D", "new destination", this::newDestination)
        .add("Shortcut+O", "open recordings", this::openRecordings)
        .add("Shortcut+Shift+R", "record the selected migration", this::toggleRecording)
        .add("Shortcut+E", "export a report of the selected migration", this::exportReport)
        .add("Shortcut+S", "save a picture of the view", this::savePicture)
        .add("Shortcut+P", "play a recording, or stop", player::toggle)
        .add("Shortcut+Period", "cancel the selected migration", this::cancelSelected);
    int number = 1;
    for (String title : tabs.titles()) {
      shortcuts.add("Shortcut+" + number++, title, () -> tabs.open(title));
    }
    shortcuts
        .add("Shortcut+Page_Down", "next view", () -> tabs.step(1))
        .add("Shortcut+Page_Up", "view before", () -> tabs.step(-1))
        .add("Shortcut+H", "follow or hold the time", toolbar::toggleFollow)
        .add("Shortcut+0", "show the whole migration", toolbar::whole)
        .add("Shortcut+Equals", "show less time", () -> zoom(0.5))
        .add("Shortcut+Minus", "show more time", () -> zoom(2))
        .add("Shortcut+F", "filter the log", this::filterLog)
        .add("Shortcut+I", "show or hide the inspector", this::toggleInspector)
        .add("Shortcut+D", "devices and doctor", this::devices)
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
    showInspector(stage.getScene().getWidth() >= NARROW);
    // Dividers mean a share of the width, which is known after the first layout.
    Platform.runLater(this::arrange);
    pulse.start();
  }

  private void arrange() {
    double width = Math.max(1, split.getWidth() > 0 ? split.getWidth() : root.getWidth());
    double left = width < NARROW ? 200 : 236;
    if (inspectorShown()) {
      split.setDividerPositions(left / width, 1 - (width < NARROW ? 230 : 284) / width);
    } else {
      split.setDividerPositions(left / width);
    }
  }

  private boolean inspectorShown() {
    return split.getItems().contains(inspector.node());
  }

  private void toggleInspector() {
    inspectorWanted = !inspectorShown();
    showInspector(inspectorWanted);
  }

  private void showInspector(boolean wanted) {
    if (!wanted) {
      split.getItems().remove(inspector.node());
    } else if (!inspectorShown()) {
      split.getItems().add(inspector.node());
    }
    toolbar.inspector(inspectorShown());
    arrange();
  }

  /** A window that becomes narrow gives the inspector's room to the views. */
  private void widthChanged(double before, double now) {
    if (stage.isShowing() && now < NARROW != before < NARROW) {
      showInspector(now >= NARROW && inspectorWanted);
    }
  }

  private void help() {
    shortcuts.help(stage);
  }

  /** Shows the devices and what the doctor finds, in a window beside this one. */
  private void devices() {
    if (devicesStage == null) {
      devicesStage = beside("Wridscope: devices and doctor", devices.node());
    }
    devicesStage.show();
    devicesStage.toFront();
    devices.refresh();
  }

  /** Shows the scenarios, in a window beside this one. */
  private void scenarios() {
    if (scenariosStage == null) {
      scenariosStage =
          beside("Wridscope: scenarios", new ScenariosPane(this::startScenario).node());
    }
    scenariosStage.show();
    scenariosStage.toFront();
  }

  /** A scene of this size, or of what the screen has. */
  private static Scene sceneOf(Parent content, double width, double height) {
    Rectangle2D screen = Screen.getPrimary().getVisualBounds();
    return new Scene(
        content, Math.min(width, screen.getWidth()), Math.min(height, screen.getHeight()));
  }

  private Stage beside(String title, Parent content) {
    var shown = new Stage();
    var scene = sceneOf(content, 780, 640);
    theme.dress(scene, (_, _) -> {});
    scene.addEventHandler(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (event.getCode() == KeyCode.ESCAPE) {
            shown.hide();
          }
        });
    shown.setScene(scene);
    shown.setTitle(title);
    shown.initOwner(stage);
    shown.setMinWidth(560);
    shown.setMinHeight(420);
    return shown;
  }

  private void startScenario(Scenario scenario) {
    if (!starting.isEmpty()) {
      return;
    }
    int run = scenarioRuns.next(scenario);
    start(
        "Starting %s.".formatted(scenario.title()),
        () -> manager.startLab(scenario.lab(), scenario.faults(run)),
        (Lab lab) -> {
          list.select(sessions.addLab(lab, null));
          migrationSelected();
          scenarioRuns.watch(scenario, run, lab);
        });
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
    frames++;
    if (now - textAt >= TEXT_NANOS) {
      textAt = now;
      texts(now);
    }
    player.pulse(now);
    boolean whole = range.spanNanosProperty().get() == TimeRange.WHOLE;
    range.update(player.hasRecording() && whole ? player.lastNanos() : clock(now));
    if (shownPair == null || stage.isIconified()) {
      return;
    }
    int wound = rewinds(shownPair);
    if (wound != rewinds) {
      // What views have read is partly of a time that has not come yet.
      rewinds = wound;
      showInViews(shownPair);
    }
    View view = tabs.shown();
    if (view != null) {
      view.pulse(now);
    }
    if (inspectorShown()) {
      inspector.pulse(now);
    }
  }

  private static int rewinds(SessionPair pair) {
    return Player.recorded(pair).stream().mapToInt(RecordedSession::rewinds).sum();
  }

  /** Those that run or ran here, and those out of recordings. */
  private List<Session> allSessions() {
    return Stream.concat(manager.sessions().stream(), recordings.sessions().stream()).toList();
  }

  private void texts(long now) {
    if (starting.isEmpty()) {
      sessions.refresh(allSessions(), now);
    } else {
      sessions.sample(allSessions(), now);
    }
    recorders.refresh();
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
    if (now - countedAt >= 10 * TEXT_NANOS) {
      framesPerSecond = frames * 1e9 / (now - countedAt);
      countedAt = now;
      frames = 0;
    }
    statusLine.refresh(shownPair, framesPerSecond);
    statusLine.recording(recorders.text());
    toolbar.recording(recorders.isRecording(shownPair));
  }

  private void migrationSelected() {
    Migration selected = list.selected();
    SessionPair pair = selected == null ? null : selected.pair();
    selection.select(null);
    shownPair = pair;
    if (selected != null && pair != null) {
      range.reset(pair.originNanos());
      range.update(selected.clock(System.nanoTime()));
      steering.show(selected, startedWith.containsKey(selected));
    }
    player.show(pair);
    rewinds = pair == null ? 0 : rewinds(pair);
    analyses.keepOnly(pair);
    showInViews(pair);
    inspector.show(pair);
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

  private void showInViews(@Nullable SessionPair pair) {
    tabs.forEach(view -> view.show(pair));
  }

  // ---- recordings

  private void openRecordings() {
    if (!starting.isEmpty()) {
      return;
    }
    List<File> chosen = RecordingFiles.chooser("Open recordings").showOpenMultipleDialog(stage);
    if (chosen != null) {
      openRecordings(chosen.stream().map(File::toPath).toList());
    }
  }

  /** Opens recordings and QEMU's trace logs; a source and a destination become one migration. */
  void openRecordings(List<Path> files) {
    start(
        "Reading " + files.getFirst().getFileName() + ".",
        () -> recordings.open(files),
        (OpenRecordings.Opened opened) -> {
          opened.pairs().forEach(pair -> list.select(sessions.addRecorded(pair)));
          tell(String.join(" ", opened.notes()));
        });
  }

  private void toggleRecording() {
    SessionPair pair = shownPair;
    if (recorders.isRecording(pair) && pair != null) {
      recorders.end(pair);
      return;
    }
    if (pair == null || !Player.recorded(pair).isEmpty()) {
      tell("Select a migration that was started here to record it.");
      return;
    }
    FileChooser chooser = RecordingFiles.chooser("Record the migration in a file");
    chooser.setInitialFileName(RecordingFiles.nameFor(list.selected()));
    File file = chooser.showSaveDialog(stage);
    if (file != null) {
      try {
        recorders.begin(file.toPath(), pair);
      } catch (IllegalArgumentException e) {
        tell(sentence(e));
      }
    }
  }

  private void compare() {
    var comparison = new Comparison(sessions.migrations(), list.selected(), this::tell);
    var window = new Stage();
    var scene = sceneOf(comparison.node(), 1280, 760);
    Subscription dressed = theme.dress(scene, (_, dark) -> comparison.theme(dark));
    window.setScene(scene);
    window.setTitle("Wridscope: two migrations side by side");
    window.initOwner(stage);
    window.setOnHidden(_ -> {
      comparison.stop();
      dressed.unsubscribe();
    });
    window.show();
    comparison.start();
  }

  // ---- exports and pictures

  private void exportReport() {
    export(Export.choices().getFirst());
  }

  private void export(Export export) {
    Migration selected = list.selected();
    if (selected != null) {
      export(selected, export);
    }
  }

  private void export(Migration migration, Export export) {
    SessionPair pair = migration.pair();
    if (pair == null) {
      tell("Start this migration, or select another one, to export it.");
      return;
    }
    try {
      Path file = ExportFiles.ask(stage, export, migration.name());
      if (file != null) {
        export(pair, export, file);
      }
    } catch (IllegalArgumentException e) {
      tell(sentence(e));
    }
  }

  /** Exports a migration, all of it, as far as it has come. */
  void export(SessionPair pair, Export export, Path file) {
    tell("");
    exports.export(export, new Ends(pair.source(), pair.destination()), file);
  }

  private void savePicture() {
    Migration selected = list.selected();
    View view = currentView();
    if (selected == null || shownPair == null || view == null) {
      tell("Start a migration, or select one that was, to save a picture of a view.");
      return;
    }
    // What is seen now, and not when the file has been chosen.
    Image image = picture(view);
    try {
      Path file = ExportFiles.askForPicture(stage, selected.name(), view.title());
      if (file != null) {
        savePicture(image, file);
      }
    } catch (IllegalArgumentException e) {
      tell(sentence(e));
    }
  }

  /** The view as it is seen, in the screen's own pixels. */
  Image picture(View view) {
    var how = new SnapshotParameters();
    how.setFill(Palette.GROUND.color(theme.darkProperty().get()));
    how.setTransform(Transform.scale(stage.getRenderScaleX(), stage.getRenderScaleY()));
    return view.node().snapshot(how, null);
  }

  void savePicture(Image image, Path file) {
    tell("");
    exports.picture(image, file);
  }

  /** The view whose tab is selected. */
  @Nullable View currentView() {
    return tabs.shown();
  }

  // ---- starting and steering

  private void newLab() {
    if (!starting.isEmpty()) {
      return;
    }
    new StartDialog(stage, SettingsForm.of(lastLab), "Start", form -> startLab(form.lab(), null))
        .show();
  }

  private void repeatLast() {
    if (!starting.isEmpty()) {
      return;
    }
    Migration selected = list.selected();
    if (selected != null && selected.settings() != null) {
      startReady(selected);
    } else {
      startLab(lastLab, null);
    }
  }

  private void repeat(Migration migration) {
    LabSettings settings = startedWith.get(migration);
    if (settings != null && starting.isEmpty()) {
      startLab(settings, null);
    }
  }

  private void changeReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null) {
      new StartDialog(
              stage, SettingsForm.of(settings), "Start", form -> startLab(form.lab(), migration))
          .show();
    }
  }

  private void startReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null && starting.isEmpty()) {
      startLab(settings, migration);
    }
  }

  private void startLab(LabSettings settings, @Nullable Migration from) {
    lastLab = settings;
    start(
        "Making " + memory(settings.guest()) + " ready for the guest, at both ends.",
        () -> manager.startLab(settings),
        (Lab lab) -> {
          Migration migration = sessions.addLab(lab, from);
          startedWith.put(migration, settings);
          list.select(migration);
          migrationSelected();
          // The button that had the keyboard is gone, and it would wander into the toolbar.
          tabs.focus();
        });
  }

  private void newSource() {
    if (!starting.isEmpty()) {
      return;
    }
    show(
        new StartDialog(
            stage,
            new SettingsForm(SettingsForm.Kind.SOURCE),
            "Start",
            form -> {
              var settings = form.source();
              start(
                  "Making " + memory(settings.guest()) + " ready for the guest.",
                  () -> manager.startSource(settings),
                  this::started);
            }));
  }

  /** Shows a dialog, and offers it the devices as soon as they are known. */
  private void show(StartDialog dialog) {
    dialog.show();
    background.execute(() -> {
      try {
        List<String> names =
            manager.devices().installed().stream().map(DeviceDescription::name).toList();
        Platform.runLater(() -> dialog.offerDevices(names));
      } catch (IOException e) {
        LOG.warn("devices cannot be listed: {}", e.getMessage());
      }
    });
  }

  private void newDestination() {
    if (!starting.isEmpty()) {
      return;
    }
    show(
        new StartDialog(
            stage,
            new SettingsForm(SettingsForm.Kind.DESTINATION),
            "Listen",
            form -> {
              var settings = form.destination();
              start(
                  "Making " + memory(settings.guest()) + " ready for the guest to come.",
                  () -> manager.startDestination(settings),
                  this::started);
            }));
  }

  private void started(Session session) {
    sessions.refresh(allSessions(), System.nanoTime());
    Migration migration = sessions.find(session);
    if (migration != null) {
      list.select(migration);
    }
  }

  /** What starts a session; it may wait. */
  @FunctionalInterface
  private interface Starter<T> {
    T start() throws IOException;
  }

  private static String memory(GuestSettings guest) {
    return switch (guest) {
      case GuestSettings.Synthetic synthetic -> Format.bytes(synthetic.ramBytes()) + " of RAM";
      case GuestSettings.Image image -> Format.bytes(image.ramBytes()) + " of RAM";
      case GuestSettings.Capture capture -> "the file " + capture.file();
      case GuestSettings.Restore restore -> "the file " + restore.file();
    };
  }

  private <T> void start(String what, Starter<T> starter, Consumer<T> started) {
    tell("");
    // Buttons are disabled meanwhile, and the keyboard would wander on to any that is not.
    list.node().requestFocus();
    busy(what);
    background.execute(() -> {
      try {
        T result = starter.start();
        Platform.runLater(() -> {
          busy("");
          started.accept(result);
        });
      } catch (IOException | RuntimeException e) {
        if (e instanceof RuntimeException) {
          LOG.error("starting a session", e);
        }
        Platform.runLater(() -> {
          busy("");
          tell(sentence(e));
        });
      }
    });
  }

  private static String sentence(Exception e) {
    String message = e.getMessage();
    return message == null || message.isBlank()
        ? "It could not be started: " + e.getClass().getSimpleName() + "."
        : message;
  }

  /** Says what is being made ready; empty when that is done. Only one thing at a time is. */
  private void busy(String what) {
    starting = what;
    toolbar.busy(!what.isEmpty());
    ready.busy(what);
    busyLabel.setText(what);
    busyBox.setVisible(!what.isEmpty());
    busyBox.setManaged(!what.isEmpty());
  }

  /** Says what went wrong above the views; empty to say nothing. */
  private void tell(String sentence) {
    tell(false, sentence);
  }

  /** Says above the views what came of something. */
  private void tell(boolean good, String sentence) {
    banner.setGraphic(new FontIcon(good ? Feather.CHECK_CIRCLE : Feather.ALERT_TRIANGLE));
    bannerBox.pseudoClassStateChanged(GOOD, good);
    banner.setText(sentence);
    bannerBox.setVisible(!sentence.isEmpty());
    bannerBox.setManaged(!sentence.isEmpty());
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

  private void remove(Migration migration) {
    SessionPair pair = migration.pair();
    if (pair == null) {
      sessions.discard(migration);
      return;
    }
    if (migration.running()) {
      return;
    }
    startedWith.remove(migration);
    if (migration.recorded()) {
      try {
        recordings.remove(pair);
      } catch (IOException e) {
        LOG.warn("closing a recording", e);
      }
      return;
    }
    background.execute(() -> pair.sessions().forEach(manager::remove));
  }

  // ---- closing

  /** Asks when migrations are running, then ends them and the window. */
  void close() {
    if (closing) {
      return;
    }
    long running = sessions.migrations().stream().filter(Migration::running).count();
    if (running == 0) {
      closeNow();
      return;
    }
    var cancelAndClose = new ButtonType("Cancel and close", ButtonBar.ButtonData.OK_DONE);
    var keep = new ButtonType("Keep running", ButtonBar.ButtonData.CANCEL_CLOSE);
    var question =
        new Alert(
            Alert.AlertType.NONE,
            (running == 1 ? "A migration is running." : running + " migrations are running.")
                + " Closing the window cancels what has not switched over.",
            cancelAndClose,
            keep);
    question.initOwner(stage);
    question.setTitle("Close Wridscope?");
    question.getDialogPane().getStylesheets().setAll(stage.getScene().getStylesheets());
    question.getDialogPane().setStyle(root.getStyle());
    question
        .resultProperty()
        .subscribe(result -> {
          if (result == cancelAndClose) {
            closeNow();
          }
        });
    question.show();
  }

  /** Ends the window and all sessions without asking. */
  void closeNow() {
    if (closing) {
      return;
    }
    closing = true;
    pulse.stop();
    exports.cancel();
    theme.close();
    stage.setOnCloseRequest(null);
    stage.hide();
    background.execute(() -> {
      try {
        recorders.close();
        recordings.close();
        manager.close();
      } catch (IOException e) {
        LOG.warn("closing recordings", e);
      } finally {
        Platform.runLater(closed);
      }
    });
  }
}
