// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javafx.animation.PauseTransition;
import javafx.application.Platform;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.geometry.Insets;
import javafx.geometry.Pos;
import javafx.scene.Scene;
import javafx.scene.control.Menu;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.input.Clipboard;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.stage.FileChooser;
import javafx.stage.Stage;
import javafx.util.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.aftermath.Aftermath;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.guard.Recovery;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.libvirt.SystemLibvirt;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Magnifier;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Readings;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.devices.DevicesPane;
import org.wridscope.ui.explain.TextPane;
import org.wridscope.ui.help.HelpPane;
import org.wridscope.ui.inspector.Inspector;
import org.wridscope.ui.log.LogView;
import org.wridscope.ui.recording.Comparison;
import org.wridscope.ui.recording.RecordingFiles;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.remembered.RecentFiles;
import org.wridscope.ui.remembered.RecentQueries;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.search.SearchBar;
import org.wridscope.ui.sessions.Grouping;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionList;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.settings.LastInputs;
import org.wridscope.ui.settings.Profiles;
import org.wridscope.ui.stepping.Tour;
import org.wridscope.ui.waiting.WaitingPane;

/**
 * The main window: sessions at the left, views of the selected one in the middle, the inspector at
 * the right. For the JavaFX thread only; work that may block runs in the background.
 */
final class MainWindow {
  private static final String PROGRAM = "Wridscope";

  /** Between two views that are made before they are needed. */
  private static final Duration PREPARING = Duration.millis(100);

  private static final String OFFER_SAVING = "Offer to save unrecorded migrations when closing";
  private static final String STATUS_DETAILS = "Frame rate and memory in the status bar";

  private final Stage stage;
  private final SessionManager manager;
  private final Executor background;
  private final Remembered remembered;
  private final Theme theme;
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final Readings readings = new Readings();
  private final SessionsModel sessions = new SessionsModel(readings);
  private final Notices notices = new Notices();
  private final BackgroundTasks tasks;
  private final Starting starting;
  private final RecordingActions recordings;
  private final SteppingActions stepping;
  private final BooleanProperty offerSaving;
  private final BooleanProperty compactList;
  private final ObjectProperty<Grouping> grouping;
  private final RecentFiles recentFiles;
  private final Exporting exporting;
  private final QemuActions qemus;
  private final FleetActions fleet;
  private final SideWindows sideWindows;
  private final Removal removal;
  private final Closing closing;
  private final SessionList list;
  private final ReadyPane ready;
  private final ViewTabs tabs = new ViewTabs();
  private final Analyses analyses = new Analyses();
  private final Search search = new Search(range, selection, analyses);
  private final RecentQueries recentQueries;
  private final SearchBar searchBar;
  private final Inspector inspector;
  private final MigrationPane centre;
  private final Panes panes;
  private final WindowLayout layout;
  private final Toolbar toolbar;
  private final Lecture lecture;
  private final StatusDetails statusDetails;
  private final StatusLine statusLine = new StatusLine(range);
  private final Shortcuts shortcuts = new Shortcuts();
  private final ProgramMenu menu = new ProgramMenu(shortcuts);
  private final Pulse pulse = new Pulse(this::refreshTexts, this::draw);

  /**
   * Builds the window in a stage, which is not shown yet.
   *
   * @param machine what the doctor examines
   * @param background runs work that may block
   * @param remembered what earlier windows have remembered
   * @param closed runs when the window is closed and all sessions have ended
   */
  MainWindow(
      Stage stage,
      SessionManager manager,
      Machine machine,
      Executor background,
      Remembered remembered,
      Runnable closed) {
    this.stage = stage;
    this.manager = manager;
    this.background = background;
    this.remembered = remembered;
    theme = new Theme(remembered.choices());
    lecture = new Lecture(stage);
    statusDetails = new StatusDetails(remembered.choices());
    var lastInputs = new LastInputs(remembered.state());
    var profiles = new Profiles(remembered.choices());
    tasks = new BackgroundTasks(background, notices, this::busy);
    var parts = new Parts(stage, manager, background, sessions, tasks, notices);
    starting =
        new Starting(
            parts,
            new ScenarioRuns(
                background,
                (migration, verdict, sentence) ->
                    Platform.runLater(() -> judged(migration, verdict, sentence))),
            lastInputs,
            profiles,
            this::open,
            this::sessionStarted,
            this::showScenario);
    offerSaving = remembered.choices().flag("offer-saving", true);
    compactList = remembered.choices().flag("compact-list", false);
    grouping = remembered.choices().choice("group-list", Grouping.NONE);
    recentFiles = new RecentFiles(remembered.state());
    recentQueries = new RecentQueries(remembered.state());
    searchBar = new SearchBar(search, recentQueries);
    recordings =
        new RecordingActions(parts, this::selected, recentFiles, this::select, this::explainText);
    stepping =
        new SteppingActions(parts, recordings, selection, this::open, this::compare, this::lead);
    exporting = new Exporting(stage, theme, background, notices, this::selected, tabs::shown);
    qemus = new QemuActions(stage, background, starting, lastInputs, this::uncover);
    var libvirt = new SystemLibvirt();
    fleet =
        new FleetActions(
            stage,
            manager,
            background,
            lastInputs,
            profiles,
            libvirt,
            (host, domain, log) -> {
              uncover();
              starting.watchDomain(libvirt, host, domain, log);
            },
            this::showFleetSession);
    sideWindows =
        new SideWindows(
            stage,
            theme,
            lecture.factorProperty(),
            background,
            new SideWindows.Contents(
                () -> new DevicesPane(manager, machine, background),
                qemus.pane(),
                fleet.pane(),
                () -> new HelpPane(manager, background),
                () -> settings(lastInputs, profiles),
                () -> new TextPane(background, this::openText)),
            starting::startScenario,
            stepping::begin);
    removal = new Removal(sessions, notices, this::open, this::closeRemoved);
    closing = new Closing(parts, recordings, remembered, offerSaving, this::stopMoving, closed);
    list =
        new SessionList(
            sessions,
            new ListActions(
                stage,
                starting,
                recordings,
                stepping,
                exporting,
                removal,
                sideWindows,
                this::cancel),
            compactList,
            grouping);
    ready = new ReadyPane(starting::startReady, starting::changeReady, stepping::beginTour);
    inspector = new Inspector(readings, range, selection, background);
    Views.addTo(
        tabs,
        readings,
        range,
        selection,
        analyses,
        search,
        remembered.choices(),
        this::clock,
        sessions::failedAsExpected,
        background);
    var presentation =
        new Presentation(
            analyses,
            selection,
            pair -> {
              readings.renew(System.nanoTime());
              searchBar.show(pair);
              tabs.show(pair);
              inspector.show(pair);
            });
    centre =
        new MigrationPane(
            range,
            presentation,
            new SteeringBar(this::cancel, new Resolving(stage, tasks)::begin, starting.origins()),
            recordings.player(),
            stepping,
            searchBar,
            ready,
            tabs,
            new WaitingPane(starting::settings, this::addresses, starting::newSource, background));
    toolbar =
        new Toolbar(
            range, menu.node(), new RecentMenu(recentFiles, this::openFiles).menu(), commands());
    // Below the views, which give way at their lower edge only: header and tabs do not move.
    var messages = new VBox(notices.node(), exporting.node());
    messages.setMaxHeight(Region.USE_PREF_SIZE);
    messages.setPickOnBounds(false);
    StackPane.setAlignment(messages, Pos.BOTTOM_CENTER);
    messages
        .heightProperty()
        .subscribe(height -> centre.node().setPadding(new Insets(0, 0, height.doubleValue(), 0)));
    var middle = new StackPane(centre.node(), messages);
    middle.setMinWidth(0);
    panes = new Panes(list.node(), middle, inspector.node(), toolbar::inspector);
    // Tab goes through them in this order.
    var root = new BorderPane();
    root.setTop(toolbar.node());
    root.setCenter(panes.node());
    root.setBottom(statusLine.node());
    root.getStyleClass().add("window-root");

    Scene scene = SideWindows.sceneOf(new Magnifier(root, lecture.factorProperty()), 1280, 800);
    theme.apply(
        scene,
        (_, dark) -> {
          list.theme(dark);
          tabs.theme(dark);
        });
    stage.setScene(scene);
    stage.setTitle(PROGRAM);
    stage.setMinWidth(800);
    stage.setMinHeight(480);
    layout = new WindowLayout(stage, panes, tabs, remembered.state());
    layout.restore();
    stage.setOnCloseRequest(event -> {
      event.consume();
      closing.close();
    });
    FileDrop.install(scene, root, this::openFiles);
    addShortcuts(scene);
    lecture.onChange(lecturing -> {
      panes.viewsAlone(lecturing);
      Presence.set(statusLine.node(), !lecturing);
    });
    list.shownProperty().subscribe(centre::show);
    tabs.onChange(pulse::refreshTexts);
    range.cursorNanosProperty().subscribe(_ -> statusLine.cursor(cursorText()));
    list.select(starting.addReady("First migration"));
  }

  private Toolbar.Commands commands() {
    return new Toolbar.Commands(
        starting::newSource,
        starting::newDestination,
        starting::newLab,
        () -> starting.repeatLast(selected()),
        sideWindows::scenarios,
        stepping::beginTour,
        sideWindows::qemus,
        sideWindows::fleet,
        () -> choose("Open files", this::openFiles),
        () -> choose("Follow logs of QEMU", this::followLogs),
        starting::askAttach,
        starting::askWridscope,
        () -> recordings.decodeWrids(centre::renew),
        recordings::toggleRecording,
        () -> compare(recordings.comparison()),
        exporting::export,
        exporting::savePicture,
        sideWindows::devices,
        () -> panes.toggleInspector(),
        this::helpForView);
  }

  private void compare(Comparison comparison) {
    sideWindows.compare(comparison);
  }

  private SettingsPane settings(LastInputs lastInputs, Profiles profiles) {
    var memories = new ArrayList<Memory>();
    memories.add(recentFiles.memory());
    memories.add(recentQueries.memory());
    memories.addAll(lastInputs.memories());
    memories.add(LogView.columnsMemory(remembered.choices()));
    memories.add(WindowLayout.memory(remembered.state()));
    var settings = new SettingsPane(memories, profiles, remembered.files());
    settings.add("choose-theme", "Theme", theme.choiceProperty(), Theme.Choice::text);
    settings.add("choose-grouping", Grouping.TITLE, grouping, Grouping::text);
    settings.add("choose-compact-list", SessionList.COMPACT, compactList);
    settings.add("choose-offer-saving", OFFER_SAVING, offerSaving);
    settings.add("choose-status-details", STATUS_DETAILS, statusDetails.wantedProperty());
    return settings;
  }

  /** Shows help for the view at hand. */
  private void helpForView() {
    sideWindows.help(tabs.title());
  }

  private void choose(String title, Consumer<List<Path>> chosen) {
    if (tasks.isBusy()) {
      return;
    }
    FileChooser chooser = RecordingFiles.chooser(title);
    recentFiles.folder().begin(chooser);
    List<File> files = chooser.showOpenMultipleDialog(stage);
    if (files != null) {
      chosen.accept(files.stream().map(File::toPath).toList());
    }
  }

  private void addShortcuts(Scene scene) {
    toolbar.addShortcuts(shortcuts);
    shortcuts
        .add("Shortcut+Shift+S", "new source", starting::newSource)
        .add("Shortcut+Shift+D", "new destination", starting::newDestination)
        .add("Shortcut+Shift+C", "connect QEMU", sideWindows::qemus)
        .add("Shortcut+Shift+L", "connect hosts through libvirt", sideWindows::fleet)
        .add("Shortcut+P", "play a recording, or stop", recordings.player()::toggle)
        .add("Shortcut+Z", "restore what was just removed", removal::undo)
        .add("Shortcut+V", "explain the text of the clipboard, or open its files", this::paste)
        .add("Shortcut+Period", "cancel the selected migration", this::cancelSelected);
    Menu views = menu.group("Views");
    int number = 1;
    for (String title : tabs.titles()) {
      menu.add(views, "Shortcut+" + number++, title, () -> tabs.open(title));
    }
    views.getItems().add(new SeparatorMenuItem());
    menu.add(views, "Shortcut+Page_Down", "Next view", () -> tabs.step(1));
    menu.add(views, "Shortcut+Page_Up", "Previous view", () -> tabs.step(-1));
    Menu time = menu.group("Time");
    menu.add(time, "Shortcut+Equals", "Show less time", () -> zoom(0.5));
    menu.add(time, "Shortcut+Minus", "Show more time", () -> zoom(2));
    menu.add(
        time,
        "Shortcut+G",
        "Choose the shown time as the range",
        () -> range.choose(range.leftNanos(), range.rightNanos()));
    menu.add("Shortcut+F", "Search in all views", searchBar::open);
    menu.add("Shortcut+I", "Show or hide the inspector", panes::toggleInspector);
    menu.add("Shortcut+D", "Devices and doctor", sideWindows::devices);
    menu.add("Shortcut+Shift+V", "Explain a text…", sideWindows::explainText);
    menu.separate();
    menu.addSwitch("F11", "Lecture mode", lecture.onProperty());
    menu.addThemes(theme);
    Menu _ = menu.addChoice(Grouping.TITLE, grouping, Grouping::text);
    menu.addSwitch("", SessionList.COMPACT, compactList);
    menu.addSwitch("", OFFER_SAVING, offerSaving);
    menu.addSwitch("", STATUS_DETAILS, statusDetails.wantedProperty());
    menu.add("Shortcut+Comma", "Settings…", sideWindows::settings);
    menu.separate();
    menu.add("F1", "Help for this view", this::helpForView);
    menu.add("Shortcut+F1", "Keyboard and mouse", () -> shortcuts.help(stage));
    menu.add("", "Glossary", () -> sideWindows.help(HelpPane.GLOSSARY));
    menu.add("", "About Wridscope", () -> sideWindows.help(HelpPane.ABOUT));
    menu.add("Shortcut+Q", "Quit", closing::close);
    shortcuts.install(scene);
    scene.addEventHandler(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (event.getCode() == KeyCode.ESCAPE && lecture.onProperty().get()) {
            lecture.toggle();
          } else if (event.getCode() == KeyCode.ESCAPE && selection.get() != null) {
            selection.select(null);
          } else if (event.getCode() == KeyCode.ESCAPE) {
            range.chooseNone();
          }
        });
  }

  /** Shows the window and starts its pulse. */
  void show() {
    stage.show();
    ready.focus();
    pulse.start();
  }

  /**
   * Makes the views, one by one, so that nobody waits for them when a migration starts; not while
   * one runs, whose frames would be late.
   */
  void prepareViews() {
    var next = new PauseTransition(PREPARING);
    next.setOnFinished(_ -> prepareViews());
    if (sessions.migrations().stream().anyMatch(Migration::running) || centre.prepareOne()) {
      next.play();
    }
  }

  /** Says what ran when processes of this program were killed, and where its guests are. */
  void tellAftermath(Aftermath aftermath, Recovery recovery) {
    new AfterCrash(background, tasks, notices, this::openFiles).tell(aftermath, recovery);
  }

  private @Nullable Migration selected() {
    return list.shown();
  }

  private void select(Migration migration) {
    list.select(migration);
  }

  private void zoom(double factor) {
    range.zoom(
        factor,
        range.hasCursor()
            ? range.cursorNanosProperty().get()
            : range.leftNanos() + range.shownNanos() / 2);
  }

  private String cursorText() {
    return range.hasCursor()
        ? Format.moment(range.cursorNanosProperty().get() - range.originNanos())
        : "";
  }

  /** The time in the selected migration. */
  private long clock(long nowNanos) {
    Migration selected = selected();
    return selected == null ? nowNanos : selected.clock(nowNanos);
  }

  private void draw(long now) {
    statusDetails.frame(now);
    centre.advance(now);
    if (centre.pair() != null && !stage.isIconified()) {
      centre.draw(now);
      if (panes.hasInspector()) {
        inspector.pulse(now);
      }
    }
  }

  private void refreshTexts(long now) {
    readings.renew(now);
    if (tasks.isBusy()) {
      sessions.sample(allSessions(), now);
    } else {
      sessions.refresh(allSessions(), now);
    }
    tasks.progress(manager::ramProgress);
    recordings.refresh();
    String forgotten = remembered.takeProblem();
    if (forgotten != null) {
      notices.tell(forgotten);
    }
    if (selected() == null && !sessions.migrations().isEmpty()) {
      select(sessions.migrations().getLast());
    }
    centre.refreshTexts();
    list.refresh();
    SessionPair pair = centre.pair();
    statusLine.refresh(pair);
    statusLine.recording(recordings.text());
    statusLine.details(statusDetails.text());
    toolbar.recording(recordings.isRecording(pair));
    stage.setTitle(title());
  }

  /** What the window shows, as lists of windows name it: how far it is comes first. */
  private String title() {
    Migration selected = selected();
    if (selected == null) {
      return PROGRAM;
    }
    String share =
        selected.running() && selected.knowsProgress()
            ? Format.percent(selected.progress()) + " "
            : "";
    String view = selected.pair() == null ? "" : ", " + tabs.title();
    return "%s%s%s: %s".formatted(share, selected.name(), view, PROGRAM);
  }

  /** Sessions started in this process, those of open recordings, and those of stepped runs. */
  private List<Session> allSessions() {
    return Stream.of(manager.sessions(), recordings.sessions(), stepping.sessions())
        .flatMap(List::stream)
        .toList();
  }

  /** Shows a migration and gives the keyboard focus to its views. */
  private void open(Migration migration) {
    select(migration);
    centre.show(migration);
    // The button that had the keyboard focus is gone; without this the toolbar would get it.
    tabs.focus();
  }

  /** Shows what the tour speaks of. */
  private void lead(Tour.Sight sight) {
    // After a step back there are other sessions, whose time is shown from its beginning first.
    refreshTexts(System.nanoTime());
    tabs.open(sight.view());
    if (sight.toNanos() > sight.fromNanos()) {
      range.hold(sight.fromNanos(), sight.toNanos());
    }
  }

  /** Shows the verdict on a run of a scenario, everywhere at once. */
  private void judged(Migration migration, Verdict verdict, String sentence) {
    migration.judge(verdict);
    notices.tell(verdict.good(), sentence);
    pulse.refreshTexts();
  }

  /** Shows a migration that was started in the window of the fleet. */
  private void showFleetSession(Session session) {
    uncover();
    sessionStarted(session);
    stage.toFront();
  }

  private void sessionStarted(Session session) {
    sessions.refresh(allSessions(), System.nanoTime());
    Migration migration = sessions.find(session);
    if (migration != null) {
      select(migration);
    }
  }

  /**
   * A task has begun or ended.
   *
   * @param what describes the task; empty when it has ended
   */
  private void busy(String what) {
    toolbar.busy(!what.isEmpty());
    ready.busy(what);
  }

  private void cancelSelected() {
    Migration selected = selected();
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

  /** Closes the sessions of a migration whose removal can no longer be undone. */
  private void closeRemoved(Migration migration) {
    starting.forget(migration);
    SessionPair pair = migration.pair();
    if (pair == null || stepping.remove(migration)) {
      return;
    }
    if (migration.recorded()) {
      recordings.remove(pair);
    } else {
      background.execute(() -> pair.sessions().forEach(manager::remove));
    }
  }

  /**
   * Opens files of any kind that the window can show, by their content: scenarios, which are then
   * ready to be run, and recordings, logs and captured packets.
   */
  void openFiles(List<Path> files) {
    background.execute(() -> {
      List<Path> scenarios = files.stream().filter(Scenarios::isMeant).toList();
      List<Path> others = files.stream().filter(file -> !scenarios.contains(file)).toList();
      Platform.runLater(() -> openSorted(scenarios, others));
    });
  }

  private void openSorted(List<Path> scenarios, List<Path> others) {
    if (!others.isEmpty() && tasks.isBusy()) {
      notices.tell(
          "Another task is running, so %s was not opened; open it afterwards."
              .formatted(Legible.of(String.valueOf(others.getFirst().getFileName()))));
    } else if (!others.isEmpty()) {
      openRecordings(others);
    }
    scenarios.forEach(sideWindows::openScenario);
  }

  /** Opens recordings and trace logs of QEMU; a source and its destination become one migration. */
  void openRecordings(List<Path> files) {
    recordings.open(files);
  }

  /** Explains the text of the clipboard; a text field with the focus takes the key itself. */
  private void paste() {
    Clipboard clipboard = Clipboard.getSystemClipboard();
    if (clipboard.hasFiles()) {
      openFiles(clipboard.getFiles().stream().map(File::toPath).toList());
    } else if (clipboard.hasString()) {
      sideWindows.explainText(clipboard.getString());
    } else {
      notices.tell("The clipboard has no text to be explained.");
    }
  }

  private void explainText(String text) {
    sideWindows.explainText(text);
  }

  private void openText(String text) {
    sideWindows.uncover();
    recordings.openText(text);
  }

  /** Follows the logs that the two ends of a migration write, or one of them. */
  void followLogs(List<Path> logs) {
    starting.followLogs(logs.stream().limit(2).toList());
  }

  /** Records the selected migration. */
  void record(Path file) {
    recordings.record(file);
  }

  /** Decodes the wr_ids of the selected program as a file says. */
  void decodeWrids(Path file) {
    recordings.decodeWrids(file, centre::renew);
  }

  Exporting exporting() {
    return exporting;
  }

  /** The view whose tab is selected. */
  @Nullable View currentView() {
    return tabs.shown();
  }

  /** Records in new files what is in no file yet, and then ends the window and all sessions. */
  void saveAndClose(Path directory) {
    closing.saveAndClose(directory);
  }

  /** Ends the window and all sessions without asking. */
  void closeNow() {
    closing.closeNow();
  }

  /** The addresses of a session's RDMA device; empty for the software device. */
  private List<InetAddress> addresses(Session session) throws IOException {
    return manager.devices().installed().stream()
        .filter(device -> device.name().equals(session.device()))
        .flatMap(device -> device.ports().stream())
        .flatMap(port -> port.addresses().stream())
        .toList();
  }

  private void showScenario(Scenario scenario) {
    sideWindows.scenario(scenario);
  }

  private void uncover() {
    sideWindows.uncover();
  }

  private void stopMoving() {
    layout.close();
    lecture.close();
    qemus.close();
    fleet.close();
    stepping.close();
    pulse.stop();
    removal.stop();
    exporting.cancel();
    theme.close();
  }
}
