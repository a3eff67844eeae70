// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.stage.Stage;
import org.wridscope.control.LocalSessions;

/**
 * Takes the pictures of {@code docs/screenshots} from real migrations on the software device. Runs
 * by hand, with the test class path: {@code Screenshots DIRECTORY}; takes a minute.
 */
public final class Screenshots {
  private Screenshots() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final int CHUNKS = 2;
    private static final int EXPLAIN = 7;

    @Override
    public void start(Stage stage) {
      MainWindow main =
          WindowFixture.show(
              stage,
              1280,
              800,
              new LocalSessions(),
              Executors.newVirtualThreadPerTaskExecutor(),
              Memories.withTheme("dark"),
              Platform::exit);
      new Script(stage, Path.of(getParameters().getRaw().getFirst()))
          .after(1, () -> Script.press("#start"))
          .await("round 2", () -> stageNow().startsWith("round 2"))
          .picture(2, "overview-dark.png")
          .after(0, () -> Script.choose("#program-menu", Theme.Choice.LIGHT.text()))
          .picture(0.5, "overview-light.png")
          .after(0, () -> Script.choose("#program-menu", Theme.Choice.DARK.text()))
          .await("the migration to end", () -> Script.isShown("#repeat"))
          .after(0.5, () -> Script.open(CHUNKS))
          .picture(1, "chunks-dark.png")
          .after(0, () -> Script.choose("#lab", "Scenarios…"))
          .after(1, () -> Script.press("#run-out-of-order-wrid-shared"))
          // The run may be over before its buttons are ever seen; its result stays.
          .await("the result of the scenario", () -> Script.isShown("#banner"))
          .after(1, () -> Script.open(EXPLAIN))
          .await("the key step", () -> Script.isShown(".explain-key-step"))
          .picture(1, "explain-dark.png")
          .after(
              0,
              () ->
                  Script.node(".explain-key-step").lookupAll(".explain-link").stream()
                      .map(Button.class::cast)
                      .filter(link -> link.getText().equals("Wrids"))
                      .forEach(Button::fire))
          .picture(2, "wrids-dark.png")
          .after(0.2, main::closeNow)
          .run();
    }

    private static String stageNow() {
      return Script.isShown(".stage-now .stage-name")
          ? ((Label) Script.node(".stage-now .stage-name")).getText()
          : "";
    }
  }
}
