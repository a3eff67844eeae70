// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javafx.application.Platform;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.text.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.attach.RecordedPrograms;
import org.wridscope.recording.RecordedLab;

/** Recordings of programs in the window. */
@Slow("it opens the window, which draws in real time")
final class ProgramWindowTest {
  private static final int EXPLAIN = 7;
  private static final int LOG = 8;

  @TempDir Path directory;

  @RegisterExtension final WindowFixture window = new WindowFixture(1360, 760);

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

  /** A program that ran already, whose requests have one wr_id. */
  @Test
  void completionsOfRequestsThatAreNotKnown_areNotDrawnAsRequestsInFlight(FxRobot robot)
      throws Exception {
    Path log =
        Files.writeString(
            directory.resolve("early.csv"),
            """
            time_s,event,queue_pair,wr_id,opcode,length,completion_queue,text
            0,unseen,,,,0,,early
            1,post,17,1,SEND,64,,
            2,post,17,1,SEND,64,,
            3,completion,17,1,SEND,64,1,
            """);
    window.open(List.of(log));
    await("the lanes", () -> texts(robot).contains("not known which requests have completed"));
    assertThat(window.selected().name()).isEqualTo("early.csv");
    assertThat(window.text("#inspector-title")).isEqualTo("Program");
  }

  @Test
  void explain_tellsTheFailure_andTheLogHasEveryEvent(FxRobot robot) throws Exception {
    open(2);
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(7));
    assertThat(tab(robot)).isEqualTo("Explain");
    awaitNode(robot, "#explain-headline");
    Label headline = robot.lookup("#explain-headline").queryAs(Label.class);
    await("the headline", () -> headline.getText().endsWith("1 failed."));
    assertThat(robot.lookup(".explain-key-step .explain-who").queryAs(Label.class).getText())
        .isEqualTo("program");
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(8));
    awaitNode(robot, "#log-table");
    TableView<?> log = robot.lookup("#log-table").queryAs(TableView.class);
    await("the events", () -> !log.getItems().isEmpty());
  }

  @Test
  void registrations_areShown_whereTheyAreSeen(FxRobot robot) throws Exception {
    Path file = directory.resolve("regions.wrs");
    RecordedPrograms.recordWithRegions(file);
    window.open(List.of(file));
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(3));
    assertThat(tab(robot)).isEqualTo("Registrations");
    await("the figures", () -> labels(robot).contains("pinned now: 128 KiB"));
    assertThat(labels(robot)).contains("regions in total: 2", "refused registrations: 0");
  }

  @Test
  void registrations_areNotKnown_whereNothingTellsThem(FxRobot robot) throws Exception {
    open(1);
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(3));
    await(
        "that it is not known",
        () -> labels(robot).contains("memory this program has registered is not known"));
  }

  private static String labels(FxRobot robot) {
    return robot.lookup("#views").lookup(Label.class::isInstance).queryAllAs(Label.class).stream()
        .filter(Label::isVisible)
        .map(Label::getText)
        .collect(Collectors.joining("\n"));
  }

  @Test
  void whatOnlyMigrationsHave_isSaidNotToBeThere(FxRobot robot) throws Exception {
    open(1);
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(2));
    await(
        "what it is not",
        () ->
            robot.lookup(".empty-text").queryAllAs(Label.class).stream()
                .map(Label::getText)
                .anyMatch(text -> text.startsWith("This is a program and not a migration.")));
    assertThat(robot.lookup("#status").queryAs(Label.class).getText()).isEqualTo("ended");
  }

  private static final String LAYOUT =
      """
      {"fields": [{"name": "slot", "from": 0, "bits": 4, "values": {"1": "put"}},
                  {"name": "round", "from": 4, "bits": 28}]}
      """;

  private void decode(String json) throws IOException {
    Path file = Files.writeString(directory.resolve("layout.json"), json);
    Platform.runLater(() -> window.main().decodeWrids(file));
  }

  /** A view that is opened for the first time is made with the next frame. */
  private static void awaitNode(FxRobot robot, String selector) {
    await(selector, () -> robot.lookup(selector).tryQuery().isPresent());
  }

  private static void show(FxRobot robot, int view) {
    robot.interact(
        () -> robot.lookup("#views").queryAs(TabPane.class).getSelectionModel().select(view));
  }

  /** The texts of all nodes that are shown in a part of the window. */
  private static String shown(FxRobot robot, String id) {
    return onFx(() ->
        robot.lookup(id).lookup(Text.class::isInstance).queryAllAs(Text.class).stream()
            .filter(WindowFixture::isShown)
            .map(Text::getText)
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("\n")));
  }

  /** By a file that the user gives; a bad one changes nothing and is told in one sentence. */
  @Test
  void wrids_areDecodedInAllViews_asAFileSays(FxRobot robot) throws Exception {
    open(4);
    show(robot, LOG);
    await("the log", () -> shown(robot, "#log-table").contains("wr_id"));
    assertThat(shown(robot, "#log-table")).doesNotContain("slot", "round");

    decode(LAYOUT);
    await(
        "the fields in the log",
        () -> shown(robot, "#log-table").contains("wr_id 0x43 (slot 3, round 4)"));
    robot.interact(
        () -> robot.lookup("#log-table").queryAs(TableView.class).getSelectionModel().select(0));
    await(
        "the fields in the inspector",
        () -> shown(robot, "#inspector").contains("slot 0, round 0"));
    show(robot, EXPLAIN);
    await("the fields in Explain", () -> shown(robot, "#explain-steps").contains("(slot "));

    for (String bad :
        List.of(
            "{\"fields\": [{\"name\": \"a\", \"from\": 60, \"bits\": 8}]}",
            "{\"fields\": []}",
            "not JSON",
            "")) {
      robot.interact(() -> robot.lookup("#banner-close").queryButton().fire());
      decode(bad);
      await("a sentence about " + bad, () -> window.isShown("#banner"));
      assertThat(window.text("#banner"))
          .as(bad)
          .startsWith("wr_ids: ")
          .contains("layout.json")
          .endsWith(".")
          .doesNotContain("Exception", "\n");
    }
    show(robot, LOG);
    assertThat(shown(robot, "#log-table")).contains("wr_id 0x43 (slot 3, round 4)");
  }

  @Test
  void wridsOfAMigration_cannotBeDecodedOtherwise(FxRobot robot) throws Exception {
    Path file = directory.resolve("lab.wrs");
    RecordedLab.record(file, 0);
    window.open(List.of(file));
    decode(LAYOUT);
    await("a sentence", () -> window.isShown("#banner"));
    assertThat(window.text("#banner"))
        .isEqualTo("Select a program; the wr_ids of migrations are decoded already.");
  }
}
