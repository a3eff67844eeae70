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
import javafx.scene.control.MenuButton;
import javafx.scene.control.Slider;
import javafx.scene.control.TabPane;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.util.Duration;
import org.wridscope.control.doctor.BareMachine;
import org.wridscope.ui.fake.FakeManager;

/**
 * Opens recordings in the window and writes pictures of it, for people to look at. Runs by hand,
 * with the test class path: {@code RecordingGallery DIRECTORY dark|light SHARE FILE...}, where
 * SHARE is the moment from 0 to 1 of most pictures.
 */
public final class RecordingGallery {
  private RecordingGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX wants it public. */
  public static final class Show extends Application {
    private record Step(double seconds, Runnable action) {}

    private final ArrayDeque<Step> steps = new ArrayDeque<>();

    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      Path directory = Path.of(args.getFirst());
      String theme = args.get(1);
      double share = Double.parseDouble(args.get(2));
      List<Path> files = args.subList(3, args.size()).stream().map(Path::of).toList();
      Preferences store = new MemoryPreferences();
      store.put("theme", theme);
      stage.setX(0);
      stage.setY(0);
      stage.setWidth(1280);
      stage.setHeight(800);
      var main =
          new MainWindow(
              stage,
              new FakeManager(false),
              new BareMachine(),
              Executors.newVirtualThreadPerTaskExecutor(),
              store,
              Platform::exit);
      main.show();
      String name = "recording-" + theme + "-";
      step(1, () -> main.openRecordings(files));
      step(2, () -> write(stage, directory, name + "end.png"));
      step(0.2, () -> ((Slider) stage.getScene().lookup("#player-position")).setValue(share));
      step(1, () -> write(stage, directory, name + "overview.png"));
      for (int tab = 1; tab < 5; tab++) {
        int shown = tab;
        step(
            0.1,
            () -> ((TabPane) stage.getScene().lookup("#views")).getSelectionModel().select(shown));
        step(1, () -> write(stage, directory, name + "tab-" + shown + ".png"));
      }
      step(
          0.1,
          () -> ((MenuButton) stage.getScene().lookup("#recordings")).getItems().get(2).fire());
      step(
          2,
          () ->
              Window.getWindows().stream()
                  .filter(window -> !window.equals(stage) && window instanceof Stage)
                  .forEach(window -> write((Stage) window, directory, name + "compare.png")));
      step(0.2, Platform::exit);
      next();
    }

    private static void write(Stage stage, Path directory, String file) {
      try {
        Pictures.write(stage.getScene(), directory.resolve(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void step(double seconds, Runnable action) {
      steps.add(new Step(seconds, action));
    }

    private void next() {
      Step step = steps.poll();
      if (step != null) {
        var pause = new PauseTransition(Duration.seconds(step.seconds));
        pause.setOnFinished(_ -> {
          step.action.run();
          next();
        });
        pause.play();
      }
    }
  }
}
