// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.ui.OnFxRobot;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class ScenariosPaneTest {
  private final List<String> started = new ArrayList<>();
  private final List<Scenario> stepped = new ArrayList<>();

  /** Tasks for the background. */
  private final Queue<Runnable> background = new ArrayDeque<>();

  @SuppressWarnings("NullAway.Init")
  private ScenariosPane pane;

  @TempDir private Path folder;

  @Start
  void start(Stage stage) {
    pane =
        new ScenariosPane(background::add, scenario -> started.add(scenario.name()), stepped::add);
    stage.setScene(new Scene(pane.node(), 780, 640));
    stage.show();
  }

  private void open(FxRobot robot, Path file) {
    robot.interact(() -> pane.open(file));
    assertThat(background).as("reads off the JavaFX thread").hasSize(1);
    background.remove().run();
    WaitForAsyncUtils.waitForFxEvents();
  }

  private static String problem(FxRobot robot) {
    return robot.lookup("#scenarios-problem").queryAs(Label.class).getText();
  }

  @Test
  void eachShippedScenario_hasItsSentence_andIsStartedByItsButton(FxRobot robot) {
    for (Scenario scenario : Scenarios.shipped()) {
      assertThat(robot.lookup(scenario.about()).tryQuery()).as(scenario.name()).isPresent();
    }
    robot.clickOn("#run-all-zeros");
    assertThat(started).containsExactly("all-zeros");
  }

  @Test
  void aScenario_isSteppedThrough_inItsOrder_orThatOfASeed(FxRobot robot) {
    robot.clickOn("#step-all-zeros");
    TextField seed = robot.lookup("#scenario-seed").queryAs(TextField.class);
    robot.interact(() -> seed.setText("7"));
    robot.clickOn("#step-all-zeros");
    assertThat(stepped)
        .extracting(scenario -> scenario.schedule().seed())
        .containsExactly(Schedule.IN_TURN, 7L);
    assertThat(stepped.getLast().seed()).isEqualTo(7);

    robot.interact(() -> seed.setText("x"));
    robot.clickOn("#step-all-zeros");
    assertThat(problem(robot)).isEqualTo("Seed: \"x\" is not a whole number.");
    assertThat(stepped).hasSize(2);
  }

  @Test
  void search_findsWordsOfEveryText_inGroups(FxRobot robot) {
    assertThat(robot.lookup("Virtqueues").tryQuery()).isPresent();
    TextField filter = robot.lookup("#scenario-filter").queryAs(TextField.class);
    robot.interact(() -> filter.setText("  RETRANSMISSION  wire "));
    assertThat(robot.lookup("#run-retransmission-exposed").tryQuery()).isPresent();
    assertThat(robot.lookup("#run-all-zeros").tryQuery()).isEmpty();
    assertThat(robot.lookup("Virtqueues").tryQuery()).isEmpty();
    robot.interact(() -> filter.setText("max_mr"));
    assertThat(robot.lookup("#run-registration-limit").tryQuery()).isPresent();
    robot.interact(() -> filter.setText("xyzzy"));
    assertThat(robot.lookup("No scenario has these words.").tryQuery()).isPresent();
  }

  @Test
  void scenarioOfAFile_standsFirst_andCanBeStarted(FxRobot robot) throws Exception {
    Path file = folder.resolve("mine.json");
    Files.writeString(file, "{\"title\": \"Mine\", \"about\": \"My own.\"}");
    open(robot, file);
    assertThat(problem(robot)).isEmpty();
    robot.clickOn("#run-mine");
    assertThat(started).containsExactly("mine");
  }

  @Test
  void badFile_isToldWhereAndWhy(FxRobot robot) throws Exception {
    Path file = folder.resolve("bad.json");
    Files.writeString(file, "{\"title\": \"Bad\", \"about\": \"A.\", \"runs\": 0}");
    open(robot, file);
    assertThat(problem(robot)).contains("bad.json: runs: 0 is out of range");
    assertThat(robot.lookup("#run-bad").tryQuery()).isEmpty();
  }
}
