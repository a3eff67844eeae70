// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.Node;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;

/** On a projector, or on a screen whose pixels are doubled. */
@ExtendWith(ApplicationExtension.class)
final class NarrowWindowTest {
  private final WindowFixture fixture = new WindowFixture();
  private Stage stage;
  private @Nullable MainWindow window;

  @Start
  void start(Stage primary) {
    stage = primary;
    window = fixture.show(stage, 900, 600, new MemoryPreferences());
  }

  @AfterEach
  void stop() {
    fixture.close(window);
  }

  private static double width(FxRobot robot, String id) {
    return robot.lookup(id).<Node>query().getLayoutBounds().getWidth();
  }

  private void widen(FxRobot robot, double width) {
    robot.interact(() -> stage.setWidth(width));
    await("the window's width", () -> stage.getScene().getWidth() > width - 40);
    WaitForAsyncUtils.waitForFxEvents();
  }

  @Test
  void list_ofANarrowWindow_leavesTheViewsMostOfIt(FxRobot robot) {
    assertThat(stage.getScene().getWidth()).isLessThan(1000);
    assertThat(width(robot, "#sessions")).isBetween(150.0, 250.0);
    assertThat(robot.lookup("#inspector").tryQuery()).isEmpty();
  }

  @Test
  void list_keepsItsWidth_whileInspectorComesAndGoes(FxRobot robot) {
    double list = width(robot, "#sessions");
    widen(robot, 1250);
    await("the inspector", () -> robot.lookup("#inspector").tryQuery().isPresent());
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(width(robot, "#sessions")).isBetween(list - 3, list + 3);
    assertThat(width(robot, "#inspector")).isBetween(220.0, 330.0);
    robot.clickOn("#toggle-inspector");
    assertThat(robot.lookup("#inspector").tryQuery()).isEmpty();
    robot.clickOn("#toggle-inspector");
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(width(robot, "#sessions")).isBetween(list - 3, list + 3);
    assertThat(width(robot, "#inspector")).isBetween(220.0, 330.0);
    widen(robot, 900);
    await("no inspector", () -> robot.lookup("#inspector").tryQuery().isEmpty());
  }
}
