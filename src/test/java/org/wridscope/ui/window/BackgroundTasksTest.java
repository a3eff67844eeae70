// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.ui.OnFxRobot;

@Slow("it opens a window")
@ExtendWith(OnFxRobot.class)
final class BackgroundTasksTest {
  private final List<String> changes = new ArrayList<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(BackgroundTasks.class);
  private BackgroundTasks tasks;

  @Start
  void start(Stage stage) {
    var notices = new Notices();
    tasks = new BackgroundTasks(Runnable::run, notices, changes::add);
    stage.setScene(new Scene(new StackPane(notices.node()), 400, 100));
    stage.show();
  }

  @BeforeEach
  void collectLog() {
    logged.start();
    logger.addAppender(logged);
    logger.setAdditive(false);
  }

  @AfterEach
  void leaveLog() {
    logger.detachAppender(logged);
    logger.setAdditive(true);
  }

  private String run(FxRobot robot, BackgroundTasks.Task<String> task) {
    robot.interact(() -> tasks.run("RAM is prepared.", task, _ -> {}));
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(tasks.isBusy()).isFalse();
    assertThat(changes).containsExactly("RAM is prepared.", "");
    return robot.lookup("#banner").queryAs(Label.class).getText();
  }

  /** As when there is no memory for a guest's RAM, or no thread for its workload. */
  @Test
  void taskThatThrowsAnError_ends_andIsReported(FxRobot robot) {
    assertThat(
            run(
                robot,
                () -> {
                  throw new OutOfMemoryError("unable to create native thread");
                }))
        .isEqualTo(
            "It could not be started: java.lang.OutOfMemoryError: unable to create native thread.");
    assertThat(logged.list).singleElement().matches(event -> event.getLevel() == Level.ERROR);
    assertThat(logged.list.getFirst().getThrowableProxy()).isNotNull();
  }

  @Test
  void mistakeOfTheUser_isShown_andNotLoggedAsAnError(FxRobot robot) {
    assertThat(
            run(
                robot,
                () -> {
                  throw new IllegalArgumentException("The port must be 0 to 65535.");
                }))
        .isEqualTo("The port must be 0 to 65535.");
    assertThat(logged.list)
        .noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .noneMatch(event -> event.getThrowableProxy() != null);
  }

  @Test
  void portInUse_isShown_andNotLoggedAsAnError(FxRobot robot) {
    assertThat(
            run(
                robot,
                () -> {
                  throw new IOException("The port is in use; choose another.");
                }))
        .isEqualTo("The port is in use; choose another.");
    assertThat(logged.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
  }
}
