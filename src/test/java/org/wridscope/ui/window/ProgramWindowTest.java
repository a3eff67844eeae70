// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.text.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.control.attach.RecordedPrograms;

/** Recordings of programs in the window. */
final class ProgramWindowTest {
  @TempDir static Path directory;

  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);

  private void open(int queuePairs) throws Exception {
    Path file = directory.resolve(queuePairs + ".wrs");
    RecordedPrograms.record(file, queuePairs, 5);
    window.open(List.of(file));
  }

  private static String tab(FxRobot robot) {
    return robot
        .lookup("#views")
        .queryAs(TabPane.class)
        .getSelectionModel()
        .getSelectedItem()
        .getText();
  }

  private static String texts(FxRobot robot) {
    return robot.lookup("#wrid-plot").lookup(Text.class::isInstance).queryAllAs(Text.class).stream()
        .filter(Text::isVisible)
        .map(Text::getText)
        .collect(Collectors.joining("\n"));
  }

  @Test
  void eachQueuePair_hasLanes_andOneCanBeChosen(FxRobot robot) throws Exception {
    open(3);
    assertThat(tab(robot)).isEqualTo("Wrids");
    await("the lanes", () -> texts(robot).contains("QP 19"));
    assertThat(texts(robot)).contains("QP 17", "QP 18").doesNotContain("waits", "source");
    @SuppressWarnings("unchecked")
    ComboBox<String> queues = robot.lookup("#wrid-queue").queryAs(ComboBox.class);
    await("the queues", () -> queues.getItems().size() == 4);
    assertThat(queues.getItems()).containsExactly("all queues", "QP 17", "QP 18", "QP 19");
    robot.interact(() -> queues.getSelectionModel().select(2));
    await("only one queue", () -> !texts(robot).contains("QP 17"));
    assertThat(texts(robot)).contains("QP 18").doesNotContain("QP 19");
  }

  @Test
  void manyQueuePairs_shareTheirLanes(FxRobot robot) throws Exception {
    open(9);
    await("the lanes", () -> texts(robot).contains("all queues of"));
    assertThat(texts(robot)).doesNotContain("QP 17");
  }

  @Test
  void explain_tellsTheFailure_andTheLogHasEveryEvent(FxRobot robot) throws Exception {
    open(2);
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(7));
    assertThat(tab(robot)).isEqualTo("Explain");
    Label headline = robot.lookup("#explain-headline").queryAs(Label.class);
    await("the headline", () -> headline.getText().endsWith("1 failed."));
    assertThat(robot.lookup(".explain-key-step .explain-who").queryAs(Label.class).getText())
        .isEqualTo("program");
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(8));
    TableView<?> log = robot.lookup("#log-table").queryAs(TableView.class);
    await("the events", () -> !log.getItems().isEmpty());
  }

  @Test
  void whatOnlyMigrationsHave_isSaidNotToBeThere(FxRobot robot) throws Exception {
    open(1);
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(2));
    assertThat(robot.lookup(".empty-text").queryAllAs(Label.class))
        .extracting(Label::getText)
        .anyMatch(text -> text.startsWith("This is a program and not a migration."));
    assertThat(robot.lookup("#status").queryAs(Label.class).getText()).isEqualTo("ended");
  }
}
