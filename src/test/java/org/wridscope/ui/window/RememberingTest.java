// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TabPane;
import javafx.scene.input.KeyCode;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.ui.remembered.Remembered;

/** What a window remembers of the one before it. */
@Slow("it opens the window, which draws in real time")
final class RememberingTest {
  @TempDir Path directory;

  private Remembered remembered = Remembered.inMemory();

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720, remembered);

  /** Closes the window and opens another one, which asks for another place. */
  private Stage reopen() {
    WindowFixture first = window;
    Platform.runLater(() -> first.main().closeNow());
    await("the window to be closed", () -> first.closed.get() == 1);
    return onFx(() -> {
      var stage = new Stage();
      var _ =
          WindowFixture.show(
              stage,
              900,
              600,
              FakeSessionManager.idle(),
              Executors.newVirtualThreadPerTaskExecutor(),
              remembered,
              () -> {});
      return stage;
    });
  }

  private static <T> T on(Stage stage, String selector, Class<T> type) {
    return onFx(() -> type.cast(stage.getScene().lookup(selector)));
  }

  @Test
  void sizePlaceAndView_areAsTheyWere(FxRobot robot) {
    window.startLab();
    robot.interact(() -> {
      window.stage().setX(40);
      window.stage().setY(30);
      window.stage().setWidth(960);
      window.stage().setHeight(700);
    });
    await("the size", () -> window.stage().getScene().getWidth() == 960);
    window.press(KeyCode.CONTROL, KeyCode.DIGIT5);

    Stage next = reopen();
    assertThat(next.getX()).isEqualTo(40);
    assertThat(next.getY()).isEqualTo(30);
    assertThat(next.getWidth()).isEqualTo(960);
    assertThat(next.getHeight()).isEqualTo(700);
    robot.clickOn(robot.from(next.getScene().getRoot()).lookup("#start").<Node>query());
    await("the views", () -> on(next, "#views", TabPane.class) != null);
    assertThat(on(next, "#views", TabPane.class).getSelectionModel().getSelectedIndex())
        .isEqualTo(4);
    robot.interact(next::close);
  }

  @Test
  void aHiddenInspector_staysHidden(FxRobot robot) {
    window.press(KeyCode.CONTROL, KeyCode.I);
    Stage next = reopen();
    robot.interact(() -> next.setWidth(1280));
    await("the size", () -> next.getScene().getWidth() == 1280);
    assertThat(robot.from(next.getScene().getRoot()).lookup("#inspector").tryQuery()).isEmpty();
    robot.interact(next::close);
  }

  @Test
  void inputsOfADialog_areThereInTheNextWindow(FxRobot robot) {
    robot.clickOn("#new-source");
    window.setField("#field-uri", "rdma:10.9.0.7:4711");
    window.setField("#field-bandwidth", "1Gbit/s");
    robot.clickOn("#dialog-accept");
    await("the source", () -> window.manager.started().size() == 1);
    Stage next = reopen();
    robot.clickOn(robot.from(next.getScene().getRoot()).lookup("#new-source").<Node>query());
    assertThat(window.field("#field-uri")).isEqualTo("rdma:10.9.0.7:4711");
    assertThat(window.field("#field-bandwidth")).isEqualTo("1Gbit/s");
    assertThat(robot.lookup("#dialog-uri").<ComboBox<String>>query().getItems())
        .hasToString("[rdma:10.9.0.7:4711]");
    robot.clickOn("#dialog-cancel");
    robot.interact(next::close);
  }

  @Test
  void aFileThatCannotBeRead_isKeptAside_andTold(FxRobot robot) throws IOException {
    Files.writeString(directory.resolve("settings.json"), "{\"theme\": ");
    remembered = Remembered.in(directory, directory, Runnable::run);
    Stage next = reopen();
    await(
        "the sentence",
        () ->
            on(next, "#banner", Label.class)
                .getText()
                .contains("is not valid JSON. It is kept as settings.json.unreadable"));
    robot.interact(next::close);
    assertThat(directory.resolve("settings.json.unreadable")).hasContent("{\"theme\": ");
    await("what the window remembers", () -> Files.exists(directory.resolve("window.json")));
  }
}
