// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.Node;
import javafx.scene.control.Label;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** The header keeps its height when a migration ends, until nobody points at what is below it. */
@Slow("it opens the window, which draws in real time")
final class HeaderHeightTest {
  private final String LONG =
      "The destination closed the connection before it had taken the guest over; look at its log,"
          + " and start the migration anew. The guest keeps running at the source.";

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);
  private final FakeSessionManager manager = window.manager;

  @ParameterizedTest
  @ValueSource(ints = {820, 1000, 1280, 1800})
  void whenAMigrationEnds(int width, FxRobot robot) {
    robot.interact(() -> window.stage().setWidth(width));
    window.startLab();
    Node cancel = robot.lookup("#cancel").query();
    manager.sessions().forEach(session -> session.telemetry().setStatus(MigrationStatus.ACTIVE));
    Label status = robot.lookup("#status").queryAs(Label.class);
    await("it to be shown as running", () -> status.getText().equals("migrating"));
    Node tabs = robot.lookup("#views").query();
    double top = inScene(tabs).getMinY();
    robot.moveTo(tabs);

    manager.sessions().forEach(s -> ((FakeSession) s).end(MigrationStatus.FAILED, LONG));
    Label message = robot.lookup("#message").queryAs(Label.class);
    await("the outcome", () -> message.isVisible() && !cancel.isVisible());
    assertThat(inScene(tabs).getMinY()).isEqualTo(top);
    assertThat(message.getTooltip().getText()).isEqualTo(message.getText());

    robot.moveTo("#status");
    await("only the room that is needed", () -> gap(message, tabs) < 20);
    double settled = inScene(tabs).getMinY();
    assertThat(settled).isLessThanOrEqualTo(top);
    robot.moveTo(tabs);
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(inScene(tabs).getMinY()).isEqualTo(settled);
  }

  /** The height between a text and what is below it. */
  private static double gap(Label label, Node below) {
    return onFx(() -> inScene(below).getMinY() - inScene(label.lookup(".text")).getMaxY());
  }

  @Test
  void ofAMigrationThatHadEnded_isOnlyWhatIsNeeded(FxRobot robot) {
    robot.interact(() -> window.stage().setWidth(820));
    window.startLab();
    Node cancel = robot.lookup("#cancel").query();
    Node tabs = robot.lookup("#views").query();
    robot.moveTo(tabs);
    double top = inScene(tabs).getMinY();
    manager.sessions().forEach(s -> ((FakeSession) s).end(MigrationStatus.FAILED, "Refused."));
    await("the outcome", () -> !cancel.isVisible());
    assertThat(inScene(tabs).getMinY()).isEqualTo(top);
    manager
        .add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE)
        .end(MigrationStatus.FAILED, "Connection refused.");
    await("the other one", () -> window.list().getItems().size() == 2);
    window.select(1);
    window.select(0);
    // The limits and the second line of the message.
    await("its room", () -> inScene(tabs).getMinY() < top - 40);
  }
}
