// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.Control;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import org.controlsfx.control.SegmentedButton;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.export.Export;
import org.wridscope.text.Format;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.export.ExportMenu;

/** The bar at the top: starting, the clock, help, and the menu. */
final class Toolbar {
  private static final PseudoClass COMPACT = PseudoClass.getPseudoClass("compact");

  /** Below this width, buttons with a self-explanatory icon have no text. */
  private static final double ROOMY = 1150;

  private static final List<Long> SPANS =
      List.of(
          TimeRange.WHOLE,
          TimeUnit.MILLISECONDS.toNanos(100),
          TimeUnit.SECONDS.toNanos(1),
          TimeUnit.SECONDS.toNanos(5),
          TimeUnit.SECONDS.toNanos(30),
          TimeUnit.MINUTES.toNanos(2),
          TimeUnit.MINUTES.toNanos(10));

  private final TimeRange range;
  private final ToggleButton follow = new ToggleButton("Follow");
  private final ToggleButton hold = new ToggleButton("Hold");
  private final MenuButton span = new MenuButton();
  private final ToggleButton inspector = new ToggleButton("", new FontIcon(Feather.SIDEBAR));
  private final MenuItem newLab = new MenuItem("New lab migration…");
  private final MenuItem repeat = new MenuItem("Repeat the last one");
  private final MenuItem open = new MenuItem("Open files…");
  private final MenuItem record = new MenuItem();
  private final MenuItem picture = new MenuItem("Save picture of the view…");
  private final ExportMenu export;
  private final List<ButtonBase> starters;
  private final HBox root;

  /** The actions of the buttons and menus. */
  record Commands(
      Runnable newSource,
      Runnable newDestination,
      Runnable newLab,
      Runnable repeatLab,
      Runnable scenarios,
      Runnable tour,
      Runnable qemus,
      Runnable fleet,
      Runnable openRecordings,
      Runnable followLogs,
      Runnable attach,
      Runnable attachToWridscope,
      Runnable decodeWrids,
      Runnable toggleRecording,
      Runnable compare,
      Consumer<Export> export,
      Runnable savePicture,
      Runnable devices,
      Runnable toggleInspector,
      Runnable help) {}

  /**
   * @param menu the menu of the program, at the right
   * @param recent the files that were opened last
   */
  Toolbar(TimeRange range, Node menu, Menu recent, Commands commands) {
    this.range = range;
    export = new ExportMenu(commands.export());
    var source = new Button("Source", new FontIcon(Feather.PLUS));
    source.setId("new-source");
    source.setTooltip(new Tooltip("Migrate a guest away (Ctrl+Shift+S)"));
    source.setOnAction(_ -> commands.newSource().run());
    var destination = new Button("Destination", new FontIcon(Feather.PLUS));
    destination.setId("new-destination");
    destination.setTooltip(new Tooltip("Wait for a guest (Ctrl+Shift+D)"));
    destination.setOnAction(_ -> commands.newDestination().run());
    var lab = new MenuButton("Lab");
    lab.setId("lab");
    lab.setTooltip(new Tooltip("Migrate between two ends in this process"));
    newLab.setId("new-lab");
    newLab.setOnAction(_ -> commands.newLab().run());
    repeat.setId("repeat-lab");
    repeat.setOnAction(_ -> commands.repeatLab().run());
    var scenarios = new MenuItem("Scenarios…");
    scenarios.setId("scenarios-menu");
    scenarios.setOnAction(_ -> commands.scenarios().run());
    var stepping = new MenuItem("Step by step…");
    stepping.setId("step-menu");
    stepping.setOnAction(_ -> commands.scenarios().run());
    var tour = new MenuItem("Provoke the hang yourself");
    tour.setId("tour-menu");
    tour.setOnAction(_ -> commands.tour().run());
    lab.getItems().setAll(newLab, repeat, scenarios, stepping, tour);
    starters = List.of(source, destination, lab);
    var qemus = new Button("QEMU", new FontIcon(Feather.SERVER));
    qemus.setId("show-qemus");
    qemus.setAccessibleText("QEMU");
    qemus.setTooltip(new Tooltip("Connect running QEMUs, and migrate their guests (Ctrl+Shift+C)"));
    qemus.setOnAction(_ -> commands.qemus().run());
    var fleet = new Button("Fleet", new FontIcon(Feather.LAYERS));
    fleet.setId("show-fleet");
    fleet.setAccessibleText("Fleet");
    fleet.setTooltip(
        new Tooltip("Connect hosts through libvirt, and see their domains (Ctrl+Shift+L)"));
    fleet.setOnAction(_ -> commands.fleet().run());
    MenuButton recordings = recordings(recent, commands);

    follow.setId("follow");
    follow.setTooltip(new Tooltip("Keep the present at the right edge of all time views (Ctrl+H)"));
    hold.setId("hold");
    hold.setTooltip(new Tooltip("Freeze the views; the migration continues (Ctrl+H)"));
    var clock = new SegmentedButton(follow, hold);
    var group = new ToggleGroup();
    clock.setToggleGroup(group);
    follow.setToggleGroup(group);
    hold.setToggleGroup(group);
    group
        .selectedToggleProperty()
        .subscribe((before, now) -> {
          if (now == null) {
            group.selectToggle(before);
          } else {
            range.followProperty().set(follow.isSelected());
          }
        });
    range.followProperty().subscribe(on -> group.selectToggle(on ? follow : hold));

    span.setId("span");
    span.setAccessibleText("How much time is shown");
    span.setTooltip(new Tooltip("How much time is shown (Ctrl+= less, Ctrl+- more)"));
    for (long nanos : SPANS) {
      var item = new MenuItem(spanText(nanos));
      item.setOnAction(_ -> {
        range.spanNanosProperty().set(nanos);
        range.followProperty().set(true);
      });
      span.getItems().add(item);
    }
    // Any span, not only one of the menu: zooming can choose it too.
    range.spanNanosProperty().subscribe(nanos -> span.setText(spanText(nanos.longValue())));

    inspector.setId("toggle-inspector");
    inspector.setTooltip(new Tooltip("Show or hide the inspector (Ctrl+I)"));
    inspector.setAccessibleText("Inspector");
    inspector.getStyleClass().add("button-icon");
    inspector.setOnAction(_ -> commands.toggleInspector().run());
    var devices = new Button("Devices", new FontIcon(Feather.CPU));
    devices.setId("show-devices");
    devices.setAccessibleText("Devices");
    devices.setTooltip(
        new Tooltip("RDMA devices, and what prevents this machine from using them (Ctrl+D)"));
    devices.setOnAction(_ -> commands.devices().run());
    var help = new Button("", new FontIcon(Feather.HELP_CIRCLE));
    help.setId("help");
    help.getStyleClass().add("button-icon");
    help.setTooltip(new Tooltip("What this view shows (F1)"));
    help.setAccessibleText("Help");
    help.setOnAction(_ -> commands.help().run());

    var gap = new Region();
    HBox.setHgrow(gap, Priority.ALWAYS);
    root =
        new HBox(
            source,
            destination,
            lab,
            qemus,
            fleet,
            recordings,
            devices,
            gap,
            clock,
            span,
            inspector,
            help,
            menu);
    root.getStyleClass().add("main-toolbar");
    // Otherwise its least width would be that of the window's content, and of itself.
    root.setMinWidth(0);
    root.widthProperty()
        .subscribe(width -> root.pseudoClassStateChanged(COMPACT, width.doubleValue() < ROOMY));
    for (Node node : root.getChildren()) {
      if (node instanceof Control control) {
        control.setMinWidth(Region.USE_PREF_SIZE);
      }
    }
  }

  private static String spanText(long nanos) {
    return nanos == TimeRange.WHOLE ? "Whole time" : Format.duration(nanos);
  }

  private MenuButton recordings(Menu recent, Commands commands) {
    open.setId("open-recordings");
    open.setOnAction(_ -> commands.openRecordings().run());
    var follow = new MenuItem("Follow logs of QEMU…");
    follow.setId("follow-logs");
    follow.setOnAction(_ -> commands.followLogs().run());
    var attach = new MenuItem("Attach to a program…");
    attach.setId("attach");
    attach.setOnAction(_ -> commands.attach().run());
    var remote = new MenuItem("Attach to a Wridscope…");
    remote.setId("attach-wridscope");
    remote.setOnAction(_ -> commands.attachToWridscope().run());
    var decode = new MenuItem("Decode wr_ids of the program…");
    decode.setId("decode-wrids");
    decode.setOnAction(_ -> commands.decodeWrids().run());
    record.setId("record");
    record.setOnAction(_ -> commands.toggleRecording().run());
    recording(false);
    var compare = new MenuItem("Compare two migrations…");
    compare.setId("compare");
    compare.setOnAction(_ -> commands.compare().run());
    var button = new MenuButton("Recording", new FontIcon(Feather.FILM));
    button.setId("recordings");
    button.setAccessibleText("Recording");
    button.setTooltip(
        new Tooltip(
            "Open recordings, logs and scenarios, record, compare, export a report or a"
                + " picture"));
    export.setId("export");
    picture.setId("save-picture");
    picture.setOnAction(_ -> commands.savePicture().run());
    button
        .getItems()
        .setAll(
            open,
            recent,
            follow,
            attach,
            remote,
            decode,
            record,
            compare,
            new SeparatorMenuItem(),
            export,
            picture);
    return button;
  }

  Node node() {
    return root;
  }

  /** Adds the shortcuts of the menus and of the shown time. */
  void addShortcuts(Shortcuts shortcuts) {
    shortcuts
        .add("Shortcut+L", "new lab migration", newLab)
        .add("Shortcut+R", "repeat the last lab migration", repeat)
        .add("Shortcut+O", "open files", open)
        .add("Shortcut+Shift+R", "record the selected migration", record)
        .add("Shortcut+E", "export a report of the selected migration", export.report())
        .add("Shortcut+S", "save a picture of the view", picture)
        .add("Shortcut+H", "follow or hold the time", this::toggleFollow)
        .add("Shortcut+0", "show the whole time", span.getItems().getFirst());
  }

  /** Disables the buttons that start something while a task is running. */
  void busy(boolean busy) {
    starters.forEach(button -> button.setDisable(busy));
  }

  /** Whether the selected migration is being recorded. */
  void recording(boolean on) {
    record.setText(on ? "Stop recording" : "Record this migration…");
  }

  void inspector(boolean shown) {
    inspector.setSelected(shown);
  }

  private void toggleFollow() {
    range.followProperty().set(!range.isFollowing());
  }
}
