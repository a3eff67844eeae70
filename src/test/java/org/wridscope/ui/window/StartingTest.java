// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TextField;
import javafx.scene.input.Clipboard;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyCombination;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.SourceSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.SavedFile;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

@Slow("it opens the window, which draws in real time")
final class StartingTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);
  private final FakeSessionManager manager = window.manager;
  @TempDir Path directory;

  @Test
  void source_destinationListensHere_isOffered_withRoomForItsGuest(FxRobot robot) {
    FakeSession destination = manager.add("vm7", "rdma:0.0.0.0:4711", Role.DESTINATION);
    destination.telemetry().metrics().set(Metric.RAM_TOTAL, 96 << 20);
    FakeSession ended = manager.add("vm6", "rdma:127.0.0.1:4712", Role.DESTINATION);
    ended.end(MigrationStatus.FAILED, "The guest was not started here.");
    robot.clickOn("#new-source");
    ComboBox<?> offered = robot.lookup("#dialog-uri").queryAs(ComboBox.class);
    assertThat(offered.getItems().toString()).isEqualTo("[rdma:127.0.0.1:4711]");
    robot.clickOn("#dialog-accept");
    await("the source", () -> manager.started().size() == 1);
    assertThat(manager.started().getFirst())
        .isInstanceOfSatisfying(
            SourceSettings.class,
            settings -> {
              assertThat(settings.uri()).isEqualTo("rdma:127.0.0.1:4711");
              assertThat(settings.migration().guest())
                  .isInstanceOfSatisfying(
                      GuestSettings.Synthetic.class,
                      guest -> assertThat(guest.ramBytes()).isEqualTo(96 << 20));
            });
  }

  @Test
  void source_failed_dialogRemembers_andRepeatTriesAgain(FxRobot robot) {
    robot.clickOn("#new-source");
    window.setField("#field-uri", "rdma:127.0.0.1:4999");
    window.setField("#field-ram", "64MiB");
    robot.clickOn("#dialog-accept");
    await("the source", () -> manager.started().size() == 1);
    FakeSession source = (FakeSession) manager.sessions().getFirst();
    source.end(
        MigrationStatus.FAILED, "Nobody listens there. The guest keeps running at the source.");
    await("its end", () -> window.isShown("#repeat"));
    robot.clickOn("#repeat");
    await("another try", () -> manager.started().size() == 2);
    assertThat(manager.started().get(1)).isEqualTo(manager.started().get(0));
    robot.clickOn("#new-source");
    assertThat(window.field("#field-uri")).isEqualTo("rdma:127.0.0.1:4999");
    assertThat(window.field("#field-ram")).isEqualTo("64MiB");
    robot.clickOn("#dialog-cancel");
  }

  @Test
  void destination_dialogRemembersWhatWasAccepted_notWhatWasCancelled(FxRobot robot) {
    robot.clickOn("#new-destination");
    window.setField("#field-ram", "64MiB");
    robot.clickOn("#dialog-accept");
    await("the destination", () -> manager.started().size() == 1);
    assertThat(manager.started().getFirst()).isInstanceOf(DestinationSettings.class);
    robot.clickOn("#new-destination");
    assertThat(window.field("#field-ram")).isEqualTo("64MiB");
    window.setField("#field-ram", "1GiB");
    robot.clickOn("#dialog-cancel").clickOn("#new-destination");
    assertThat(window.field("#field-ram")).isEqualTo("64MiB");
    robot.clickOn("#dialog-cancel");
  }

  @Test
  void destination_waiting_showsTheCommandOfItsSource_whichIsCopied_untilOneConnects(
      FxRobot robot) {
    robot.clickOn("#new-destination");
    window.setField("#field-uri", "rdma:127.0.0.1:4711");
    window.setField("#field-ram", "96MiB");
    robot.clickOn("#dialog-accept");
    await("the command", () -> window.isShown("#waiting .finding-command"));
    String command = "wridscope source rdma:127.0.0.1:4711 --device soft --ram 96MiB";
    assertThat(robot.lookup("#waiting .finding-command").queryAs(TextField.class).getText())
        .isEqualTo(command);
    robot.clickOn("#waiting .button-icon");
    robot.interact(() -> assertThat(Clipboard.getSystemClipboard().getString()).isEqualTo(command));
    robot.clickOn("#waiting-source");
    assertThat(window.field("#field-uri")).isEqualTo("rdma:127.0.0.1:4711");
    robot.clickOn("#dialog-cancel");
    double top = inScene(robot.lookup("#views").query()).getMinY();
    manager.sessions().getLast().telemetry().setStatus(MigrationStatus.ACTIVE);
    await("the commands to be gone", () -> !window.isShown("#waiting"));
    assertThat(inScene(robot.lookup("#views").query()).getMinY()).isEqualTo(top);
  }

  @Test
  void menus_showTheirKeys_whichActOnce(FxRobot robot) {
    var shown = new ArrayList<String>();
    for (String id : new String[] {"#lab", "#recordings"}) {
      for (MenuItem item : robot.lookup(id).queryAs(MenuButton.class).getItems()) {
        KeyCombination keys = item.getAccelerator();
        if (keys != null) {
          shown.add(item.getText() + " " + keys.getDisplayText());
        }
        assertThat(String.valueOf(item.getText())).doesNotContain("Ctrl");
      }
    }
    assertThat(shown)
        .containsExactly(
            "New lab migration… Ctrl+L",
            "Repeat the last one Ctrl+R",
            "Open files… Ctrl+O",
            "Record this migration… Ctrl+Shift+R",
            "Save picture of the view… Ctrl+S");
    window.press(KeyCode.CONTROL, KeyCode.L);
    await("the dialog", () -> window.isShown("#dialog-accept"));
    assertThat(Window.getWindows()).hasSize(2);
    robot.clickOn("#dialog-cancel");
  }

  @Test
  void capture_ontoAFile_asksWithItsPath_andKeepsItUnlessTold(FxRobot robot) throws IOException {
    Path old = Files.writeString(directory.resolve("vm.mig"), "QEVM, an older one").toRealPath();
    robot.clickOn("#new-destination").clickOn("#dialog-stream");
    window.setField("#field-capture", old.toString());
    robot.clickOn("#dialog-accept");
    await("the question", () -> window.isShown("#question-yes"));
    assertThat(
            robot.lookup(".dialog-pane .content").queryAllAs(Label.class).stream()
                .map(Label::getText))
        .anyMatch(text -> text.startsWith(old + " exists already and holds a captured guest."));
    window.press(KeyCode.ENTER);
    await("the answer", () -> !window.isShown("#question-yes"));
    assertThat(manager.started()).isEmpty();

    robot.clickOn("#new-destination").clickOn("#dialog-accept");
    await("the question", () -> window.isShown("#question-yes"));
    robot.clickOn("#question-yes");
    await("the destination", () -> manager.started().size() == 1);
    assertThat(((DestinationSettings) manager.started().getFirst()).guest())
        .isEqualTo(
            new GuestSettings.Capture(Output.of("Capture in", old, FileKind.STREAM).replacing()));
  }

  @Test
  void capture_thatAnEarlierOneLeftSomethingOf_saysWhereAndHowToFinishIt(FxRobot robot)
      throws IOException {
    Path left =
        Files.write(directory.toRealPath().resolve(".vm.mig.complete-01234567"), SavedFile.whole());
    robot.clickOn("#new-destination").clickOn("#dialog-stream");
    window.setField("#field-capture", directory.toRealPath().resolve("vm.mig").toString());
    robot.clickOn("#dialog-accept");
    await("the destination", () -> manager.started().size() == 1);
    await("the sentence", () -> window.isShown("#banner"));
    assertThat(robot.lookup("#banner").queryAs(Label.class).getText())
        .startsWith(left + " holds the whole guest of an earlier capture")
        .contains("./wridscope recover ");
    assertThat(left).exists();
  }

  @Test
  void capture_ontoAFileOfAnotherKind_isRefusedInASentence(FxRobot robot) throws IOException {
    Path letter = Files.writeString(directory.resolve("letter"), "Dear Ada,");
    robot.clickOn("#new-destination").clickOn("#dialog-stream");
    window.setField("#field-capture", letter.toString());
    robot.clickOn("#dialog-accept");
    await(
        "the sentence",
        () ->
            robot
                .lookup("#banner")
                .queryAs(Label.class)
                .getText()
                .contains("is not a captured guest and is never replaced"));
    assertThat(manager.started()).isEmpty();
  }

  @Test
  void scenario_started_isNotCoveredByTheirList(FxRobot robot) {
    robot.interact(() ->
        robot.lookup("#lab").queryAs(MenuButton.class).getItems().stream()
            .filter(item -> item.getText().startsWith("Scenarios"))
            .forEach(item -> item.fire()));
    await("the scenarios", () -> window.isShown("#scenarios"));
    Stage scenarios = (Stage) robot.lookup("#scenarios").query().getScene().getWindow();
    robot.clickOn("#run-all-zeros");
    await("the run", () -> manager.started().size() == 1);
    await("the list to be hidden", () -> !scenarios.isShowing());
    window.press(KeyCode.ESCAPE);
  }

  @Test
  void dialog_withErrors_namesThem_andKeepsItsHeightAndItsButton(FxRobot robot) {
    robot.clickOn("#new-source");
    Button accept = robot.lookup("#dialog-accept").queryButton();
    Window dialog = accept.getScene().getWindow();
    robot.clickOn("#dialog-more");
    double height = dialog.getHeight();
    window.setField("#field-ram", "lots");
    window.setField("#field-seed", "one");
    window.setField("#field-downtime-limit", "1h");
    assertThat(
            robot.lookup(".start-dialog .field-error").queryAllAs(Label.class).stream()
                .filter(Node::isVisible)
                .map(Label::getText))
        .containsExactly(
            "\"lots\" is not a size; write a number and a unit, such as 512MiB or 2GiB.",
            "1h is out of range; write 1ms to 2000s.",
            "\"one\" is not a whole number.");
    assertThat(hindrance(robot)).isEqualTo("To correct: RAM, Downtime limit, Seed");
    assertThat(dialog.getHeight()).isEqualTo(height);
    // No overlay covers the fields.
    assertThat(robot.lookup(".start-dialog").query().getParent())
        .isSameAs(accept.getScene().getRoot());
    robot.clickOn("#dialog-accept");
    assertThat(manager.started()).isEmpty();
    assertThat(accept.isDisabled()).isFalse();
    assertThat(robot.lookup("#field-ram").query().isFocused()).isTrue();
    for (String id : new String[] {"#field-ram", "#field-seed", "#field-downtime-limit"}) {
      window.setField(
          id, id.equals("#field-ram") ? "64MiB" : id.equals("#field-seed") ? "1" : "1s");
    }
    assertThat(hindrance(robot)).isEmpty();
    robot.clickOn("#dialog-accept");
    await("the source", () -> manager.started().size() == 1);
  }

  @Test
  void whatFewNeed_isFolded_untilItIsAskedFor_orHasAnotherValue_orAnError(FxRobot robot) {
    robot.clickOn("#new-source");
    assertThat(window.isShown("#field-downtime-limit")).isTrue();
    assertThat(window.isShown("#field-seed")).isFalse();
    assertThat(window.isShown("#dialog-unregister")).isFalse();
    robot.clickOn("#dialog-more");
    assertThat(window.isShown("#field-seed")).isTrue();
    assertThat(window.isShown("#dialog-unregister")).isTrue();
    assertThat(window.text("#dialog-more")).isEqualTo("Fewer settings");
    robot.clickOn("#dialog-more");
    assertThat(window.isShown("#field-seed")).isFalse();
    assertThat(window.text("#dialog-more")).matches("More settings \\(\\d+\\)");
    window.setField("#field-seed", "one");
    assertThat(window.isShown("#field-seed")).as("it has an error").isTrue();
    window.setField("#field-seed", "42");
    robot.clickOn("#dialog-accept");
    await("the source", () -> manager.started().size() == 1);
    robot.clickOn("#new-source");
    assertThat(window.isShown("#field-seed")).as("it is 42").isTrue();
    robot.clickOn("#dialog-cancel");
  }

  private static String hindrance(FxRobot robot) {
    return robot.lookup("#dialog-hindrance").queryAs(Label.class).getText();
  }
}
