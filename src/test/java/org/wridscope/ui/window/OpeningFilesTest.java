// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javafx.application.Platform;
import javafx.scene.control.ListView;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;

/** Files that are named to the program, dropped or chosen are opened by their content. */
@Slow("it opens the window, which draws in real time")
final class OpeningFilesTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(990, 700);
  @TempDir Path directory;

  private void open(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, content);
    Platform.runLater(() -> window.main().openFiles(List.of(file)));
  }

  @ParameterizedTest
  @CsvSource({"mine.wridscope.json", "mine"})
  void scenario_whateverItsName_waitsToBeRun(String name, FxRobot robot) throws IOException {
    open(name, "\n{ \"about\": \"My own.\", \"title\": \"Mine\", \"group\": \"Normal\"}");
    await("its button", () -> robot.lookup("#run-mine").tryQuery().isPresent());
    await("the focus", () -> robot.lookup("#run-mine").query().isFocused());
    assertThat(window.manager.started()).isEmpty();
    window.press(KeyCode.ENTER);
    await("its run", () -> window.manager.started().size() == 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          log.json  | {"time_s": 1, "event": "post", "queue_pair": 17, "wr_id": "1", "opcode": "SEND"}
          log.csv   | time_s,event,queue_pair,wr_id,opcode/1,post,17,1,SEND
          """)
  void logOfOnesOwn_opensLikeARecording(String name, String content) throws IOException {
    ListView<?> list = window.list();
    open(name, content.replace('/', '\n') + "\n");
    await("the log", () -> list.getItems().size() == 2);
    assertThat(window.selected().recorded()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"package.json, '{\"name\": \"other\"}'", "empty.json, ''"})
  void foreignFile_isRefusedInASentence(String name, String content) throws IOException {
    open(name, content);
    await("the sentence", () -> window.text("#banner").contains(name));
    assertThat(window.text("#banner")).contains("neither a recording nor").endsWith(".");
    assertThat(window.isShown("#scenarios")).isFalse();
  }

  /** Of several files, those that can be opened are. */
  @Test
  void readableFiles_areOpened_besideOthers(FxRobot robot) throws IOException {
    List<Path> files = new ArrayList<>();
    files.add(directory.resolve("gone.wrs"));
    for (String log : List.of("first", "second")) {
      files.add(
          Files.writeString(
              directory.resolve(log + ".csv"),
              "time_s,event,queue_pair,wr_id,opcode\n1,post,17,1,SEND\n"));
    }
    files.add(Files.writeString(directory.resolve("cut.wrs"), "WRS"));
    ListView<?> list = window.list();
    Platform.runLater(() -> window.main().openFiles(files));
    await("the logs", () -> list.getItems().size() == 3);
    await("the sentences", () -> window.text("#banner").contains("gone.wrs"));
    assertThat(window.text("#banner")).contains("cut.wrs");
  }

  @Test
  void scenarioOpenedAgain_isShownAsItIsNow(FxRobot robot) throws IOException {
    open("mine.json", "{\"title\": \"Mine\", \"about\": \"At first.\"}");
    await("the scenario", () -> robot.lookup("At first.").tryQuery().isPresent());
    open("mine.json", "{\"title\": \"Mine\", \"about\": \"Later.\"}");
    await("the change", () -> robot.lookup("Later.").tryQuery().isPresent());
    assertThat(robot.lookup("At first.").tryQuery()).isEmpty();
    window.press(KeyCode.ESCAPE);
  }
}
