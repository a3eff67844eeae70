// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;

@ExtendWith(ApplicationExtension.class)
final class BackgroundTasksTest {
  private final List<String> changes = new ArrayList<>();
  private @Nullable BackgroundTasks tasks;

  @Start
  void start(Stage stage) {
    var notices = new Notices();
    tasks = new BackgroundTasks(Runnable::run, notices, changes::add);
    stage.setScene(new Scene(new StackPane(notices.node()), 400, 100));
    stage.show();
  }

  /** As when there is no memory for a guest's RAM, or no thread for its workload. */
  @Test
  void taskThatThrowsAnError_ends_andIsReported(FxRobot robot) {
    BackgroundTasks running = Objects.requireNonNull(tasks);
    robot.interact(() ->
        running.run(
            "RAM is made ready.",
            () -> {
              throw new OutOfMemoryError("unable to create native thread");
            },
            result -> {}));
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(running.isBusy()).isFalse();
    assertThat(changes).containsExactly("RAM is made ready.", "");
    assertThat(robot.lookup("#banner").queryAs(Label.class).getText())
        .isEqualTo(
            "It could not be started: java.lang.OutOfMemoryError: unable to create native thread.");
  }
}
