// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.util.List;
import javafx.scene.Node;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.sessions.Migration;

@Slow("it opens the window, which draws in real time")
final class RemovalTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);
  private final FakeSessionManager manager = window.manager;

  /** Reads on the JavaFX thread, which changes the list. */
  private List<String> names() {
    return onFx(() -> window.list().getItems().stream().map(Migration::name).toList());
  }

  private FakeSession addEnded(String name) {
    FakeSession session = manager.add(name, "rdma:127.0.0.1:4444", Role.SOURCE);
    session.end(MigrationStatus.FAILED, "The guest keeps running at the source.");
    await(name, () -> names().contains(name));
    return session;
  }

  private void remove(FxRobot robot, String name) {
    int index = names().indexOf(name);
    robot.interact(() -> {
      window.list().getSelectionModel().clearAndSelect(index);
      window.list().requestFocus();
    });
    window.press(KeyCode.DELETE);
    await(name + " to be out of the list", () -> !names().contains(name));
  }

  @Test
  void removed_undone_isBackInItsPlace_andStillOpen(FxRobot robot) {
    FakeSession first = addEnded("vm1");
    FakeSession second = addEnded("vm2");
    addEnded("vm3");
    List<String> before = names();
    remove(robot, "vm1");
    remove(robot, "vm2");
    robot.clickOn("#banner-action");
    await("both to be back", () -> names().equals(before));
    assertThat(window.list().getSelectionModel().getSelectedItem().name()).isEqualTo("vm2");
    assertThat(first.closed()).isFalse();
    assertThat(second.closed()).isFalse();
    assertThat(robot.lookup("#banner").tryQuery().filter(Node::isVisible).isPresent()).isTrue();
  }

  @Test
  void removed_undoneByKey_isBack(FxRobot robot) {
    addEnded("vm1");
    remove(robot, "vm1");
    window.press(KeyCode.CONTROL, KeyCode.Z);
    await("vm1 to be back", () -> names().contains("vm1"));
  }

  @Test
  void removed_messageClosed_isClosedForGood(FxRobot robot) {
    FakeSession session = addEnded("vm1");
    remove(robot, "vm1");
    assertThat(session.closed()).isFalse();
    robot.clickOn("#banner-close");
    await("the session to be closed", session::closed);
    window.press(KeyCode.CONTROL, KeyCode.Z);
    assertThat(names()).doesNotContain("vm1");
  }

  @Test
  void started_inAFullList_isWholeInSight(FxRobot robot) {
    for (int i = 0; i < 30; i++) {
      addEnded("vm" + i);
    }
    robot.interact(() -> window.list().getSelectionModel().clearAndSelect(0));
    robot.clickOn("#start");
    await("the lab", () -> names().contains("lab 1"));
    robot.interact(() -> window.list().getSelectionModel().clearAndSelect(5));
    window.press(KeyCode.CONTROL, KeyCode.R);
    await("the next", () -> names().contains("lab 2"));
    await(
        "its entry in sight",
        () ->
            onFx(() ->
                robot.lookup("#sessions .list-cell").queryAll().stream()
                    .filter(cell -> cell.getPseudoClassStates().toString().contains("selected"))
                    .anyMatch(cell ->
                        cell.isVisible() && inScene(window.list()).contains(inScene(cell)))));
  }
}
