// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.util.List;
import java.util.concurrent.Callable;
import javafx.scene.Node;
import javafx.scene.control.ListView;
import javafx.scene.input.KeyCode;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.sessions.Migration;

@ExtendWith(ApplicationExtension.class)
final class RemovalTest {
  private final WindowFixture fixture = new WindowFixture();
  private final FakeSessionManager manager = fixture.manager;
  private @Nullable MainWindow window;

  @Start
  void start(Stage stage) {
    window = fixture.show(stage, 1280, 720, new MemoryPreferences());
  }

  @AfterEach
  void stop() {
    fixture.close(window);
  }

  /** The list changes on the JavaFX thread, and is read there. */
  private static <T> T onFx(Callable<T> read) {
    return WaitForAsyncUtils.waitForAsyncFx(20_000, read);
  }

  private static List<String> names(FxRobot robot) {
    return onFx(() -> list(robot).getItems().stream().map(Migration::name).toList());
  }

  @SuppressWarnings("unchecked")
  private static ListView<Migration> list(FxRobot robot) {
    return robot.lookup("#sessions").queryAs(ListView.class);
  }

  private FakeSession addEnded(FxRobot robot, String name) {
    FakeSession session = manager.add(name, "rdma:127.0.0.1:4444", Role.SOURCE);
    session.end(MigrationStatus.FAILED, "The guest goes on at the source.");
    await(name, () -> names(robot).contains(name));
    return session;
  }

  private static void remove(FxRobot robot, String name) {
    int index = names(robot).indexOf(name);
    robot.interact(() -> {
      list(robot).getSelectionModel().select(index);
      list(robot).requestFocus();
    });
    robot.press(KeyCode.DELETE).release(KeyCode.DELETE);
    await(name + " to be out of the list", () -> !names(robot).contains(name));
  }

  @Test
  void removed_undone_isBackInItsPlace_andStillOpen(FxRobot robot) {
    FakeSession first = addEnded(robot, "vm1");
    FakeSession second = addEnded(robot, "vm2");
    addEnded(robot, "vm3");
    List<String> before = names(robot);
    remove(robot, "vm1");
    remove(robot, "vm2");
    robot.clickOn("#banner-action");
    await("both to be back", () -> names(robot).equals(before));
    assertThat(list(robot).getSelectionModel().getSelectedItem().name()).isEqualTo("vm2");
    assertThat(first.closed()).isFalse();
    assertThat(second.closed()).isFalse();
    assertThat(robot.lookup("#banner").tryQuery().filter(Node::isVisible).isPresent()).isTrue();
  }

  @Test
  void removed_undoneByKey_isBack(FxRobot robot) {
    addEnded(robot, "vm1");
    remove(robot, "vm1");
    robot.press(KeyCode.CONTROL, KeyCode.Z).release(KeyCode.Z, KeyCode.CONTROL);
    await("vm1 to be back", () -> names(robot).contains("vm1"));
  }

  @Test
  void removed_messageClosed_isClosedForGood(FxRobot robot) {
    FakeSession session = addEnded(robot, "vm1");
    remove(robot, "vm1");
    assertThat(session.closed()).isFalse();
    robot.clickOn("#banner-close");
    await("the session to be closed", session::closed);
    robot.press(KeyCode.CONTROL, KeyCode.Z).release(KeyCode.Z, KeyCode.CONTROL);
    assertThat(names(robot)).doesNotContain("vm1");
  }

  @Test
  void started_inAFullList_isWholeInSight(FxRobot robot) {
    for (int i = 0; i < 30; i++) {
      addEnded(robot, "vm" + i);
    }
    robot.interact(() -> list(robot).getSelectionModel().select(0));
    robot.clickOn("#start");
    await("the lab", () -> names(robot).contains("lab 1"));
    robot.interact(() -> list(robot).getSelectionModel().select(5));
    robot.press(KeyCode.CONTROL, KeyCode.R).release(KeyCode.R, KeyCode.CONTROL);
    await("the next", () -> names(robot).contains("lab 2"));
    await(
        "its entry in sight",
        () ->
            onFx(() ->
                robot.lookup("#sessions .list-cell").queryAll().stream()
                    .filter(cell -> cell.getPseudoClassStates().toString().contains("selected"))
                    .anyMatch(cell ->
                        cell.isVisible()
                            && list(robot)
                                .localToScene(list(robot).getLayoutBounds())
                                .contains(cell.localToScene(cell.getLayoutBounds())))));
  }
}
