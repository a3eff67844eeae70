// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.ListView;
import javafx.scene.control.TextField;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.ui.FxWatchdog;
import org.wridscope.ui.OnFxRobot;

/** A program is chosen from those that use RDMA, or named by its number. */
@Slow("a dialog, which draws itself in real time")
@ExtendWith(OnFxRobot.class)
final class AttachDialogTest {
  private static final List<RdmaProcess> FOUND =
      List.of(
          new RdmaProcess(4711, "kvstore", new TreeSet<>(Set.of("rxe0")), 1),
          new RdmaProcess(4712, "ib_send_lat", new TreeSet<>(Set.of("mlx5_0", "rxe0")), 3));

  @RegisterExtension final FxWatchdog watchdog = new FxWatchdog();

  private final List<Long> accepted = new ArrayList<>();
  private Stage owner;

  @Start
  void start(Stage stage) {
    owner = stage;
    stage.setScene(new Scene(new StackPane(), 400, 300));
    stage.show();
  }

  private void show(FxRobot robot, List<RdmaProcess> found, String unlisted) {
    robot.interact(() -> new AttachDialog(owner, found, unlisted, accepted::add).show());
  }

  private static Node accept(FxRobot robot) {
    return robot.lookup("#dialog-accept").query();
  }

  private static TextField number(FxRobot robot) {
    return robot.lookup("#attach-pid").queryAs(TextField.class);
  }

  @Test
  void aListedProgram_isAttachedTo(FxRobot robot) {
    show(robot, FOUND, "");
    assertThat(robot.lookup("#attach-list .list-cell").queryAllAs(Labeled.class))
        .extracting(Labeled::getText)
        .contains("kvstore 4711  ·  rxe0  ·  1 queue pair")
        .contains("ib_send_lat 4712  ·  mlx5_0, rxe0  ·  3 queue pairs");
    assertThat(number(robot).getText()).isEqualTo("4711");
    robot.interact(
        () -> robot.lookup("#attach-list").queryAs(ListView.class).getSelectionModel().select(1));
    robot.clickOn("#dialog-accept");
    assertThat(accepted).containsExactly(4712L);
    assertThat(robot.lookup("#attach-pid").tryQuery()).isEmpty();
  }

  @Test
  void anyProcess_canBeNamed_ifNoneIsListed(FxRobot robot) {
    show(robot, List.of(), "The processes cannot be listed.");
    assertThat(robot.lookup("#attach-list .label").queryAs(Label.class).getText())
        .isEqualTo("The processes cannot be listed.");
    assertThat(accept(robot).isDisabled()).isTrue();
    robot.interact(() -> number(robot).setText(" 17 "));
    robot.clickOn("#dialog-accept");
    assertThat(accepted).containsExactly(17L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "x", "4711x", "1234567890"})
  void whatIsNoNumberOfAProcess_cannotBeAccepted(String text, FxRobot robot) {
    show(robot, FOUND, "");
    robot.interact(() -> number(robot).setText(text));
    assertThat(accept(robot).isDisabled()).isTrue();
    assertThat(robot.lookup("#dialog-hindrance").queryAs(Label.class).getText())
        .contains("such as 4711");
    robot.clickOn("#dialog-cancel");
    assertThat(accepted).isEmpty();
  }
}
