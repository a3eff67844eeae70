// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.telemetry.MigrationStatus;

/** What is below the header stays where it is when a migration ends. */
@ExtendWith(ApplicationExtension.class)
final class HeaderHeightTest {
  private static final String LONG =
      "The destination closed the connection before it had taken the guest over; look at its log,"
          + " and start the migration anew. The guest goes on running at the source.";

  private final WindowFixture fixture = new WindowFixture();
  private final FakeSessionManager manager = fixture.manager;
  private @Nullable MainWindow window;
  private Stage stage;

  @Start
  void start(Stage newStage) {
    stage = newStage;
    window = fixture.show(newStage, 1280, 720, new MemoryPreferences());
  }

  @AfterEach
  void stop() {
    fixture.close(window);
  }

  @ParameterizedTest
  @ValueSource(ints = {820, 1000, 1280, 1800})
  void whenAMigrationEnds(int width, FxRobot robot) {
    robot.interact(() -> stage.setWidth(width));
    robot.clickOn("#start");
    Node cancel = robot.lookup("#cancel").query();
    await("the lab", cancel::isVisible);
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
