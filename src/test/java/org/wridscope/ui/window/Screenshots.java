// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.prefs.Preferences;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.stage.Stage;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.doctor.BareMachine;

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

  /** The application; JavaFX wants it public. */
  public static final class Show extends Application {
    private static final int CHUNKS = 2;
    private static final int EXPLAIN = 7;

    @Override
    public void start(Stage stage) {
      Path directory = Path.of(getParameters().getRaw().getFirst());
      Preferences store = new MemoryPreferences();
      store.put("theme", "dark");
      stage.setX(0);
      stage.setY(0);
      stage.setWidth(1280);
      stage.setHeight(800);
      var main =
          new MainWindow(
              stage,
              new LocalSessions(),
              new BareMachine(),
              Executors.newVirtualThreadPerTaskExecutor(),
              store,
              Platform::exit);
      main.show();
      new Script(stage, directory)
          .after(1, () -> Script.press("#start"))
          .await(() -> stageNow().startsWith("round 2"))
          .picture(2, "overview-dark.png")
          .after(0, () -> Script.choose("#theme", Theme.Choice.LIGHT.text()))
          .picture(0.5, "overview-light.png")
          .after(0, () -> Script.choose("#theme", Theme.Choice.DARK.text()))
          .await(() -> Script.isThere("#repeat"))
          .after(0.5, () -> Script.open(CHUNKS))
          .picture(1, "chunks-dark.png")
          .after(0, () -> Script.choose("#lab", "Scenarios…"))
          .after(1, () -> Script.press("#run-out-of-order-wrid-shared"))
          .await(() -> Script.isThere("#cancel"))
          .await(() -> !Script.isThere("#cancel"))
          .after(1, () -> Script.open(EXPLAIN))
          .await(() -> Script.isThere(".explain-key-step"))
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
      return Script.isThere(".stage-now .stage-name")
          ? ((Label) Script.node(".stage-now .stage-name")).getText()
          : "";
    }
  }
}
