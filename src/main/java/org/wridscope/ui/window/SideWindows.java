// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javafx.beans.property.ReadOnlyDoubleProperty;
import javafx.event.EventHandler;
import javafx.geometry.BoundingBox;
import javafx.geometry.Rectangle2D;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.ListView;
import javafx.scene.control.TableView;
import javafx.scene.control.TreeTableView;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.util.Subscription;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.ui.KeyboardKeeper;
import org.wridscope.ui.Magnifier;
import org.wridscope.ui.MenuKey;
import org.wridscope.ui.devices.DevicesPane;
import org.wridscope.ui.explain.TextPane;
import org.wridscope.ui.fleet.FleetPane;
import org.wridscope.ui.help.HelpPane;
import org.wridscope.ui.qemu.QemuPane;
import org.wridscope.ui.recording.Comparison;
import org.wridscope.ui.scenarios.ScenariosPane;

/** The other windows: devices, scenarios, settings, two migrations side by side, and others. */
final class SideWindows {
  private final Stage owner;
  private final Theme theme;
  private final ReadOnlyDoubleProperty factor;
  private final Executor background;
  private final Side<DevicesPane> devices;
  private final Side<QemuPane> qemus;
  private final Side<FleetPane> fleet;
  private final Side<HelpPane> help;
  private final Side<SettingsPane> settings;
  private final Predicate<Scenario> startScenario;
  private final Consumer<Scenario> stepThrough;
  private final Side<TextPane> text;
  private @Nullable ScenariosPane scenarios;
  private @Nullable Stage scenariosStage;

  /** What the windows show. What is supplied is made when its window is shown first. */
  record Contents(
      Supplier<DevicesPane> devices,
      QemuPane qemus,
      FleetPane fleet,
      Supplier<HelpPane> help,
      Supplier<SettingsPane> settings,
      Supplier<TextPane> text) {}

  /**
   * @param owner the main window
   * @param factor by which all is magnified
   * @param startScenario starts a scenario; false if it did not begin
   * @param stepThrough begins to step through one
   */
  SideWindows(
      Stage owner,
      Theme theme,
      ReadOnlyDoubleProperty factor,
      Executor background,
      Contents contents,
      Predicate<Scenario> startScenario,
      Consumer<Scenario> stepThrough) {
    this.owner = owner;
    this.theme = theme;
    this.factor = factor;
    this.background = background;
    devices =
        new Side<>("Wridscope: devices and doctor", contents.devices(), DevicesPane::node, 780);
    qemus = new Side<>("Wridscope: connect QEMU", contents::qemus, QemuPane::node, 780);
    fleet = new Side<>("Wridscope: fleet", contents::fleet, FleetPane::node, 1000);
    this.startScenario = startScenario;
    this.stepThrough = stepThrough;
    help = new Side<>("Wridscope: help", contents.help(), HelpPane::node, 780);
    settings = new Side<>("Wridscope: settings", contents.settings(), SettingsPane::node, 780);
    text = new Side<>("Wridscope: explain a text", contents.text(), TextPane::node, 780);
  }

  /** A window that is made, with its pane, when it is shown for the first time. */
  private final class Side<P> {
    private final String title;
    private final Supplier<P> maker;
    private final Function<P, Parent> content;
    private final double width;
    private @Nullable P pane;
    private @Nullable Stage stage;

    Side(String title, Supplier<P> maker, Function<P, Parent> content, double width) {
      this.title = title;
      this.maker = maker;
      this.content = content;
      this.width = width;
    }

    P raise() {
      P shown = pane;
      if (shown == null || stage == null) {
        shown = maker.get();
        pane = shown;
        stage = make(title, content.apply(shown), width, 640);
      }
      SideWindows.raise(stage);
      return shown;
    }

    Optional<Stage> stage() {
      return Optional.ofNullable(stage);
    }
  }

  /** Shows the devices and the findings of the doctor. */
  void devices() {
    devices.raise().refresh();
  }

  /** Shows the connected QEMUs, and looks for others. */
  void qemus() {
    qemus.raise().search();
  }

  /** Shows the hosts that are connected through libvirt. */
  void fleet() {
    var _ = fleet.raise();
  }

  /** Hides those windows that begin something if they cover the main window, where it is shown. */
  void uncover() {
    Stream.of(qemus.stage(), fleet.stage(), text.stage())
        .flatMap(Optional::stream)
        .filter(shown -> overlap(shown, owner))
        .forEach(Stage::hide);
  }

  /** Shows a page of help by its title. */
  void help(String page) {
    help.raise().show(page);
  }

  /** Shows what the user can decide about the program. */
  void settings() {
    var _ = settings.raise();
  }

  /** Shows what a text means that the user pastes. */
  void explainText() {
    text.raise().focus();
  }

  /** Shows what a text means. */
  void explainText(String pasted) {
    TextPane shown = text.raise();
    shown.focus();
    shown.show(pasted);
  }

  void scenarios() {
    ScenariosPane shown = scenarios;
    if (shown == null || scenariosStage == null) {
      shown = new ScenariosPane(background, this::run, this::step);
      scenarios = shown;
      scenariosStage = make("Wridscope: scenarios", shown.node(), 780, 640);
    }
    raise(scenariosStage);
    shown.begin();
  }

  /** Shows the list of scenarios with the one in a file, ready to be run. */
  void openScenario(Path file) {
    scenarios();
    if (scenarios != null) {
      scenarios.open(file);
    }
  }

  /** Shows the list of scenarios with the keyboard focus at the button that runs one of them. */
  void scenario(Scenario scenario) {
    scenarios();
    if (scenarios != null) {
      scenarios.select(scenario);
    }
  }

  /** Starts a scenario; hides the list of scenarios if it covers the main window. */
  private boolean run(Scenario scenario) {
    boolean started = startScenario.test(scenario);
    if (started) {
      uncoverRun();
    }
    return started;
  }

  private void step(Scenario scenario) {
    stepThrough.accept(scenario);
    uncoverRun();
  }

  private void uncoverRun() {
    if (scenariosStage != null && overlap(scenariosStage, owner)) {
      scenariosStage.hide();
    }
  }

  private static boolean overlap(Stage one, Stage other) {
    return new BoundingBox(one.getX(), one.getY(), one.getWidth(), one.getHeight())
        .intersects(other.getX(), other.getY(), other.getWidth(), other.getHeight());
  }

  /** Shows a comparison in a window of its own, which ends it. */
  void compare(Comparison comparison) {
    var window = new Stage();
    var magnifier = new Magnifier(comparison.node(), factor);
    Scene scene = sceneOf(magnifier, 1280, 760);
    Subscription themed = theme.apply(scene, (_, dark) -> comparison.theme(dark));
    closeWithEscape(window, scene);
    window.setScene(scene);
    window.setTitle("Wridscope: two migrations side by side");
    window.initOwner(owner);
    window.setOnHidden(_ -> {
      comparison.stop();
      themed.unsubscribe();
      magnifier.release();
    });
    window.show();
    comparison.start();
  }

  /** A scene of this size, or of the screen's if that is smaller. */
  static Scene sceneOf(Parent content, double width, double height) {
    Rectangle2D screen = Screen.getPrimary().getVisualBounds();
    var scene =
        new Scene(
            content, Math.min(width, screen.getWidth()), Math.min(height, screen.getHeight()));
    MenuKey.install(scene);
    KeyboardKeeper.install(scene);
    return scene;
  }

  private static void raise(Stage window) {
    window.show();
    window.toFront();
  }

  /** Makes a window as much larger as its content, if the screen has room. */
  private static void resize(Stage window, double by) {
    Rectangle2D screen = Screen.getPrimary().getVisualBounds();
    window.setWidth(Math.min(window.getWidth() * by, screen.getWidth()));
    window.setHeight(Math.min(window.getHeight() * by, screen.getHeight()));
  }

  private static void closeWithEscape(Stage window, Scene scene) {
    EventHandler<KeyEvent> close =
        event -> {
          if (event.getCode() == KeyCode.ESCAPE) {
            window.hide();
          }
        };
    scene.addEventHandler(KeyEvent.KEY_PRESSED, close);
    // Lists consume the key, which ends the editing of a cell; none of theirs is edited.
    scene.addEventFilter(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (isList(scene.getFocusOwner())) {
            close.handle(event);
          }
        });
  }

  private static boolean isList(@Nullable Node focused) {
    return focused instanceof ListView<?>
        || focused instanceof TableView<?>
        || focused instanceof TreeTableView<?>;
  }

  private Stage make(String title, Parent content, double width, double height) {
    var window = new Stage();
    double larger = factor.get();
    Scene scene = sceneOf(new Magnifier(content, factor), width * larger, height * larger);
    factor.subscribe((before, now) -> resize(window, now.doubleValue() / before.doubleValue()));
    theme.apply(scene, (_, _) -> {});
    closeWithEscape(window, scene);
    window.setScene(scene);
    window.setTitle(title);
    window.initOwner(owner);
    window.setMinWidth(560);
    window.setMinHeight(420);
    return window;
  }
}
