// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.Slider;
import javafx.scene.control.TextField;
import javafx.stage.Stage;
import org.wridscope.control.FakeSessionManager;

/**
 * Takes pictures of the window with open recordings, for people to look at. Runs by hand, with the
 * test class path: {@code RecordingGallery DIRECTORY dark|light WIDTHxHEIGHT SHARE FILE...}, where
 * SHARE is the moment from 0 to 1 of most pictures.
 */
public final class RecordingGallery {
  private RecordingGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final int VIEWS = 9;
    private static final String SOUGHT = "opcode=write chunk=30";

    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      String theme = args.get(1);
      String[] size = args.get(2).split("x", 2);
      double share = Double.parseDouble(args.get(3));
      List<Path> files = args.subList(4, args.size()).stream().map(Path::of).toList();
      MainWindow main =
          WindowFixture.show(
              stage,
              Double.parseDouble(size[0]),
              Double.parseDouble(size[1]),
              FakeSessionManager.idle(),
              Executors.newVirtualThreadPerTaskExecutor(),
              Memories.withTheme(theme),
              Platform::exit);
      String name = "recording-" + theme + "-" + size[0] + "-";
      var script =
          new Script(stage, Path.of(args.getFirst()))
              .after(1, () -> main.openRecordings(files))
              .await("the player", () -> Script.isShown("#player-position"))
              .picture(3, name + "end.png")
              .after(0.2, () -> ((Slider) Script.node("#player-position")).setValue(share))
              .picture(1, name + "overview.png");
      for (int i = 1; i < VIEWS; i++) {
        int view = i;
        script.after(0.1, () -> Script.open(view)).picture(1, name + "tab-" + view + ".png");
      }
      script
          .after(0.1, () -> Script.shortcut(stage, "Shortcut+Equals"))
          .after(0.1, () -> Script.shortcut(stage, "Shortcut+Equals"))
          .after(0.1, () -> Script.shortcut(stage, "Shortcut+G"))
          .after(0.1, () -> Script.shortcut(stage, "Shortcut+0"));
      for (int i = 0; i < VIEWS; i++) {
        int view = i;
        script.after(0.1, () -> Script.open(view)).picture(1, name + "range-" + view + ".png");
      }
      script
          .after(0.1, () -> Script.press("#clear-range"))
          .after(0.1, () -> Script.shortcut(stage, "Shortcut+F"))
          .after(0.1, () -> ((TextField) Script.node("#search-text")).setText(SOUGHT));
      for (int i = 0; i < VIEWS; i++) {
        int view = i;
        script.after(0.1, () -> Script.open(view)).picture(1, name + "search-" + view + ".png");
      }
      script
          .after(0.1, () -> ((TextField) Script.node("#search-text")).setText("status=great"))
          .picture(1, name + "search-mistake.png")
          .after(0.1, () -> Script.press("#search-close"))
          .after(0.1, () -> Script.choose("#recordings", "Compare two migrations…"))
          .pictureOfOther(2, name + "compare.png")
          .after(0.2, Platform::exit)
          .run();
    }
  }
}
