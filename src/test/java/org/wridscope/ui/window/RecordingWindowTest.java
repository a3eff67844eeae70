// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.ListView;
import javafx.scene.control.Slider;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.control.TextInputControl;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.kordamp.ikonli.javafx.FontIcon;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.SessionPair;
import org.wridscope.protocol.HostileText;
import org.wridscope.recording.file.HostileRecording;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.sessions.Migration;

/** Recordings in the window, opened from trace logs of QEMU. */
@Slow("it opens the window, which draws in real time")
final class RecordingWindowTest {
  @TempDir static Path directory;

  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);

  private Migration open(String... names) throws IOException {
    var files = new ArrayList<Path>();
    for (String name : names) {
      files.add(WindowFixture.traceLog(directory, name));
    }
    return window.open(files);
  }

  private SessionPair openBoth() throws IOException {
    return Objects.requireNonNull(
        open("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log").pair());
  }

  @Test
  void twoLogs_areOneMigration_thatCanBeMovedToAnyMoment(FxRobot robot) throws Exception {
    SessionPair pair = openBoth();
    assertThat(pair.source()).isNotNull();
    assertThat(pair.destination()).isNotNull();
    assertThat(window.selected().name()).isEqualTo("qemu-7.2-dyn-idle");
    assertThat(robot.lookup("#player-position").tryQuery()).isPresent();
    assertThat(robot.lookup("#cancel").query().isVisible()).isFalse();
    assertThat(pair.leading().status()).isEqualTo(MigrationStatus.COMPLETED);

    window.seek(0.1);
    await("the moment", () -> pair.leading().status() == MigrationStatus.ACTIVE);
    await(
        "the status to be shown",
        () -> robot.lookup("#status").queryAs(Label.class).getText().equals("migrating"));
    robot.clickOn("#player-begin");
    await("the beginning", () -> pair.leading().telemetry().log().size() == 1);
    robot.clickOn("#player-end");
    await("the end", () -> pair.leading().status() == MigrationStatus.COMPLETED);
  }

  @Test
  @SuppressWarnings("unchecked")
  void everyTab_showsIt_andTheLogGoesBackWithIt(FxRobot robot) throws Exception {
    SessionPair pair = openBoth();
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    for (int i = 0; i < tabs.getTabs().size(); i++) {
      int tab = i;
      robot.interact(() -> tabs.getSelectionModel().select(tab));
      window.seek(0.05 + tab * 0.02);
    }
    robot.interact(() ->
        tabs.getTabs().stream()
            .filter(tab -> tab.getText().equals("Log"))
            .forEach(tab -> tabs.getSelectionModel().select(tab)));
    robot.clickOn("#player-end");
    TableView<?> table = robot.lookup("#log-table").queryAs(TableView.class);
    long all = size(pair);
    await("all events", () -> table.getItems().size() == all);
    window.seek(0.1);
    await("fewer events", () -> table.getItems().size() == size(pair));
    assertThat(table.getItems().size()).isLessThan((int) all);
  }

  private static long size(SessionPair pair) {
    return pair.sessions().stream().mapToLong(each -> each.telemetry().log().size()).sum();
  }

  @Test
  void closing_whileAMigrationIsRecorded_recordsItsEndToo(FxRobot robot) throws Exception {
    Path file = directory.resolve("cancelled.wrs");
    robot.clickOn("#start");
    await("the lab", () -> window.manager.sessions().size() == 2);
    await("it to be selected", () -> window.selected().pair() != null);
    Platform.runLater(() -> window.main().record(file));
    await("the recording", () -> Files.exists(file));
    Platform.runLater(window.main()::closeNow);
    await("the end", () -> window.closed.get() == 1);
    try (var open = new OpenRecordings()) {
      SessionPair recorded = open.open(List.of(file)).pairs().getFirst();
      assertThat(recorded.sessions())
          .hasSize(2)
          .allSatisfy(session -> {
            assertThat(session.status()).isEqualTo(MigrationStatus.CANCELLED);
            assertThat(session.outcome()).startsWith("Cancelled;");
          });
    }
  }

  @Test
  void playing_comesToTheEnd_andStops(FxRobot robot) throws Exception {
    SessionPair pair = openBoth();
    robot.interact(() ->
        robot.lookup("#player-speed").queryAs(ComboBox.class).getSelectionModel().selectLast());
    robot.clickOn("#player-play");
    await("the end", () -> pair.leading().status() == MigrationStatus.COMPLETED);
  }

  @Test
  void severalRecordings_areOpen_comparedAndRemoved(FxRobot robot) throws Exception {
    openBoth();
    assertThat(open("qemu-7.2-dest-killed.source.log").name()).contains("killed");
    ListView<?> list = window.list();
    int entries = list.getItems().size();
    window.choose("#recordings", "compare");
    await("the comparison", () -> robot.lookup("#compare-right").tryQuery().isPresent());
    Object left = robot.lookup("#compare-left").queryAs(ComboBox.class).getValue();
    Object right = robot.lookup("#compare-right").queryAs(ComboBox.class).getValue();
    assertThat(left).isNotNull().isNotEqualTo(right);
    assertThat(right).isNotNull();
    robot.interact(() -> robot.lookup("#compare-position").queryAs(Slider.class).setValue(0.1));
    await(
        "the moment of the left one",
        () -> ((Migration) left).status() != MigrationStatus.COMPLETED);

    // Fired directly, because the window of the comparison has the focus.
    robot.interact(() ->
        list.fireEvent(
            new KeyEvent(
                KeyEvent.KEY_PRESSED, "", "", KeyCode.DELETE, false, false, false, false)));
    await("it to be gone", () -> list.getItems().size() == entries - 1);
  }

  @Test
  void whatIsNoRecording_isSaid() throws Exception {
    Path other = directory.resolve("other.txt");
    Files.writeString(other, "hello\n");
    Platform.runLater(() -> window.main().openRecordings(List.of(other)));
    await(
        "the sentence",
        () -> window.text("#banner").contains("neither a recording nor a capture of packets"));
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void logThatDoesNotShowItsEnd_isOpenedAsTheUserSays(Role role, FxRobot robot) throws Exception {
    Path log = WindowFixture.traceLog(directory, "handwritten-7.2-no-end.log");
    Platform.runLater(() -> window.main().openRecordings(List.of(log)));
    String button = "#question-" + role.text();
    await("the question", () -> window.isShown(button));
    robot.clickOn(button);
    await("the recording", () -> window.selected() != null && window.selected().recorded());
    assertThat(Objects.requireNonNull(window.selected().pair()).sessions())
        .singleElement()
        .satisfies(session -> assertThat(session.role()).isEqualTo(role));
  }

  @Test
  void logsOfTheOutOfOrderWrid_areOpened(FxRobot robot) throws Exception {
    SessionPair pair =
        Objects.requireNonNull(
            open("qemu-6.0.50-out-of-order.source.log", "qemu-6.0.50-out-of-order.dest.log")
                .pair());
    assertThat(pair.sessions()).hasSize(2);
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    for (int i = 0; i < tabs.getTabs().size(); i++) {
      int tab = i;
      robot.interact(() -> tabs.getSelectionModel().select(tab));
    }
    robot.interact(() ->
        tabs.getTabs().stream()
            .filter(tab -> tab.getText().equals("Explain"))
            .forEach(tab -> tabs.getSelectionModel().select(tab)));
    await(
        "the explanation",
        () ->
            window.text("#explain-headline").startsWith("The destination dropped the completion"));
  }

  @Test
  @SuppressWarnings("unchecked")
  void textsOfAFile_areShownSafely_inEveryView(FxRobot robot) throws Exception {
    Path file = directory.resolve("bad\u001b[31m\n\u202ename.wrs");
    HostileRecording.write(file, HostileText.ALL);
    window.open(List.of(file));
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    for (int i = 0; i < tabs.getTabs().size(); i++) {
      int tab = i;
      robot.interact(() -> tabs.getSelectionModel().select(tab));
      robot.interact(() -> {
        for (Window shown : Window.getWindows()) {
          assertThat(
                  shown instanceof Stage stage ? HostileText.unsafe(stage.getTitle(), false) : "")
              .isEmpty();
          for (Node node : shown.getScene().getRoot().lookupAll("*")) {
            assertThat(HostileText.unsafe(textOf(node), true)).as("%s", node).isEmpty();
          }
        }
      });
    }
    assertThat(window.selected().name()).contains("bad");
    Path other = directory.resolve("no recording\u001b\u202e.wrs");
    Files.writeString(other, "hello");
    Platform.runLater(() -> window.main().openRecordings(List.of(other)));
    await("the sentence", () -> window.text("#banner").contains("no recording\\x1b<U+202E>.wrs"));
  }

  private static String textOf(Node node) {
    String text =
        switch (node) {
          // Icons are private characters of a font.
          case FontIcon _ -> "";
          case Labeled labeled -> labeled.getText();
          case Text shown -> shown.getText();
          case TextInputControl input -> input.getText();
          default -> "";
        };
    return text == null ? "" : text;
  }
}
