// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javafx.application.Platform;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.DialogPane;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.remembered.Remembered;

/** Runs are not lost when the window closes, and files are found again. */
@Slow("it opens the window, which draws in real time")
final class KeepingTest {
  private final Remembered remembered = Remembered.inMemory();

  @RegisterExtension final WindowFixture window = new WindowFixture(990, 700, remembered);
  @TempDir Path directory;

  private void addEnded(String name) {
    FakeSession session = window.manager.add(name, "rdma:127.0.0.1:4444", Role.SOURCE);
    session.end(MigrationStatus.FAILED, "The guest keeps running at the source.");
    await(name, () -> window.list().getItems().stream().anyMatch(m -> m.name().equals(name)));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  @Test
  void unrecordedRuns_areOfferedForSaving_andEnterKeepsTheWindow(FxRobot robot) {
    addEnded("vm7");
    window.press(KeyCode.CONTROL, KeyCode.Q);
    await("the question", () -> window.isShown("#question-save"));
    assertThat(robot.lookup(".dialog-pane").queryAs(DialogPane.class).getContentText())
        .isEqualTo(
            "vm7 is not recorded; what the views show of it is lost when the window closes.");
    window.press(KeyCode.ENTER);
    await("the question to go", () -> !window.isShown("#question-save"));
    assertThat(window.stage().isShowing()).isTrue();
    addEnded("vm8");
    window.press(KeyCode.CONTROL, KeyCode.Q);
    await("the question", () -> window.isShown("#question-save"));
    assertThat(robot.lookup(".dialog-pane").queryAs(DialogPane.class).getContentText())
        .startsWith("2 migrations are not recorded (vm7, vm8); what the views show of them");
    robot.clickOn("#question-yes");
    await("the end", () -> window.closed.get() == 1);
  }

  @Test
  void saved_eachIsInAFileThatOpens_andTheWindowCloses() throws IOException {
    addEnded("vm7");
    addEnded("vm8");
    Platform.runLater(() -> window.main().saveAndClose(directory));
    await("the end", () -> window.closed.get() == 1);
    assertThat(files())
        .hasSize(2)
        .allMatch(file -> file.toString().matches(".*/\\d{8}-\\d{6}-[12]-vm[78]\\.wrs"));
    try (var open = new OpenRecordings()) {
      assertThat(open.open(List.of(files().getFirst())).pairs()).hasSize(1);
    }
  }

  @Test
  void savedWhereNothingCanBeWritten_saysSo_andTheWindowStays() {
    addEnded("vm7");
    Platform.runLater(() -> window.main().saveAndClose(directory.resolve("none")));
    await("the sentence", () -> window.text("#banner").contains("none"));
    assertThat(window.stage().isShowing()).isTrue();
  }

  @Test
  void recordedRuns_andThoseOfAUserWhoDoesNotWantIt_areNotOffered() {
    addEnded("vm7");
    window.select(1);
    Platform.runLater(() -> window.main().record(directory.resolve("vm7.wrs")));
    await("the recording", () -> window.text("#banner").startsWith("The recording is in"));
    window.press(KeyCode.CONTROL, KeyCode.Q);
    await("the end", () -> window.closed.get() == 1);
  }

  @Test
  void notOffered_ifTheUserHasSwitchedItOff(FxRobot robot) {
    addEnded("vm7");
    window.press(KeyCode.CONTROL, KeyCode.Q);
    await("the question", () -> window.isShown("#question-save"));
    window.press(KeyCode.ESCAPE);
    robot.interact(() ->
        robot.lookup("#program-menu").queryAs(MenuButton.class).getItems().stream()
            .filter(item -> String.valueOf(item.getText()).startsWith("Offer to save"))
            .forEach(item -> ((CheckMenuItem) item).setSelected(false)));
    assertThat(remembered.choices().get("offer-saving", Boolean.class)).isFalse();
    window.press(KeyCode.CONTROL, KeyCode.Q);
    await("the end", () -> window.closed.get() == 1);
  }

  private List<MenuItem> recent(FxRobot robot) {
    return onFx(() ->
        robot.lookup("#recordings").queryAs(MenuButton.class).getItems().stream()
            .filter(Menu.class::isInstance)
            .filter(menu -> "open-recent".equals(menu.getId()))
            .flatMap(menu -> ((Menu) menu).getItems().stream())
            .filter(item -> item.getText() != null)
            .toList());
  }

  @Test
  void openedFiles_areInTheMenu_whichOpensThemAgain(FxRobot robot) throws IOException {
    assertThat(recent(robot)).extracting(MenuItem::getText).containsExactly("Clear this list");
    Path log = WindowFixture.traceLog(directory, "handwritten-6.0-hang.source.log");
    Platform.runLater(() -> window.main().openFiles(List.of(log)));
    await("the log", () -> window.list().getItems().size() == 2);
    assertThat(recent(robot).getFirst().getText())
        .isEqualTo(log.getFileName() + "  ·  " + directory);
    MenuItem again = recent(robot).getFirst();
    robot.interact(again::fire);
    await("the log again", () -> window.list().getItems().size() == 3);
    assertThat(recent(robot)).hasSize(2);
    MenuItem clear = recent(robot).getLast();
    robot.interact(clear::fire);
    assertThat(recent(robot)).hasSize(1);
  }

  @Test
  void scenarioFiles_areShownInTheListOfScenarios(FxRobot robot) throws IOException {
    Path scenario = directory.resolve("mine.json");
    Files.writeString(scenario, "{\"title\": ");
    Platform.runLater(() -> window.main().openFiles(List.of(scenario)));
    await("what is wrong with it", () -> window.isShown("#scenarios-problem"));
    assertThat(window.text("#scenarios-problem")).contains("mine.json");
    window.press(KeyCode.ESCAPE);
    assertThat(robot.lookup("#scenarios").tryQuery()).isEmpty();
  }
}
