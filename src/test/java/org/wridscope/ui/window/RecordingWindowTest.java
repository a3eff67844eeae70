// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javafx.application.Platform;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.ListView;
import javafx.scene.control.MenuButton;
import javafx.scene.control.Slider;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.control.TextInputControl;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.kordamp.ikonli.javafx.FontIcon;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.wridscope.protocol.HostileText;
import org.wridscope.recording.HostileRecording;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.recording.OpenRecordings;
import org.wridscope.ui.sessions.Migration;

/** Recordings in the window, opened from trace logs of QEMU. */
@ExtendWith(ApplicationExtension.class)
final class RecordingWindowTest {
  @TempDir static Path directory;

  private final WindowFixture fixture = new WindowFixture();
  private MainWindow window;

  @Start
  void start(Stage stage) {
    window = fixture.show(stage, 1200, 760, new MemoryPreferences());
  }

  @AfterEach
  void stop() {
    fixture.close(window);
  }

  private static Path log(String name) throws IOException {
    Path file = directory.resolve(name);
    try (InputStream in =
        RecordingWindowTest.class.getResourceAsStream("/org/wridscope/recording/" + name)) {
      assertThat(in).isNotNull();
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  private void open(String... names) throws IOException {
    var files = new ArrayList<Path>();
    for (String name : names) {
      files.add(log(name));
    }
    Platform.runLater(() -> window.openRecordings(files));
  }

  @SuppressWarnings("unchecked")
  private static Migration selected(FxRobot robot) {
    return (Migration)
        robot.lookup("#sessions").queryAs(ListView.class).getSelectionModel().getSelectedItem();
  }

  private SessionPair openBoth(FxRobot robot) throws IOException {
    open("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log");
    await("the recording", () -> selected(robot).recorded());
    SessionPair pair = selected(robot).pair();
    assertThat(pair).isNotNull();
    return pair;
  }

  @Test
  void twoLogs_areOneMigration_thatCanBeMovedToAnyMoment(FxRobot robot) throws Exception {
    SessionPair pair = openBoth(robot);
    assertThat(pair.source()).isNotNull();
    assertThat(pair.destination()).isNotNull();
    assertThat(selected(robot).name()).isEqualTo("qemu-7.2-dyn-idle");
    assertThat(robot.lookup("#player-position").tryQuery()).isPresent();
    assertThat(robot.lookup("#cancel").query().isVisible()).isFalse();
    assertThat(pair.leading().status()).isEqualTo(MigrationStatus.COMPLETED);

    robot.interact(() -> robot.lookup("#player-position").queryAs(Slider.class).setValue(0.1));
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
    SessionPair pair = openBoth(robot);
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    for (int i = 0; i < tabs.getTabs().size(); i++) {
      int tab = i;
      robot.interact(() -> tabs.getSelectionModel().select(tab));
      robot.interact(
          () -> robot.lookup("#player-position").queryAs(Slider.class).setValue(0.05 + tab * 0.02));
    }
    robot.interact(() ->
        tabs.getTabs().stream()
            .filter(tab -> tab.getText().equals("Log"))
            .forEach(tab -> tabs.getSelectionModel().select(tab)));
    robot.clickOn("#player-end");
    TableView<Event> table = robot.lookup("#log-table").queryAs(TableView.class);
    long all = pair.leading().telemetry().log().size();
    await("all events", () -> table.getItems().size() == all);
    robot.interact(() -> robot.lookup("#player-position").queryAs(Slider.class).setValue(0.1));
    await("fewer events", () -> table.getItems().size() == pair.leading().telemetry().log().size());
    assertThat(table.getItems().size()).isLessThan((int) all);
  }

  @Test
  void closing_whileAMigrationIsRecorded_recordsItsEndToo(FxRobot robot) throws Exception {
    Path file = directory.resolve("cancelled.wrs");
    robot.clickOn("#start");
    await("the lab", () -> fixture.manager.sessions().size() == 2);
    await("it to be selected", () -> selected(robot).pair() != null);
    Platform.runLater(() -> window.record(file));
    await("the recording", () -> Files.exists(file));
    Platform.runLater(window::closeNow);
    await("the end", () -> fixture.closed.get() == 1);
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
    SessionPair pair = openBoth(robot);
    robot.interact(() ->
        robot.lookup("#player-speed").queryAs(ComboBox.class).getSelectionModel().selectLast());
    robot.clickOn("#player-play");
    await("the end", () -> pair.leading().status() == MigrationStatus.COMPLETED);
  }

  @Test
  void severalRecordings_areOpen_comparedAndRemoved(FxRobot robot) throws Exception {
    openBoth(robot);
    open("qemu-7.2-dest-killed.source.log");
    await("the other", () -> selected(robot).name().contains("killed"));
    ListView<?> list = robot.lookup("#sessions").queryAs(ListView.class);
    int entries = list.getItems().size();
    robot.interact(
        () -> robot.lookup("#recordings").queryAs(MenuButton.class).getItems().get(2).fire());
    await("the comparison", () -> robot.lookup("#compare-right").tryQuery().isPresent());
    Object left = robot.lookup("#compare-left").queryAs(ComboBox.class).getValue();
    Object right = robot.lookup("#compare-right").queryAs(ComboBox.class).getValue();
    assertThat(left).isNotNull().isNotEqualTo(right);
    assertThat(right).isNotNull();
    robot.interact(() -> robot.lookup("#compare-position").queryAs(Slider.class).setValue(0.1));
    await(
        "the moment of the left one",
        () -> ((Migration) left).status() != MigrationStatus.COMPLETED);

    // The comparison has the focus.
    robot.interact(() ->
        list.fireEvent(
            new KeyEvent(
                KeyEvent.KEY_PRESSED, "", "", KeyCode.DELETE, false, false, false, false)));
    await("it to be gone", () -> list.getItems().size() == entries - 1);
  }

  @Test
  void whatIsNoRecording_isSaid(FxRobot robot) throws Exception {
    Path other = directory.resolve("other.txt");
    Files.writeString(other, "hello\n");
    Platform.runLater(() -> window.openRecordings(List.of(other)));
    await(
        "the sentence",
        () ->
            robot
                .lookup("#banner")
                .queryAs(Label.class)
                .getText()
                .contains("neither a recording nor a trace log"));
  }

  @Test
  @SuppressWarnings("unchecked")
  void textsOfAFile_areShownSafely_inEveryView(FxRobot robot) throws Exception {
    Path file = directory.resolve("bad\u001b[31m\n\u202ename.wrs");
    HostileRecording.write(file, HostileText.ALL);
    Platform.runLater(() -> window.openRecordings(List.of(file)));
    await("the recording", () -> selected(robot) != null && selected(robot).recorded());
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
    assertThat(selected(robot).name()).contains("bad");
    Path other = directory.resolve("no recording\u001b\u202e.wrs");
    Files.writeString(other, "hello");
    Platform.runLater(() -> window.openRecordings(List.of(other)));
    Label banner = robot.lookup("#banner").queryAs(Label.class);
    await("the sentence", () -> banner.getText().contains("no recording\\x1b<U+202E>.wrs"));
  }

  private static String textOf(Node node) {
    String text =
        switch (node) {
          // Icons are drawn with private characters of a font.
          case FontIcon _ -> "";
          case Labeled labeled -> labeled.getText();
          case Text shown -> shown.getText();
          case TextInputControl input -> input.getText();
          default -> "";
        };
    return text == null ? "" : text;
  }
}
