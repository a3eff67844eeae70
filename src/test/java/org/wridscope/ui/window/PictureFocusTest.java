// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;

import java.util.List;
import javafx.scene.Node;
import javafx.scene.control.TabPane;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;

/** A picture that takes keys has the keyboard after a click. */
@Slow("it opens the window, which draws in real time")
final class PictureFocusTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  @Test
  void click_leavesTheKeyboardInThePicture(FxRobot robot) {
    window.startLab();
    int clicked = 0;
    for (int view = 0; view < views(); view++) {
      int shown = view;
      robot.interact(() -> Script.open(shown));
      for (Node picture : pictures()) {
        robot.clickOn(picture);
        assertThat(onFx(() -> window.stage().getScene().getFocusOwner()))
            .as("view %s, %s", view, picture.getAccessibleText())
            .isSameAs(picture);
        clicked++;
      }
    }
    assertThat(clicked).isGreaterThanOrEqualTo(8);
  }

  private int views() {
    return onFx(() -> ((TabPane) window.stage().getScene().lookup("#views")).getTabs().size());
  }

  private List<Node> pictures() {
    return onFx(() ->
        window.stage().getScene().getRoot().lookupAll("*").stream()
            .filter(node -> "chunk-map".equals(node.getId()) || node.getStyleClass().contains("chart-view"))
            .filter(WindowFixture::isShown)
            .toList());
  }
}
