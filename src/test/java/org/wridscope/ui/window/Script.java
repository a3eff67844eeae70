// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javafx.animation.PauseTransition;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.ListView;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TabPane;
import javafx.scene.input.KeyCombination;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.util.Duration;

/** Operates a window, step by step, to take pictures of it. For the JavaFX thread only. */
final class Script {
  private static final Duration POLL = Duration.millis(50);

  /** The longest that a step waits for its condition. */
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Stage stage;
  private final Path directory;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();
  private long waitingSince = System.nanoTime();

  /**
   * @param condition what the step waits for, a phrase
   */
  private record Step(Duration pause, String condition, BooleanSupplier ready, Runnable action) {}

  /**
   * @param directory where pictures are written
   */
  Script(Stage stage, Path directory) {
    this.stage = stage;
    this.directory = directory;
  }

  /** Does something after a pause. */
  Script after(double seconds, Runnable action) {
    steps.add(new Step(Duration.seconds(seconds), "nothing", () -> true, action));
    return this;
  }

  /**
   * Waits until a condition is true; after a minute the program ends with an error.
   *
   * @param condition what it is, a phrase
   */
  Script await(String condition, BooleanSupplier ready) {
    steps.add(new Step(POLL, condition, ready, () -> {}));
    return this;
  }

  /** Writes a picture of the window, after a pause for it to be drawn. */
  Script picture(double seconds, String name) {
    return after(seconds, () -> write(stage.getScene(), name));
  }

  /** Writes pictures of the other open windows, and closes them. */
  Script pictureOfOther(double seconds, String name) {
    return pictureOfDialog(seconds, name).after(0, () -> others().forEach(Window::hide));
  }

  /** Writes a picture of the other open window. */
  Script pictureOfDialog(double seconds, String name) {
    return after(seconds, () -> others().forEach(open -> write(open.getScene(), name)));
  }

  private List<Window> others() {
    return Window.getWindows().stream()
        .filter(open -> open instanceof Stage && !open.equals(stage))
        .toList();
  }

  /** Starts the first step; returns at once. */
  void run() {
    Step step = steps.peek();
    if (step == null) {
      return;
    }
    var pause = new PauseTransition(step.pause());
    pause.setOnFinished(_ -> {
      try {
        perform(step);
      } catch (RuntimeException | Error e) {
        e.printStackTrace();
        exit("A step failed.");
        return;
      }
      run();
    });
    pause.play();
  }

  private void perform(Step step) {
    if (step.ready().getAsBoolean()) {
      steps.remove();
      step.action().run();
      waitingSince = System.nanoTime();
    } else if (System.nanoTime() - waitingSince > LIMIT_NANOS) {
      exit("Waited a minute for " + step.condition() + ".");
    }
  }

  private void exit(String reason) {
    System.err.printf("%s %d steps were not done.%n", reason, steps.size());
    steps.clear();
    Platform.exit();
    System.exit(1);
  }

  /** The node that a selector finds, in any window. */
  static Node node(String selector) {
    for (Window open : Window.getWindows()) {
      Node found = open.getScene().lookup(selector);
      if (found != null) {
        return found;
      }
    }
    throw new IllegalStateException("there is no " + selector);
  }

  static boolean isShown(String selector) {
    return Window.getWindows().stream()
        .map(open -> open.getScene().lookup(selector))
        .anyMatch(found -> found != null && WindowFixture.isShown(found));
  }

  /** Does what a shortcut of a window does. */
  static void shortcut(Stage stage, String keys) {
    Objects.requireNonNull(stage.getScene().getAccelerators().get(KeyCombination.valueOf(keys)))
        .run();
  }

  static void press(String button) {
    ((ButtonBase) node(button)).fire();
  }

  /** Chooses an item of a menu by its text. */
  static void choose(String menu, String text) {
    ((MenuButton) node(menu))
        .getItems().stream()
            .<MenuItem>mapMulti(Script::items)
            .filter(item -> text.equals(item.getText()))
            .findFirst()
            .ifPresent(MenuItem::fire);
  }

  /** A menu item, or those of a submenu. */
  private static void items(MenuItem item, Consumer<MenuItem> each) {
    if (item instanceof Menu menu) {
      menu.getItems().forEach(inner -> items(inner, each));
    } else {
      each.accept(item);
    }
  }

  /** Opens a view by its number, 0 for the first one. */
  static void open(int view) {
    ((TabPane) node("#views")).getSelectionModel().select(view);
  }

  /** Selects a migration by its place in the list, 0 for the first one. */
  static void select(int migration) {
    ((ListView<?>) node("#sessions")).getSelectionModel().clearAndSelect(migration);
  }

  private void write(Scene scene, String name) {
    try {
      Pictures.write(scene, directory.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
