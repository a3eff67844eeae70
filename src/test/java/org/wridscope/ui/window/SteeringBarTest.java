// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.Node;
import javafx.scene.control.ComboBox;
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
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

@ExtendWith(ApplicationExtension.class)
final class SteeringBarTest {
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

  private FakeSession startLab(FxRobot robot) {
    robot.clickOn("#start");
    await("the lab", () -> isShown(robot, "#cancel"));
    FakeSession source = (FakeSession) manager.sessions().getFirst();
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    await("the limit in force", () -> bandwidth(robot).getEditor().getText().equals("128MiB/s"));
    return source;
  }

  private static boolean isShown(FxRobot robot, String id) {
    return robot.lookup(id).tryQuery().filter(Node::isVisible).isPresent();
  }

  private static ComboBox<?> bandwidth(FxRobot robot) {
    return robot.lookup("#bandwidth-limit").queryAs(ComboBox.class);
  }

  private static void type(FxRobot robot, String text) {
    robot.clickOn(bandwidth(robot).getEditor());
    robot.interact(() -> bandwidth(robot).getEditor().setText(text));
  }

  private static void press(FxRobot robot, KeyCode key) {
    robot.press(key).release(key);
    WaitForAsyncUtils.waitForFxEvents();
  }

  @Test
  void limit_typedWhileTheMigrationEnds_enterStartsNothing(FxRobot robot) {
    startLab(robot);
    type(robot, "64MiB");
    manager
        .sessions()
        .forEach(s -> ((FakeSession) s).end(MigrationStatus.COMPLETED, "The guest runs there."));
    await("the end", () -> isShown(robot, "#repeat"));
    press(robot, KeyCode.ENTER);
    press(robot, KeyCode.SPACE);
    assertThat(robot.lookup("#repeat").query().isFocused()).isFalse();
    assertThat(manager.started()).hasSize(1);
  }

  @Test
  void limit_escape_showsWhatIsInForce_andTabAppliesNothing(FxRobot robot) {
    FakeSession source = startLab(robot);
    type(robot, "1GiB/s");
    press(robot, KeyCode.ESCAPE);
    assertThat(bandwidth(robot).getEditor().getText()).isEqualTo("128MiB/s");
    press(robot, KeyCode.TAB);
    assertThat(source.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isEqualTo(128 << 20);
  }

  @Test
  void limit_escapeAfterNonsense_takesTheMessageBack(FxRobot robot) {
    startLab(robot);
    type(robot, "soon");
    press(robot, KeyCode.ENTER);
    assertThat(isShown(robot, "#message")).isTrue();
    press(robot, KeyCode.ESCAPE);
    assertThat(bandwidth(robot).getEditor().getText()).isEqualTo("128MiB/s");
    assertThat(isShown(robot, "#message")).isFalse();
  }
}
