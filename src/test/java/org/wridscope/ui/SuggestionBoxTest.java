// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Scene;
import javafx.scene.input.KeyCode;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;

@Slow("it opens a window")
@ExtendWith(OnFxRobot.class)
final class SuggestionBoxTest {
  private SuggestionBox box;
  private final List<String> entered = new ArrayList<>();

  @Start
  void start(Stage stage) {
    box = new SuggestionBox();
    box.offer(List.of("tcp:one:1", "tcp:two:2"));
    box.onEnter(() -> entered.add(box.typed()));
    stage.setScene(new Scene(new VBox(box), 400, 200));
    stage.show();
  }

  @Test
  void enter_actsOnce_onWhatWasTyped(FxRobot robot) {
    robot.clickOn(box.getEditor()).write("tcp:host:9");
    press(robot, KeyCode.ENTER);
    assertThat(entered).containsExactly("tcp:host:9");
    // Again, with the same text.
    press(robot, KeyCode.ENTER);
    assertThat(entered).containsExactly("tcp:host:9", "tcp:host:9");
  }

  @Test
  void enter_inTheOpenList_onlyChooses(FxRobot robot) {
    robot.clickOn(box.getEditor());
    robot.interact(box::show);
    press(robot, KeyCode.DOWN);
    press(robot, KeyCode.ENTER);
    assertThat(box.isShowing()).isFalse();
    assertThat(entered).isEmpty();
    assertThat(box.typed()).isEqualTo("tcp:one:1");
  }

  private static void press(FxRobot robot, KeyCode key) {
    robot.press(key).release(key);
    WaitForAsyncUtils.waitForFxEvents();
  }
}
