// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.TextField;
import javafx.stage.Stage;
import org.wridscope.control.LocalSessions;

/**
 * Takes pictures of the window that is attached to a program, for people to look at. Runs by hand,
 * as root, with the test class path, where a program on an RDMA device is: {@code AttachGallery
 * DIRECTORY dark|light SECONDS [PID]}, where SECONDS is the time to place the probes and to watch.
 * Without a number it attaches to the first program that is listed.
 */
public final class AttachGallery {
  private static final int WRIDS = 4;
  private static final int EXPLAIN = 7;

  private AttachGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    @Override
    public void start(Stage stage) {
      List<String> args = getParameters().getRaw();
      String theme = args.get(1);
      double seconds = Double.parseDouble(args.get(2));
      WindowFixture.show(
          stage,
          1280,
          800,
          new LocalSessions(),
          Executors.newVirtualThreadPerTaskExecutor(),
          Memories.withTheme(theme),
          Platform::exit);
      String name = "attach-" + theme + "-";
      new Script(stage, Path.of(args.getFirst()))
          .after(1, () -> Script.choose("#recordings", "Attach to a program…"))
          .await("the dialog", () -> Script.isShown("#attach-pid"))
          .after(0.2, () -> name(args))
          .pictureOfDialog(1, name + "dialog.png")
          .after(0.5, () -> Script.press("#dialog-accept"))
          .await("the program", () -> Script.isShown("#views"))
          .picture(seconds, name + "live.png")
          .after(0.2, () -> Script.open(WRIDS))
          .picture(2, name + "wrids.png")
          .after(0.2, () -> Script.open(EXPLAIN))
          .picture(2, name + "explain.png")
          .after(0.2, () -> Script.press("#cancel"))
          .picture(3, name + "ended.png")
          .after(0.2, () -> System.exit(0))
          .run();
    }

    private static void name(List<String> args) {
      if (args.size() > 3) {
        ((TextField) Script.node("#attach-pid")).setText(args.get(3));
      }
    }
  }
}
