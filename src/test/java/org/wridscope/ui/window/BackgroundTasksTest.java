// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javafx.scene.Scene;
import javafx.scene.control.Button;
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
import org.wridscope.control.RamProgress;
import org.wridscope.ui.OnFxRobot;

@Slow("it opens a window")
@ExtendWith(OnFxRobot.class)
final class BackgroundTasksTest {
  private final List<String> changes = new ArrayList<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(BackgroundTasks.class);
  private BackgroundTasks tasks;
  private BackgroundTasks several;

  @Start
  void start(Stage stage) {
    var notices = new Notices();
    tasks = new BackgroundTasks(Runnable::run, notices, changes::add);
    several = new BackgroundTasks(work -> Thread.ofVirtual().start(work), notices, changes::add);
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

  @Test
  void preparations_runBesideEachOther_eachWithItsProgress_andCancelledByItself(FxRobot robot)
      throws Exception {
    Map<String, Thread> workers = new ConcurrentHashMap<>();
    var firstMayEnd = new CountDownLatch(1);
    List<String> ended = new CopyOnWriteArrayList<>();
    robot.interact(() -> {
      several.beside("first", () -> work("first", workers, firstMayEnd), ended::add, _ -> {}, null);
      several.beside(
          "second",
          () -> work("second", workers, new CountDownLatch(1)),
          ended::add,
          _ -> {},
          null);
    });
    WaitForAsyncUtils.waitFor(10, TimeUnit.SECONDS, () -> workers.size() == 2);
    assertThat(several.isBusy()).as("others may be started").isFalse();
    assertThat(changes).isEmpty();
    robot.interact(() ->
        several.progress(worker ->
            new RamProgress(worker.equals(workers.get("first")) ? 1 << 20 : 3 << 20, 4 << 20)));
    assertThat(lines(robot))
        .containsExactly(
            "first Ready: 1.00 MiB of 4.00 MiB.", "second Ready: 3.00 MiB of 4.00 MiB.");
    robot.interact(() ->
        robot.lookup(".busy .button").queryAllAs(Button.class).stream()
            .skip(1)
            .forEach(Button::fire));
    WaitForAsyncUtils.waitFor(10, TimeUnit.SECONDS, () -> lines(robot).size() == 1);
    assertThat(ended).isEmpty();
    assertThat(several.what()).containsExactly("first");
    firstMayEnd.countDown();
    WaitForAsyncUtils.waitFor(10, TimeUnit.SECONDS, () -> lines(robot).isEmpty());
    assertThat(ended).containsExactly("first");
    assertThat(several.awaitEnd(Duration.ofSeconds(1))).isTrue();
  }

  private static List<String> lines(FxRobot robot) {
    return robot.lookup(".busy .label").queryAllAs(Label.class).stream()
        .map(Label::getText)
        .toList();
  }

  private static String work(String name, Map<String, Thread> workers, CountDownLatch mayEnd)
      throws IOException {
    workers.put(name, Thread.currentThread());
    try {
      mayEnd.await();
      return name;
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted");
    }
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
