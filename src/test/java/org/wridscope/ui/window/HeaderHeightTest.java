// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.Node;
import javafx.scene.control.Label;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.telemetry.MigrationStatus;

/** The header keeps its height when a migration ends. */
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
    double top = tabs.localToScene(0, 0).getY();

    manager.sessions().forEach(s -> ((FakeSession) s).end(MigrationStatus.FAILED, LONG));
    Label message = robot.lookup("#message").queryAs(Label.class);
    await("the outcome", () -> message.isVisible() && !cancel.isVisible());
    assertThat(tabs.localToScene(0, 0).getY()).isEqualTo(top);
    assertThat(message.getTooltip().getText()).isEqualTo(message.getText());
  }
}
