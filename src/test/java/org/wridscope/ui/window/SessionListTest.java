// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.List;
import javafx.application.Platform;
import javafx.scene.control.CheckBox;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Label;
import javafx.scene.control.ListCell;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TextField;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.SourceSettings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.sessions.Migration;

/** What can be done in the list of migrations, and with what has failed. */
@Slow("it opens the window, which draws in real time")
final class SessionListTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(990, 700);
  private final FakeSessionManager manager = window.manager;

  private List<String> names() {
    return onFx(() -> window.list().getItems().stream().map(Migration::name).toList());
  }

  /** The items that the context menu shows for the selection. */
  private List<String> menu(FxRobot robot) {
    robot.interact(() -> {
      ContextMenu menu = window.list().getContextMenu();
      menu.show(window.list(), 10, 10);
    });
    List<String> texts =
        onFx(() ->
            window.list().getContextMenu().getItems().stream()
                .filter(item -> item.isVisible() && !item.isDisable() && item.getText() != null)
                .map(MenuItem::getText)
                .toList());
    robot.interact(() -> window.list().getContextMenu().hide());
    return texts;
  }

  private void choose(FxRobot robot, String id) {
    robot.interact(() ->
        window.list().getContextMenu().getItems().stream()
            .filter(item -> id.equals(item.getId()))
            .forEach(MenuItem::fire));
  }

  private FakeSession ended(String name, String sentence) {
    FakeSession session = manager.add(name, "rdma:10.9.0.1:4444", Role.SOURCE);
    session.end(MigrationStatus.FAILED, sentence);
    await(name, () -> names().contains(name + " to 10.9.0.1"));
    return session;
  }

  private FakeSession lastStarted() {
    return (FakeSession) manager.sessions().getLast();
  }

  @Test
  void failedSource_edited_hasItsInputs_theSentence_andTheFocusInTheFailingField(FxRobot robot) {
    robot.clickOn("#new-source");
    window.setField("#field-uri", "rdma:10.9.0.7:4711");
    window.setField("#field-seed", "42");
    robot.clickOn("#dialog-accept");
    await("the source", () -> manager.started().size() == 1);
    // Another one in between, which the dialog remembers.
    assertThat(window.isShown("#edit")).isFalse();
    lastStarted().end(MigrationStatus.FAILED, "Nobody listens on 10.9.0.7:4711.");
    await("its end", () -> window.isShown("#edit"));
    assertThat(menu(robot)).contains("Repeat", "Edit and repeat…");
    robot.clickOn("#new-source");
    window.setField("#field-uri", "rdma:10.9.0.8:4711");
    robot.clickOn("#dialog-accept");
    await("the other source", () -> manager.started().size() == 2);

    window.select(1);
    robot.clickOn("#edit");
    assertThat(window.field("#field-uri")).isEqualTo("rdma:10.9.0.7:4711");
    assertThat(window.field("#field-seed")).isEqualTo("42");
    assertThat(robot.lookup("#field-uri").queryAs(TextField.class).isFocused()).isTrue();
    assertThat(
            robot.lookup(".dialog-head .muted").queryAllAs(Label.class).stream()
                .map(Label::getText))
        .containsExactly("Nobody listens on 10.9.0.7:4711.");
    window.setField("#field-uri", "rdma:10.9.0.9:4711");
    robot.clickOn("#dialog-accept");
    await("the retry", () -> manager.started().size() == 3);
    assertThat(((SourceSettings) manager.started().get(2)).uri()).isEqualTo("rdma:10.9.0.9:4711");
  }

  @Test
  void startRefused_theNoticeOpensTheDialogAgain_withWhatWasTyped(FxRobot robot) {
    manager.refuse("Port 4711 is in use; choose another one.");
    robot.clickOn("#new-destination");
    window.setField("#field-uri", "rdma:127.0.0.1:4711");
    window.setField("#field-ram", "96MiB");
    robot.clickOn("#dialog-accept");
    await("the sentence", () -> window.isShown("#banner-action"));
    assertThat(window.text("#banner-action")).isEqualTo("Edit…");
    robot.clickOn("#banner-action");
    assertThat(window.field("#field-uri")).isEqualTo("rdma:127.0.0.1:4711");
    assertThat(window.field("#field-ram")).isEqualTo("96MiB");
    assertThat(robot.lookup("#field-uri").queryAs(TextField.class).isFocused()).isTrue();
    robot.clickOn("#dialog-cancel");
  }

  @Test
  void bothEndsFromTheirDialogs_areRepeatedTogether(FxRobot robot) {
    robot.clickOn("#new-destination");
    window.setField("#field-uri", "rdma:127.0.0.1:4712");
    robot.clickOn("#dialog-accept");
    await("the destination", () -> manager.started().size() == 1);
    robot.clickOn("#new-source");
    assertThat(window.field("#field-uri")).isEqualTo("rdma:127.0.0.1:4712");
    robot.clickOn("#dialog-accept");
    await("its source", () -> manager.started().size() == 2);
    await("both in one entry", () -> onFx(this::bothEndsAreSelected));
    for (Session each : manager.sessions()) {
      ((FakeSession) each).end(MigrationStatus.FAILED, "It broke.");
    }
    await("the end of both", () -> window.isShown("#repeat"));
    robot.clickOn("#repeat");
    await("both again", () -> manager.started().size() == 4);
    assertThat(manager.started().get(2)).isInstanceOf(DestinationSettings.class);
    assertThat(manager.started().get(3)).isEqualTo(manager.started().get(1));
  }

  @Test
  void scenario_ended_isRepeated_andItsListOpened(FxRobot robot) {
    window.choose("#lab", "scenarios-menu");
    await("the scenarios", () -> window.isShown("#scenarios"));
    robot.clickOn("#run-all-zeros");
    await("the run", () -> manager.started().size() == 1);
    for (Session each : manager.sessions()) {
      ((FakeSession) each).end(MigrationStatus.COMPLETED, "The guest runs there.");
    }
    await("its end", () -> window.isShown("#edit"));
    robot.clickOn("#repeat");
    await("another run", () -> manager.started().size() == 2);
    assertThat(manager.started().get(1)).isInstanceOf(LabSettings.class);
    for (Session each : manager.sessions()) {
      ((FakeSession) each).end(MigrationStatus.COMPLETED, "The guest runs there.");
    }
    await("its end", () -> window.isShown("#edit"));
    robot.clickOn("#edit");
    await("the scenarios", () -> window.isShown("#scenarios"));
    assertThat(robot.lookup("#run-all-zeros").query().isFocused()).isTrue();
    window.press(KeyCode.ESCAPE);
  }

  @Test
  void renamed_showsItEverywhere_untilTheNameIsCleared(FxRobot robot) {
    ended("vm7", "It broke.");
    window.select(1);
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.F2);
    window.setField("#question-text", "  web server\n  ");
    robot.clickOn("#question-yes");
    await("the name", () -> names().contains("web server"));
    await(
        "the header",
        () -> robot.lookup(".steering-name").queryAs(Label.class).getText().equals("web server"));
    choose(robot, "list-rename");
    assertThat(window.field("#question-text")).isEqualTo("web server");
    window.setField("#question-text", "");
    robot.clickOn("#question-yes");
    await("its own name", () -> names().contains("vm7 to 10.9.0.1"));
  }

  @Test
  void several_selected_areRemovedTogether_exceptTheRunningOne_andUndone(FxRobot robot) {
    ended("vm1", "It broke.");
    ended("vm2", "It broke.");
    manager.add("vm3", "rdma:10.9.0.1:4444", Role.SOURCE);
    await("vm3 to 10.9.0.1", () -> names().contains("vm3 to 10.9.0.1"));
    List<String> before = names();
    robot.interact(() -> {
      window.list().requestFocus();
      window.list().getSelectionModel().selectAll();
    });
    assertThat(menu(robot))
        .containsExactly(
            "Cancel the one that runs",
            "Bandwidth limit of the one that runs…",
            "Downtime limit of the one that runs…",
            "Remove these 3 from the list",
            "Group list by",
            "Compact list");
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.DELETE);
    await("the rest", () -> names().equals(List.of("vm3 to 10.9.0.1")));
    assertThat(window.text("#banner")).isEqualTo("Removed 3 migrations from the list.");
    window.press(KeyCode.CONTROL, KeyCode.Z);
    await("all of them", () -> names().equals(before));
  }

  @Test
  void several_thatRun_areLimitedAndCancelledTogether(FxRobot robot) {
    FakeSession one = manager.add("vm1", "rdma:10.9.0.1:4444", Role.SOURCE);
    FakeSession other = manager.add("vm2", "rdma:10.9.0.2:4444", Role.SOURCE);
    ended("vm3", "It broke.");
    robot.interact(() -> window.list().getSelectionModel().selectAll());
    assertThat(menu(robot))
        .contains("Cancel these 2", "Bandwidth limit of these 2…", "Downtime limit of these 2…");
    choose(robot, "list-bandwidth");
    window.setField("#question-text", "60");
    assertThat(robot.lookup("#question-yes").query().isDisabled()).isTrue();
    window.setField("#question-text", "64MiB/s");
    robot.clickOn("#question-yes");
    choose(robot, "list-downtime");
    window.setField("#question-text", "250ms");
    robot.clickOn("#question-yes");
    choose(robot, "list-cancel");
    for (FakeSession each : List.of(one, other)) {
      assertThat(each.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isEqualTo(64L << 20);
      assertThat(each.telemetry().metrics().get(Metric.DOWNTIME_LIMIT)).isEqualTo(250_000_000L);
      assertThat(each.cancelled()).isTrue();
    }
  }

  @Test
  void two_selected_areCompared(FxRobot robot) {
    ended("vm1", "It broke.");
    ended("vm2", "It broke.");
    robot.interact(() -> {
      window.list().getSelectionModel().clearAndSelect(1);
      window.list().getSelectionModel().select(2);
    });
    assertThat(menu(robot))
        .containsExactly(
            "Compare these two…", "Remove these 2 from the list", "Group list by", "Compact list");
    choose(robot, "list-compare");
    await("the comparison", () -> window.isShown("#compare-right"));
    assertThat(onFx(() -> comparedName(robot, "#compare-left"))).isEqualTo("vm1 to 10.9.0.1");
    assertThat(onFx(() -> comparedName(robot, "#compare-right"))).isEqualTo("vm2 to 10.9.0.1");
    window.press(KeyCode.ESCAPE);
  }

  @Test
  void compact_isOneLineEach_tellsTheRestInTheToolTip_andIsOneChoiceEverywhere(FxRobot robot) {
    ended("vm1", "Nobody listens on 10.9.0.1:4444.");
    double line = 30;
    await("entries", () -> onFx(() -> cell(robot, 1).getHeight() > 2 * line));
    compact(robot);
    await("lines", () -> onFx(() -> cell(robot, 1).getHeight() < line));
    ListCell<?> cell = cell(robot, 1);
    assertThat(onFx(() -> shownTexts(cell))).containsExactly("vm1 to 10.9.0.1", "failed");
    assertThat(onFx(() -> cell.getTooltip().getText()))
        .isEqualTo(
            "vm1 to 10.9.0.1, failed, 0 %\n≤ 300 ms\nsource · failed · guest here\nNobody listens on 10.9.0.1:4444.");
    assertThat(onFx(cell::getAccessibleText)).isEqualTo("vm1 to 10.9.0.1, failed, 0 %");
    assertThat(onFx(() -> item(robot, "Compact list").isSelected())).isTrue();
    window.press(KeyCode.CONTROL, KeyCode.COMMA);
    await("the settings", () -> window.isShown("#choose-compact-list"));
    robot.interact(() -> robot.lookup("#choose-compact-list").queryAs(CheckBox.class).fire());
    await("entries", () -> onFx(() -> cell(robot, 1).getHeight() > 2 * line));
    assertThat(onFx(() -> cell(robot, 1).getTooltip())).isNull();
    assertThat(onFx(() -> item(robot, "Compact list").isSelected())).isFalse();
    window.press(KeyCode.ESCAPE);
  }

  @Test
  void recorded_isMarked_inLinesToo(FxRobot robot, @TempDir Path directory) {
    window.startLab();
    await("the list", () -> !onFx(() -> cell(robot, 0).getAccessibleText()).contains("recorded"));
    compact(robot);
    Platform.runLater(() -> window.main().record(directory.resolve("lab.wrs")));
    await("it", () -> onFx(() -> cell(robot, 0).getAccessibleText()).endsWith("being recorded"));
    assertThat(onFx(() -> cell(robot, 0).lookup(".session-recording").isVisible())).isTrue();
  }

  @Test
  void compact_keysAndUndoWork_andTheSelectionStays(FxRobot robot) {
    ended("vm1", "It broke.");
    ended("vm2", "It broke.");
    window.select(1);
    compact(robot);
    assertThat(window.selected().name()).isEqualTo("vm1 to 10.9.0.1");
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.DOWN);
    assertThat(window.selected().name()).isEqualTo("vm2 to 10.9.0.1");
    List<String> before = names();
    window.press(KeyCode.DELETE);
    await("its removal", () -> !names().contains("vm2 to 10.9.0.1"));
    window.press(KeyCode.CONTROL, KeyCode.Z);
    await("it again", () -> names().equals(before));
    assertThat(window.selected().name()).isEqualTo("vm2 to 10.9.0.1");
  }

  /** Selects the item of the list's menu; firing it would not. */
  private void compact(FxRobot robot) {
    robot.interact(() ->
        window.list().getContextMenu().getItems().stream()
            .filter(item -> "list-compact".equals(item.getId()))
            .forEach(item -> ((CheckMenuItem) item).setSelected(true)));
  }

  private static ListCell<?> cell(FxRobot robot, int index) {
    return robot.lookup("#sessions .list-cell").queryAllAs(ListCell.class).stream()
        .filter(cell -> cell.getIndex() == index && !cell.isEmpty())
        .findFirst()
        .orElseThrow();
  }

  private static List<String> shownTexts(ListCell<?> cell) {
    return cell.lookupAll(".label").stream()
        .filter(WindowFixture::isShown)
        .map(label -> ((Label) label).getText())
        .toList();
  }

  private static CheckMenuItem item(FxRobot robot, String text) {
    return robot.lookup("#program-menu").queryAs(MenuButton.class).getItems().stream()
        .filter(item -> text.equals(item.getText()))
        .map(CheckMenuItem.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private boolean bothEndsAreSelected() {
    SessionPair pair = window.selected().pair();
    return pair != null && pair.following() != null;
  }

  private static String comparedName(FxRobot robot, String id) {
    return ((Migration) robot.lookup(id).queryComboBox().getValue()).name();
  }
}
