// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.prefs.Preferences;
import javafx.animation.PauseTransition;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.Button;
import javafx.scene.control.TabPane;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.util.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.doctor.BareMachine;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.fake.FakeManager;

/**
 * Shows the window with a modelled migration and writes pictures of it, for people to look at. Runs
 * by hand, with the test class path: {@code Gallery DIRECTORY [dark|light] [WIDTH HEIGHT]}.
 */
public final class Gallery {
  private Gallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX wants it public. */
  public static final class Show extends Application {
    private record Step(double seconds, Runnable action) {}

    private final ArrayDeque<Step> steps = new ArrayDeque<>();
    private @Nullable Stage window;

    @Override
    public void start(Stage stage) {
      window = stage;
      var args = getParameters().getRaw();
      Path directory = Path.of(args.getFirst());
      String theme = args.size() > 1 ? args.get(1) : "dark";
      double width = args.size() > 3 ? Double.parseDouble(args.get(2)) : 1280;
      double height = args.size() > 3 ? Double.parseDouble(args.get(3)) : 800;
      String suffix = "-" + theme + "-" + (int) width + ".png";
      Preferences store = new MemoryPreferences();
      store.put("theme", theme);
      var manager = new FakeManager(true);
      stage.setX(0);
      stage.setY(0);
      stage.setWidth(width);
      stage.setHeight(height);
      var main =
          new MainWindow(
              stage,
              manager,
              new BareMachine(),
              Executors.newVirtualThreadPerTaskExecutor(),
              store,
              Platform::exit);
      main.show();
      step(1, () -> write(directory, "ready" + suffix));
      step(0.2, () -> button("#start").fire());
      step(1.6, () -> write(directory, "overview-1" + suffix));
      step(
          0.5,
          () -> {
            var failed = manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
            failed.end(
                MigrationStatus.FAILED,
                "Connection refused by 10.9.0.1:4444: start the destination there first.");
          });
      step(2.9, () -> write(directory, "overview-2" + suffix));
      for (int i = 1; i < 10; i++) {
        int tab = i;
        step(
            0.1,
            () -> tabs().getSelectionModel().select(Math.min(tab, tabs().getTabs().size() - 1)));
        step(0.7, () -> write(directory, "tab-" + tab + suffix));
      }
      step(0.1, () -> tabs().getSelectionModel().select(0));
      step(8, () -> write(directory, "overview-3" + suffix));
      step(0.2, () -> button("#new-source").fire());
      step(0.8, () -> writeDialog(directory, "dialog" + suffix));
      step(0.2, () -> closeOthers());
      step(0.2, () -> button("#new-destination").fire());
      step(0.8, () -> writeDialog(directory, "dialog-destination" + suffix));
      step(0.2, () -> closeOthers());
      step(0.2, () -> button("#show-devices").fire());
      step(1, () -> writeDialog(directory, "devices" + suffix));
      step(0.2, Platform::exit);
      next();
    }

    private TabPane tabs() {
      return (TabPane) window().getScene().lookup("#views");
    }

    private Button button(String id) {
      return (Button) window().getScene().lookup(id);
    }

    private Stage window() {
      if (window == null) {
        throw new IllegalStateException("not started");
      }
      return window;
    }

    private void step(double seconds, Runnable action) {
      steps.add(new Step(seconds, action));
    }

    private void next() {
      Step step = steps.poll();
      if (step == null) {
        return;
      }
      var pause = new PauseTransition(Duration.seconds(step.seconds()));
      pause.setOnFinished(_ -> {
        step.action().run();
        next();
      });
      pause.play();
    }

    private void write(Path directory, String name) {
      try {
        Pictures.write(window().getScene(), directory.resolve(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void closeOthers() {
      for (Window open : List.copyOf(Window.getWindows())) {
        if (!open.equals(window())) {
          open.hide();
        }
      }
    }

    private void writeDialog(Path directory, String name) {
      for (Window open : Window.getWindows()) {
        if (!open.equals(window())) {
          try {
            Pictures.write(open.getScene(), directory.resolve(name));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
    }
  }
}
