// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inParent;
import static org.wridscope.ui.OnFx.layOut;

import java.util.List;
import java.util.stream.Stream;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.layout.StackPane;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.ui.OnFxRobot;

/** The stages in little room. */
@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class StageLineTest {
  private StageLine line;

  @Start
  void start(javafx.stage.Stage stage) {
    line = new StageLine();
    stage.setScene(new Scene(new StackPane(line), 600, 100));
    stage.show();
  }

  @Test
  void times_leftOutOnce_stayOut_untilAnotherMigrationIsShown(FxRobot robot) {
    List<Stage> few = stages("12 ms", "connect", "done");
    List<Stage> many =
        stages("12.3 ms", "connect", "set-up", "round 1", "round 2", "round 3", "switch-over");
    assertThat(timesOf(few, robot)).isEqualTo(2);
    assertThat(timesOf(many, robot)).isZero();
    assertThat(timesOf(few, robot)).isZero();
    robot.interact(line::begin);
    assertThat(timesOf(few, robot)).isEqualTo(2);
  }

  /** How many stages have their times. */
  private long timesOf(List<Stage> stages, FxRobot robot) {
    robot.interact(() -> {
      line.setMaxWidth(400);
      line.set(stages, false);
      layOut(line.getScene().getRoot());
    });
    return robot.from(line).lookup(".stage-detail").queryAll().stream()
        .filter(Node::isVisible)
        .count();
  }

  private static List<Stage> stages(String took, String... names) {
    return Stream.of(names).map(name -> new Stage(name, 0, Stage.State.DONE, took)).toList();
  }

  @ParameterizedTest
  @ValueSource(doubles = {600, 400, 280, 200, 120})
  void stages_neverReachBeyondTheLine(double width, FxRobot robot) {
    robot.interact(() -> {
      line.set(
          stages("12 ms", "connect", "set-up", "round 1", "switch-over", "verify", "done"), false);
      line.setMaxWidth(width);
    });
    WaitForAsyncUtils.waitForFxEvents();
    robot.interact(() -> layOut(line.getScene().getRoot()));
    List<Node> shown = line.getChildrenUnmodifiable().stream().filter(Node::isManaged).toList();
    assertThat(shown).hasSizeGreaterThanOrEqualTo(6);
    assertThat(inParent(shown.getLast()).getMaxX()).isLessThanOrEqualTo(width + 1);
  }
}
