// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.Labeled;
import javafx.stage.Stage;
import org.wridscope.control.FakeSessionManager;

/**
 * Takes pictures of the window while a run is stepped through, for people to look at. Runs by hand,
 * with the test class path: {@code SteppingGallery DIRECTORY dark|light WIDTHxHEIGHT}.
 */
public final class SteppingGallery {
  private SteppingGallery() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final int VIEWS = 9;
    private static final String SEND_READY = "destination's device executes CONTROL SEND (READY)";
    private static final String ACKNOWLEDGEMENT =
        "destination's device receives the acknowledgement";

    private Script script = new Script(new Stage(), Path.of(""));
    private String before = "";

    @Override
    public void start(Stage stage) {
      var args = getParameters().getRaw();
      String theme = args.get(1);
      String[] size = args.get(2).split("x", 2);
      MainWindow main =
          WindowFixture.show(
              stage,
              Double.parseDouble(size[0]),
              Double.parseDouble(size[1]),
              FakeSessionManager.idle(),
              Executors.newVirtualThreadPerTaskExecutor(),
              Memories.withTheme(theme),
              Platform::exit);
      String name = "stepping-" + theme + "-" + size[0] + "-";
      script = new Script(stage, Path.of(args.getFirst()));
      script
          .after(1, () -> Script.choose("#lab", "Provoke the hang yourself"))
          .await("the run", () -> Script.isShown("#step-option-0"))
          .picture(1, name + "0-introduction.png")
          .after(0, () -> Script.press("#step-tour-press"))
          .picture(1, name + "1-begin.png");
      step(() -> Script.press("#step-go-on")).picture(1, name + "2-ready.png");
      step(() -> option(SEND_READY)).picture(1, name + "3-sent.png");
      step(() -> Script.press("#step-take")).picture(1, name + "3-left.png");
      step(() -> Script.press("#step-tour-press"));
      script.after(0.5, () -> keep(ACKNOWLEDGEMENT)).picture(1, name + "4-kept.png");
      step(() -> Script.press("#step-go-on")).picture(1, name + "5-answer.png");
      step(() -> option("source's device executes CONTROL SEND (QEMU FILE)"))
          .picture(1, name + "6-overtaken.png");
      step(() -> option("destination goes on")).picture(1, name + "7-dropped.png");
      step(() -> Script.press("#step-go-on"));
      for (int i = 0; i < VIEWS; i++) {
        int view = i;
        script.after(0.5, () -> Script.open(view)).picture(1, name + "8-end-" + view + ".png");
      }
      step(() -> Script.press("#step-tour-press")).picture(1, name + "9-back.png");
      step(() -> option(ACKNOWLEDGEMENT)).picture(1, name + "a-acknowledged.png");
      step(() -> Script.press("#step-go-on")).picture(1, name + "b-end.png");
      script
          .after(1, () -> Script.press("#step-compare"))
          .pictureOfOther(6, name + "c-futures.png")
          .picture(1, name + "d-list.png")
          .after(0, main::closeNow)
          .run();
    }

    private static void option(String begins) {
      for (int i = 0; ; i++) {
        var button = (ButtonBase) Script.node("#step-option-" + i);
        if (((Labeled) button).getText().contains(begins)) {
          button.fire();
          return;
        }
      }
    }

    /** Does something after which the run stands elsewhere. */
    private Script step(Runnable action) {
      return script
          .after(
              0.2,
              () -> {
                before = place();
                action.run();
              })
          .await("another place than " + before, () -> !place().equals(before));
    }

    private static String place() {
      return ((Labeled) Script.node("#step-place")).getText();
    }

    private static void keep(String begins) {
      for (int i = 0; ; i++) {
        if (((Labeled) Script.node("#step-option-" + i)).getText().contains(begins)) {
          Script.press("#step-keep-" + i);
          return;
        }
      }
    }
  }
}
