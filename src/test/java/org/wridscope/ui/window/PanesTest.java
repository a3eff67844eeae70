// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import javafx.scene.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;

/** The widths of the panes when a window of the usual size opens. */
final class PanesTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);

  @Test
  void list_ofAWideWindow_beginsWithItsFullWidth(FxRobot robot) {
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(robot.lookup("#sessions").<Node>query().getLayoutBounds().getWidth())
        .isBetween(233.0, 239.0);
    assertThat(robot.lookup("#inspector").tryQuery()).isPresent();
  }
}
