// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
import org.wridscope.ui.Magnifier;
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
  private final DevicesPane devices;
  private final QemuPane qemus;
  private final FleetPane fleet;
  private final Predicate<Scenario> startScenario;
  private final Consumer<Scenario> stepThrough;
  private final HelpPane help;
  private final SettingsPane settings;
  private final TextPane text;
  private @Nullable ScenariosPane scenarios;
  private @Nullable Stage devicesStage;
  private @Nullable Stage scenariosStage;
  private @Nullable Stage helpStage;
  private @Nullable Stage settingsStage;
  private @Nullable Stage qemusStage;
  private @Nullable Stage fleetStage;
  private @Nullable Stage textStage;

  SideWindows(
      Stage owner,
      Theme theme,
      ReadOnlyDoubleProperty factor,
      Executor background,
      DevicesPane devices,
      QemuPane qemus,
      FleetPane fleet,
      Predicate<Scenario> startScenario,
      Consumer<Scenario> stepThrough,
      HelpPane help,
      SettingsPane settings,
      TextPane text) {
    this.owner = owner;
    this.theme = theme;
    this.factor = factor;
    this.background = background;
    this.devices = devices;
    this.qemus = qemus;
    this.fleet = fleet;
    this.startScenario = startScenario;
    this.stepThrough = stepThrough;
    this.help = help;
    this.settings = settings;
    this.text = text;
  }

  /** Shows the devices and the findings of the doctor. */
  void devices() {
    if (devicesStage == null) {
      devicesStage = make("Wridscope: devices and doctor", devices.node());
    }
    raise(devicesStage);
    devices.refresh();
  }

  /** Shows the connected QEMUs, and looks for others. */
  void qemus() {
    if (qemusStage == null) {
      qemusStage = make("Wridscope: connect QEMU", qemus.node());
    }
    raise(qemusStage);
    qemus.search();
  }

  /** Shows the hosts that are connected through libvirt. */
  void fleet() {
    if (fleetStage == null) {
      fleetStage = make("Wridscope: fleet", fleet.node(), 1000, 640);
    }
    raise(fleetStage);
  }

  /** Hides those windows that begin something if they cover the main window, where it is shown. */
  void uncover() {
    Stream.of(
            Optional.ofNullable(qemusStage),
            Optional.ofNullable(fleetStage),
            Optional.ofNullable(textStage))
        .flatMap(Optional::stream)
        .filter(shown -> overlap(shown, owner))
        .forEach(Stage::hide);
  }

  /** Shows a page of help by its title. */
  void help(String page) {
    if (helpStage == null) {
      helpStage = make("Wridscope: help", help.node());
    }
    raise(helpStage);
    help.show(page);
  }

  /** Shows what the user can decide about the program. */
  void settings() {
    if (settingsStage == null) {
      settingsStage = make("Wridscope: settings", settings.node());
    }
    raise(settingsStage);
  }

  /** Shows what a text means that the user pastes. */
  void explainText() {
    if (textStage == null) {
      textStage = make("Wridscope: explain a text", text.node());
    }
    raise(textStage);
    text.focus();
  }

  /** Shows what a text means. */
  void explainText(String pasted) {
    explainText();
    text.show(pasted);
  }

  void scenarios() {
    ScenariosPane shown = scenarios;
    if (shown == null || scenariosStage == null) {
      shown = new ScenariosPane(background, this::run, this::step);
      scenarios = shown;
      scenariosStage = make("Wridscope: scenarios", shown.node());
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
    return new Scene(
        content, Math.min(width, screen.getWidth()), Math.min(height, screen.getHeight()));
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

  private Stage make(String title, Parent content) {
    return make(title, content, 780, 640);
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
