// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.control.ComboBox;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

@Slow("it opens the window, which draws in real time")
final class SteeringBarTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);
  private final FakeSessionManager manager = window.manager;

  private FakeSession startLab(FxRobot robot) {
    FakeSession source = window.startLab();
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    await("the limit in force", () -> bandwidth(robot).getEditor().getText().equals("128MiB/s"));
    return source;
  }

  private static ComboBox<?> bandwidth(FxRobot robot) {
    return robot.lookup("#bandwidth-limit").queryAs(ComboBox.class);
  }

  private static void type(FxRobot robot, String text) {
    robot.clickOn(bandwidth(robot).getEditor());
    robot.interact(() -> bandwidth(robot).getEditor().setText(text));
  }

  @Test
  void limit_typedWhileTheMigrationEnds_enterStartsNothing(FxRobot robot) {
    startLab(robot);
    type(robot, "64MiB");
    manager
        .sessions()
        .forEach(s -> ((FakeSession) s).end(MigrationStatus.COMPLETED, "The guest runs there."));
    await("the end", () -> window.isShown("#repeat"));
    window.press(KeyCode.ENTER);
    window.press(KeyCode.SPACE);
    assertThat(robot.lookup("#repeat").query().isFocused()).isFalse();
    assertThat(manager.started()).hasSize(1);
  }

  @Test
  void limit_escape_showsWhatIsInForce_andTabAppliesNothing(FxRobot robot) {
    FakeSession source = startLab(robot);
    type(robot, "1GiB/s");
    window.press(KeyCode.ESCAPE);
    assertThat(bandwidth(robot).getEditor().getText()).isEqualTo("128MiB/s");
    window.press(KeyCode.TAB);
    assertThat(source.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isEqualTo(128 << 20);
  }

  @Test
  void limit_escapeAfterNonsense_takesTheMessageBack(FxRobot robot) {
    startLab(robot);
    type(robot, "soon");
    window.press(KeyCode.ENTER);
    assertThat(window.text("#message")).contains("\"soon\"");
    window.press(KeyCode.ESCAPE);
    assertThat(bandwidth(robot).getEditor().getText()).isEqualTo("128MiB/s");
    assertThat(window.text("#message")).doesNotContain("soon");
  }

  @Test
  void switchOver_isOfferedWhileTheSourceIsHeld(FxRobot robot) {
    FakeSession source = startLab(robot);
    assertThat(window.isShown("#permit-switchover")).isFalse();
    source.telemetry().setStatus(MigrationStatus.PRE_SWITCHOVER);
    await("the button", () -> window.isShown("#permit-switchover"));
    assertThat(window.text("#message")).startsWith("Ready to switch over: the guest keeps running");
    assertThat(window.text("#status")).isEqualTo("waits for you");
    source.setGuestRunning(false);
    await("the message", () -> window.text("#message").startsWith("The guest is paused"));
    robot.clickOn("#permit-switchover");
    assertThat(source.permitted()).isTrue();
    source.telemetry().setStatus(MigrationStatus.DEVICE);
    await("no button", () -> !window.isShown("#permit-switchover"));
  }
}
