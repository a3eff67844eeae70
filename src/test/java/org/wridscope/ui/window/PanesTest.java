// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.layOut;

import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.layout.StackPane;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;

/** The widths of the panes when a window of the usual size opens. */
@Slow("it opens the window, which draws in real time")
final class PanesTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);

  @Test
  void list_ofAWideWindow_beginsWithItsFullWidth(FxRobot robot) {
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(inScene(window.list()).getWidth()).isBetween(233.0, 239.0);
    assertThat(robot.lookup("#inspector").tryQuery()).isPresent();
  }

  @Test
  void widthsOfAnEarlierWindow_areRestored_withinTheWindow(FxRobot robot) {
    assertThat(restored(robot, new Panes.Widths(300, 400, true)))
        .isEqualTo(new Panes.Widths(300, 400, true));
    assertThat(restored(robot, new Panes.Widths(0, 300, true)))
        .isEqualTo(new Panes.Widths(0, 300, true));
    assertThat(restored(robot, new Panes.Widths(5000, 5000, true)))
        .isEqualTo(new Panes.Widths(512, 512, true));
    assertThat(restored(robot, new Panes.Widths(300, 400, false)))
        .isEqualTo(new Panes.Widths(300, 400, false));
  }

  /** The widths that panes have, to the pixel, in a window of 1280 pixels. */
  private static Panes.Widths restored(FxRobot robot, Panes.Widths before) {
    var panes = new Panes(new StackPane(), new StackPane(), new StackPane(), _ -> {});
    panes.restore(before);
    robot.interact(() -> {
      Parent node = (Parent) panes.node();
      var scene = new Scene(node, 1280, 700);
      layOut(node);
      assertThat(scene.getWidth()).isEqualTo(1280);
    });
    Panes.Widths now = panes.widths();
    // Half of a divider belongs to each side.
    double divider = 6;
    return new Panes.Widths(
        now.list() == 0 ? 0 : near(now.list(), before.list(), divider),
        near(now.inspector(), before.inspector(), divider),
        now.inspectorWanted());
  }

  private static double near(double value, double wanted, double tolerance) {
    double limited = Math.min(wanted, 512);
    return Math.abs(value - limited) <= tolerance ? limited : value;
  }
}
