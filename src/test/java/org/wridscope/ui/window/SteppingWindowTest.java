// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javafx.css.PseudoClass;
import javafx.event.ActionEvent;
import javafx.scene.Node;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Labeled;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TabPane;
import javafx.scene.control.TextField;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.ScheduledRecording;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Presence;
import org.wridscope.ui.sessions.Migration;

/** A run that is stepped through in the window, with the mouse. */
@Slow("it opens the window, which draws in real time")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class SteppingWindowTest {
  private static final String SEND_READY = "destination's device executes CONTROL SEND (READY)";
  private static final String ACKNOWLEDGEMENT =
      "destination's device receives the acknowledgement of CONTROL SEND (READY)";
  private static final String SEND_ANSWER = "source's device executes CONTROL SEND (QEMU FILE)";

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  private int clicks;

  private void click(FxRobot robot, Node node) {
    clicks++;
    robot.clickOn(node);
  }

  private void clickAndStand(FxRobot robot, Node node) {
    String before = window.text("#step-place");
    click(robot, node);
    await("another place than " + before, () -> !window.text("#step-place").equals(before));
  }

  /** An option, or the switch that keeps it back. */
  private static ButtonBase option(FxRobot robot, String id, String begins) {
    for (int i = 0; ; i++) {
      String text = robot.lookup("#step-option-" + i).<Labeled>query().getText();
      if (text.contains(begins)) {
        return robot.lookup(id + i).query();
      }
    }
  }

  private static Node goOn(FxRobot robot) {
    return robot.lookup("#step-go-on").query();
  }

  private static void until(FxRobot robot, String condition) {
    robot.interact(
        () -> robot.lookup("#step-until").<ComboBox<?>>query().getEditor().setText(condition));
  }

  private void begin(FxRobot robot) {
    click(robot, robot.lookup("#lab").query());
    click(robot, robot.lookup("Provoke the hang yourself").query());
    await("the run", () -> window.isShown("#step-option-0"));
  }

  private Session source() {
    Migration shown = window.selected();
    assertThat(shown.pair()).isNotNull();
    return shown.pair().leading();
  }

  private void tour(String step, String begins) {
    assertThat(window.text("#step-tour-step")).isEqualTo(step);
    assertThat(window.text("#step-tour")).startsWith(begins);
  }

  private static Node pressTour(FxRobot robot) {
    return robot.lookup("#step-tour-press").query();
  }

  private static String view(FxRobot robot) {
    return robot
        .lookup("#views")
        .queryAs(TabPane.class)
        .getSelectionModel()
        .getSelectedItem()
        .getText();
  }

  /** By somebody who does what the tour says, leaves it once, and returns. */
  @Test
  void theTour_leadsToTheHang_andToTheFutureWithoutIt_sideBySide(FxRobot robot) {
    begin(robot);
    tour("", "You are about to make a migration hang");
    click(robot, pressTour(robot));
    tour("1 of 11", "Press Go on.");
    clickAndStand(robot, goOn(robot));
    tour("2 of 11", "Press the framed line: the destination's device sends READY.");

    // One click too many.
    clickAndStand(robot, goOn(robot));
    tour("2 of 11", "The run has gone another way");
    int wrong = clicks;
    clickAndStand(robot, pressTour(robot));
    clicks = wrong - 1;
    tour("2 of 11", "Press the framed line");

    clickAndStand(robot, option(robot, "#step-option-", SEND_READY));
    tour("3 of 11", "Press Keep back");
    assertThat(view(robot)).isEqualTo("Wrids");
    click(robot, option(robot, "#step-keep-", ACKNOWLEDGEMENT));
    tour("4 of 11", "Press Go on.");
    clickAndStand(robot, goOn(robot));
    clickAndStand(robot, option(robot, "#step-option-", SEND_ANSWER));
    clickAndStand(robot, option(robot, "#step-option-", "destination goes on"));
    tour("7 of 11", "Press Go on.");
    assertThat(window.text("#step-tour-why")).startsWith("It took the completion");
    clickAndStand(robot, goOn(robot));
    assertThat(clicks).as("as few as there are steps, and two to begin").isEqualTo(10);
    tour("8 of 11", "That was the hang");
    assertThat(source().status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(source().outcome()).contains("had dropped the completion of CONTROL RECV 0");
    assertThat(window.selected().failedAsExpected()).isTrue();
    assertThat(
            robot
                .lookup(
                    "The scenario allows this: with a shared completion queue some orders hang.")
                .tryQuery())
        .isPresent();
    assertThat(window.text("#status")).isEqualTo("failed, as expected");
    assertThat(source().report().schedule())
        .startsWith("The schedule differs from turns in ")
        .contains("the destination goes on");
    Migration tour = window.selected();
    window.select(0);
    robot.interact(() -> window.list().getSelectionModel().select(tour));
    tour("8 of 11", "That was the hang");

    clickAndStand(robot, pressTour(robot));
    tour("9 of 11", "Press the framed line: now the acknowledgement comes first.");
    clickAndStand(robot, option(robot, "#step-option-", ACKNOWLEDGEMENT));
    tour("10 of 11", "Press Go on.");
    clickAndStand(robot, goOn(robot));
    tour("11 of 11", "This future does not hang.");
    assertThat(source().status()).isEqualTo(MigrationStatus.COMPLETED);
    click(robot, robot.lookup("#step-compare").query());
    await(
        "the first difference",
        () ->
            window.isShown("#compare-left")
                && window
                    .text("#compare-sentence")
                    .startsWith("From the beginning, the destination"));
    assertThat(window.text("#compare-sentence"))
        .contains("At the left: receive completion, CONTROL RECV 0")
        .contains("At the right: send completion, CONTROL SEND");
    assertThat(window.list().getItems())
        .filteredOn(migration -> migration.recorded())
        .extracting(Migration::name, Migration::status)
        .containsExactly(
            tuple("hangs", MigrationStatus.FAILED),
            tuple("does not hang", MigrationStatus.COMPLETED));
    assertThat(guestRuns("hangs", Role.SOURCE)).isTrue();
    assertThat(guestRuns("does not hang", Role.DESTINATION)).isTrue();
  }

  private boolean guestRuns(String name, Role at) {
    return window.list().getItems().stream()
        .filter(migration -> migration.recorded() && migration.name().equals(name))
        .flatMap(migration -> Stream.ofNullable(migration.pair()))
        .flatMap(pair -> pair.sessions().stream())
        .anyMatch(session -> session.role() == at && session.guestRunning());
  }

  /** The keyboard focus is at what the tour wants to be pressed. */
  @Test
  void theTour_isFollowed_withSpaceAlone(FxRobot robot) {
    window.select(0);
    robot.interact(() -> robot.lookup("#ready-tour").queryButton().fire());
    await("the run", () -> window.isShown("#step-option-0"));
    for (int steps = 0; !window.text("#step-tour-step").equals("11 of 11"); steps++) {
      assertThat(steps).isLessThan(20);
      String before = window.text("#step-tour");
      window.press(KeyCode.SPACE);
      await("what follows " + before, () -> !window.text("#step-tour").equals(before));
    }
    window.press(KeyCode.SPACE);
    await("both futures", () -> window.isShown("#compare-left"));
    assertThat(window.text("#step-tour")).startsWith("That was the tour");
    assertThat(window.isShown("#step-tour-press")).isFalse();
  }

  /** The views do not get the keyboard when nothing can be pressed for a while. */
  @Test
  void theKeyboardFocus_staysWithTheRun_alsoOfOneThatTakesLong(FxRobot robot) {
    window.choose("#lab", "scenarios-menu");
    await("the scenarios", () -> window.isShown("#scenarios"));
    robot.interact(() -> robot.lookup("#step-busy-guest").queryButton().fire());
    await("the run", () -> window.isShown("#step-option-0"));
    until(robot, "end");
    robot.interact(() -> goOn(robot).requestFocus());
    window.press(KeyCode.SPACE);
    await("the end", () -> window.text("#step-place").startsWith("End after"));
    Node back = robot.lookup("#step-back").query();
    robot.interact(() -> assertThat(Presence.focusIn(back.getParent().getParent())).isNotNull());
    robot.interact(back::requestFocus);
    window.press(KeyCode.SPACE);
    await("the choice before the end", () -> window.text("#step-place").startsWith("Choice"));
    await("the keyboard", back::isFocused);
    // The arrow keys of the list stay with it, also at an entry that is ready to start.
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.HOME);
    assertThat(window.isShown("#start")).isTrue();
    assertThat(window.list().isFocused()).isTrue();
  }

  private static void backTo(FxRobot robot, String choice) {
    robot.interact(() -> {
      TextField to = robot.lookup("#step-to").query();
      to.setText(choice);
      to.fireEvent(new ActionEvent());
    });
  }

  @Test
  void aWrongCondition_isToldInASentence_andNothingHappens(FxRobot robot) {
    begin(robot);
    String before = window.text("#step-place");
    until(robot, "tomorrow");
    robot.interact(() -> ((ButtonBase) goOn(robot)).fire());
    assertThat(window.text("#step-rule")).startsWith("until: \"tomorrow\" is none of: end;");
    assertThat(window.text("#step-place")).isEqualTo(before);
    assertThat(isShownAsError(robot)).isTrue();
    robot.moveTo("#step-option-1");
    assertThat(window.text("#step-rule"))
        .isEqualTo("A processor may be given to any thread that can run.");
    assertThat(isShownAsError(robot)).isFalse();
  }

  private static boolean isShownAsError(FxRobot robot) {
    return robot
        .lookup("#step-rule")
        .query()
        .getPseudoClassStates()
        .contains(PseudoClass.getPseudoClass("error"));
  }

  @Test
  void aScenarioOfTheList_isSteppedThrough_besideAnother(FxRobot robot) {
    begin(robot);
    Migration tour = window.selected();
    window.choose("#lab", "scenarios-menu");
    await("the scenarios", () -> window.isShown("#scenarios"));
    robot.interact(() -> robot.lookup("#step-tiny-queues").queryButton().fire());
    await("the second run", () -> !window.selected().equals(tour));
    assertThat(window.isShown("#step-tour")).isFalse();
    robot.interact(() -> robot.lookup("#step-take").queryButton().fire());
    await("a step", () -> window.text("#step-place").startsWith("Choice 1 "));
    backTo(robot, "0");
    await("the step back", () -> window.text("#step-place").startsWith("Choice 0 "));
    robot.interact(() -> robot.lookup("#step-take").queryButton().fire());
    await("the step again", () -> window.text("#step-place").startsWith("Choice 1 "));
    robot.interact(() -> window.list().getSelectionModel().select(tour));
    assertThat(window.text("#step-place")).startsWith("Choice 0 ");
    assertThat(window.isShown("#step-tour")).isTrue();
    window.select(0);
    assertThat(window.isShown("#stepping")).isFalse();
  }

  @Test
  void aRunThatIsRemovedWhileItGoesOn_staysAway(FxRobot robot) {
    begin(robot);
    Migration removed = window.selected();
    until(robot, "end");
    robot.interact(() -> {
      ((ButtonBase) goOn(robot)).fire();
      window.list().getContextMenu().getItems().stream()
          .filter(item -> "list-remove".equals(item.getId()))
          .forEach(MenuItem::fire);
    });
    begin(robot);
    assertThat(window.list().getItems())
        .extracting(Migration::name)
        .doesNotContain(removed.name())
        .contains("Provoke the hang yourself (2)");
  }

  @Test
  void aRecordedRun_isSteppedThrough_inItsOrder(FxRobot robot, @TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("recorded.wrs");
    Scenario scenario = Scenarios.shipped("tiny-queues").with(Schedule.of(7));
    Verdict _ =
        ScheduledRecording.make(
            LocalSessions::new, scenario, Output.of("recording", file, FileKind.RECORDING));
    window.open(List.of(file));
    Migration recorded = window.selected();
    Session source = source();
    robot.rightClickOn("#sessions .list-cell:selected");
    robot.interact(() ->
        window.list().getContextMenu().getItems().stream()
            .filter(item -> "list-step".equals(item.getId()) && item.isVisible())
            .forEach(MenuItem::fire));
    await("the run", () -> window.isShown("#step-option-0"));
    assertThat(window.selected()).isNotEqualTo(recorded);
    until(robot, "end");
    clickAndStand(robot, goOn(robot));
    assertThat(source().telemetry().phases()).isEqualTo(source.telemetry().phases());
  }
}
