// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.Node;
import javafx.scene.control.SplitPane;
import javafx.scene.control.TableRow;
import javafx.scene.input.KeyCode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.log.LogRow;

/** The window on a small screen, such as a projector. */
@Slow("it opens the window, which draws in real time")
final class NarrowWindowTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(900, 600);

  private static double width(FxRobot robot, String id) {
    return inScene(robot.lookup(id).query()).getWidth();
  }

  private void widen(FxRobot robot, double width) {
    robot.interact(() -> window.stage().setWidth(width));
    await("the window's width", () -> window.stage().getScene().getWidth() > width - 40);
    WaitForAsyncUtils.waitForFxEvents();
  }

  @Test
  void list_ofANarrowWindow_leavesTheViewsMostOfIt(FxRobot robot) {
    assertThat(window.stage().getScene().getWidth()).isLessThan(1000);
    assertThat(width(robot, "#sessions")).isBetween(150.0, 250.0);
    assertThat(robot.lookup("#inspector").tryQuery()).isEmpty();
  }

  @Test
  void list_keepsItsWidth_whileInspectorComesAndGoes(FxRobot robot) {
    double narrow = width(robot, "#sessions");
    widen(robot, 1250);
    await("the inspector", () -> robot.lookup("#inspector").tryQuery().isPresent());
    WaitForAsyncUtils.waitForFxEvents();
    double list = width(robot, "#sessions");
    assertThat(list).isGreaterThan(narrow + 20);
    assertThat(width(robot, "#inspector")).isBetween(220.0, 330.0);
    robot.clickOn("#toggle-inspector");
    assertThat(robot.lookup("#inspector").tryQuery()).isEmpty();
    robot.clickOn("#toggle-inspector");
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(width(robot, "#sessions")).isBetween(list - 3, list + 3);
    assertThat(width(robot, "#inspector")).isBetween(220.0, 330.0);
    widen(robot, 900);
    await("no inspector", () -> robot.lookup("#inspector").tryQuery().isEmpty());
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(width(robot, "#sessions")).isBetween(narrow - 3, narrow + 3);
  }

  @Test
  void list_whoseWidthTheUserChose_keepsIt(FxRobot robot) {
    SplitPane panes =
        robot.lookup(".split-pane").match((SplitPane pane) -> pane.getItems().size() == 2).query();
    robot.interact(() -> panes.setDividerPosition(0, 0.35));
    WaitForAsyncUtils.waitForFxEvents();
    double chosen = width(robot, "#sessions");
    assertThat(chosen).isGreaterThan(250);
    widen(robot, 1250);
    await("the inspector", () -> robot.lookup("#inspector").tryQuery().isPresent());
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(width(robot, "#sessions")).isBetween(chosen - 3, chosen + 3);
  }

  @Test
  void log_thatFollows_showsItsLastRow(FxRobot robot) {
    FakeSession session = window.manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
    log(session, 5_530);
    await("the migration", () -> robot.lookup("#sessions").queryListView().getItems().size() == 2);
    robot.interact(
        () -> robot.lookup("#sessions").queryListView().getSelectionModel().clearAndSelect(1));
    window.press(KeyCode.SHORTCUT, KeyCode.DIGIT9);
    for (int more : new int[] {0, 1, 9, 40, 3_000, 7}) {
      log(session, more);
      Event newest =
          session.telemetry().log().read(session.telemetry().log().size() - 1, 1).getFirst();
      await(
          "row " + newest.number() + " in sight",
          () ->
              onFx(() ->
                  new LogRow(session, newest.number(), newest).equals(lastRowInSight(robot))));
    }
  }

  private static void log(FakeSession session, int events) {
    for (int i = 0; i < events; i++) {
      session.telemetry().log().add(i, EventKind.POST_RECEIVE, 0, i, 4000, 0);
    }
  }

  /** The item of the lowest row that is completely visible; null for none. */
  private static @Nullable Object lastRowInSight(FxRobot robot) {
    Node table = robot.lookup("#log-table").query();
    double bottom = inScene(table).getMaxY();
    TableRow<?> last = null;
    for (Node node : table.lookupAll(".table-row-cell")) {
      if (node instanceof TableRow<?> row
          && row.isVisible()
          && !row.isEmpty()
          && inScene(row).getMaxY() <= bottom + 0.5
          && (last == null || row.getIndex() > last.getIndex())) {
        last = row;
      }
    }
    return last == null ? null : last.getItem();
  }
}
