// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import javafx.animation.KeyFrame;
import javafx.animation.Timeline;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.Button;
import javafx.stage.Stage;
import javafx.util.Duration;
import org.wridscope.control.LocalSessions;

/**
 * Takes the frames of the animation in the README from real migrations on the software device: a
 * migration of a guest that writes, then the one in which a completion is lost. Runs by hand, with
 * the test class path: {@code Animation DIRECTORY}; {@code docs/pictures} makes one file of them.
 */
public final class Animation {
  private static final Duration PERIOD = Duration.millis(250);

  private Animation() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final int CHUNKS = 2;
    private static final int WRIDS = 4;
    private static final int EXPLAIN = 7;

    private int frame;

    @Override
    public void start(Stage stage) {
      MainWindow main =
          WindowFixture.show(
              stage,
              1120,
              700,
              new LocalSessions(),
              Executors.newVirtualThreadPerTaskExecutor(),
              Memories.withTheme("dark"),
              Platform::exit);
      Path directory = Path.of(getParameters().getRaw().getFirst());
      var film = new Timeline(new KeyFrame(PERIOD, _ -> take(stage, directory)));
      film.setCycleCount(javafx.animation.Animation.INDEFINITE);
      new Script(stage, directory)
          .after(0, () -> Script.press("#toggle-inspector"))
          .after(0.5, film::play)
          .after(1.5, () -> Script.press("#start"))
          .await("the views", () -> Script.isShown("#views"))
          .after(4, () -> Script.open(CHUNKS))
          .after(3, () -> Script.open(WRIDS))
          .after(3, () -> Script.open(0))
          .await("the migration to end", () -> Script.isShown("#repeat"))
          .after(2, () -> Script.choose("#lab", "Scenarios…"))
          .after(0.5, () -> Script.press("#run-out-of-order-wrid-shared"))
          .after(2.5, () -> Script.open(EXPLAIN))
          .await("the key step", () -> Script.isShown(".explain-key-step"))
          .after(
              12,
              () ->
                  Script.node(".explain-key-step").lookupAll(".explain-link").stream()
                      .map(Button.class::cast)
                      .filter(link -> link.getText().equals("Wrids"))
                      .forEach(Button::fire))
          .after(12, film::stop)
          .after(0.1, main::closeNow)
          .run();
    }

    private void take(Stage stage, Path directory) {
      try {
        Pictures.write(stage.getScene(), directory.resolve("frame-%04d.png".formatted(frame++)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
