// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inParent;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.onScreen;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javafx.event.ActionEvent;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Slider;
import javafx.scene.control.TableView;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.Clipboard;
import javafx.scene.input.KeyCode;
import javafx.scene.text.Text;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.Format;
import org.wridscope.ui.export.Snapshot;
import org.wridscope.ui.recording.Player;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.units.Parse;

/** Two recordings side by side, one of them of a slower migration. */
@Slow("it opens the window, which draws in real time")
final class CompareTest {
  /** The label of an axis. */
  private static final Pattern TICK = Pattern.compile("[0-9.]+( ?[µa-zA-Z/%]+)?");

  /** A slider does not hit a moment exactly. */
  private static final long MICROSECOND = 1_000;

  @TempDir static Path directory;

  @RegisterExtension static final WindowFixture window = new WindowFixture(1200, 760);

  @BeforeAll
  static void record() throws Exception {
    RecordedLab.record(directory.resolve("fast.wrs"), 60 << 20);
    RecordedLab.record(directory.resolve("slow.wrs"), 24 << 20);
    window.open(List.of(directory.resolve("fast.wrs")));
    window.open(List.of(directory.resolve("slow.wrs")));
  }

  /** A comparison as after the opening of both: at their ends, aligned at round 1, no offset. */
  @BeforeEach
  void compareBoth(FxRobot robot) {
    compare(robot);
    robot.interact(() -> {
      robot.lookup("#compare-event").<String>queryComboBox().setValue("round 1");
      robot.lookup("#compare-reset").queryButton().fire();
    });
    await(
        "the end of both",
        () -> {
          move(robot, 1);
          return moment(robot).contains("left at its end")
              && moment(robot).contains("right at its end");
        });
  }

  @AfterEach
  void close(FxRobot robot) {
    robot.interact(() ->
        robot
            .lookup("#compare-right")
            .tryQuery()
            .ifPresent(shown -> shown.getScene().getWindow().hide()));
  }

  private void compare(FxRobot robot) {
    window.choose("#recordings", "compare");
    await("the comparison", () -> isShown(robot));
  }

  private static boolean isShown(FxRobot robot) {
    return robot.lookup("#compare-right").tryQuery().isPresent();
  }

  private static SessionPair pair(FxRobot robot, String side) {
    var choice = (Migration) robot.lookup("#compare-" + side).queryAs(ComboBox.class).getValue();
    return Objects.requireNonNull(choice.pair());
  }

  /** The end of a recording, counted from where round 1 begins. */
  private static long last(SessionPair pair) {
    return Player.recorded(pair).stream().mapToLong(RecordedSession::lastNanos).max().orElseThrow()
        - roundOne(pair);
  }

  /** The beginning of a recording, counted from where round 1 begins. */
  private static long first(SessionPair pair) {
    return pair.originNanos() - roundOne(pair);
  }

  private static long position(SessionPair pair) {
    return Player.recorded(pair).getFirst().position() - roundOne(pair);
  }

  private static long roundOne(SessionPair pair) {
    return pair.leading().phases().stream()
        .filter(phase -> phase.name().equals("round 1"))
        .mapToLong(Phase::nanos)
        .findFirst()
        .orElseThrow();
  }

  private static String moment(FxRobot robot) {
    return robot.lookup("#compare-moment").queryAs(Label.class).getText();
  }

  private static void move(FxRobot robot, double share) {
    robot.interact(() -> robot.lookup("#compare-position").queryAs(Slider.class).setValue(share));
  }

  private static String sentence(FxRobot robot) {
    return robot.lookup("#compare-sentence").queryAs(Label.class).getText();
  }

  /** Moves the slider to where the left side shows a time. */
  private static void moveTo(FxRobot robot, long time, long offset) {
    SessionPair left = pair(robot, "left");
    SessionPair right = pair(robot, "right");
    long first = Math.min(first(left), first(right) + offset);
    long last = Math.max(last(left), last(right) + offset);
    move(robot, (double) (time - first) / (last - first));
  }

  @Test
  void eachSide_saysItsOwnTime_andTheShorterOneItsEnd(FxRobot robot) {
    // On a busy machine the one with the higher bandwidth may take longer.
    boolean leftIsLonger = last(pair(robot, "left")) > last(pair(robot, "right"));
    SessionPair longer = pair(robot, leftIsLonger ? "left" : "right");
    SessionPair shorter = pair(robot, leftIsLonger ? "right" : "left");
    moveTo(robot, last(shorter) / 2, 0);
    await("the time of both", () -> moment(robot).startsWith("both at "));
    assertThat(position(longer)).isEqualTo(position(shorter)).isPositive();
    assertThat(moment(robot)).isEqualTo("both at " + Format.moment(position(longer)));
    // After the end of the shorter one, and at the end of both.
    for (long time : new long[] {(last(shorter) + last(longer)) / 2, last(longer)}) {
      moveTo(robot, time, 0);
      await(
          "the end of the shorter one",
          () ->
              moment(robot)
                  .contains(
                      (leftIsLonger ? "right" : "left")
                          + " at its end, "
                          + Format.moment(last(shorter))));
      await("the longer one", () -> Math.abs(position(longer) - time) < MICROSECOND);
      assertThat(position(shorter)).isEqualTo(last(shorter));
    }
    assertThat(moment(robot)).contains("at its end, " + Format.moment(last(longer)));
  }

  @Test
  void both_areAlignedAtRoundOne_unlessAnotherMomentIsChosen(FxRobot robot) {
    assertThat(sentence(robot)).isEqualTo("Both times count from where round 1 begins.");
    ComboBox<String> event = robot.lookup("#compare-event").queryComboBox();
    assertThat(event.getItems()).startsWith("beginning").contains("round 1", "switch-over");
    robot.interact(() -> event.setValue("beginning"));
    await("another sentence", () -> sentence(robot).endsWith("from the beginning."));
    move(robot, 0);
    await("the beginnings", () -> moment(robot).equals("both at " + Format.moment(0)));
    for (String side : List.of("left", "right")) {
      assertThat(position(pair(robot, side))).isEqualTo(first(pair(robot, side)));
    }
  }

  @Test
  void drag_showsTheRightSideLater_andADoubleClickMovesItBack(FxRobot robot) {
    Node strip = robot.lookup("#compare-strip").query();
    Bounds place = onScreen(strip);
    double middle = place.getCenterY();
    robot.drag(place.getCenterX(), middle).moveTo(place.getCenterX() + 40, middle).drop();
    await("the offset", () -> window.field("#compare-offset").startsWith("+"));
    String typed = window.field("#compare-offset");
    long offset = Parse.duration("offset", typed.substring(1)).toNanos();
    assertThat(sentence(robot)).contains("the right one is shown").endsWith("later.");
    assertThat(offset).isPositive();
    SessionPair left = pair(robot, "left");
    SessionPair right = pair(robot, "right");
    long time = (offset + Math.min(last(left), last(right) + offset)) / 2;
    moveTo(robot, time, offset);
    await(
        "the moments of both",
        () ->
            Math.abs(position(left) - time) < MICROSECOND
                && position(right) == position(left) - offset);
    robot.doubleClickOn("#compare-strip");
    await("no offset", () -> window.field("#compare-offset").equals("0"));
    assertThat(robot.lookup("#compare-reset").query().isDisabled()).isTrue();
  }

  @Test
  void offset_byKeysAndInTheField_isExact(FxRobot robot) {
    robot.interact(() -> robot.lookup("#compare-strip").query().requestFocus());
    robot.push(KeyCode.RIGHT).push(KeyCode.RIGHT).push(KeyCode.SHIFT, KeyCode.LEFT);
    await("the offset", () -> window.field("#compare-offset").equals("-98ms"));
    type(robot, "-250ns");
    assertThat(sentence(robot)).endsWith("; the right one is shown 250ns earlier.");
    type(robot, "12");
    assertThat(sentence(robot)).startsWith("Offset: \"12\" is not a length of time; write");
    robot.interact(() -> robot.lookup("#compare-reset").queryButton().fire());
    await("no offset", () -> window.field("#compare-offset").equals("0"));
    assertThat(sentence(robot)).isEqualTo("Both times count from where round 1 begins.");
  }

  @Test
  void figures_areShownAsATable_andCopied(FxRobot robot) {
    robot.interact(() -> robot.lookup("#compare-figures").queryAs(ToggleButton.class).fire());
    TableView<?> table = robot.lookup("#compare-figures-table").queryAs(TableView.class);
    await("the figures", () -> table.getItems().size() > 10);
    Node save = robot.lookup("#compare-save-figures").query();
    assertThat(save.isVisible()).isTrue();
    robot.interact(() -> {
      Parent all = save.getScene().getRoot();
      assertThat(Snapshot.of(all, () -> {}, "figures", "", true).getWidth()).isPositive();
    });
    assertThat(save.isVisible()).as("after a picture was taken").isTrue();
    robot.interact(table::requestFocus);
    robot.push(KeyCode.CONTROL, KeyCode.C);
    robot.interact(() -> {
      String[] lines = Clipboard.getSystemClipboard().getString().split("\n");
      assertThat(lines[0]).startsWith("Figure\tEnd\t").endsWith("\tDifference\tRatio\tBetter");
      assertThat(lines).hasSize(table.getItems().size() + 1);
      assertThat(lines).anyMatch(line -> line.startsWith("RAM\tsource\t"));
    });
  }

  private static void type(FxRobot robot, String text) {
    robot.interact(() -> {
      TextField field = robot.lookup("#compare-offset").queryAs(TextField.class);
      field.setText(text);
      field.fireEvent(new ActionEvent());
    });
  }

  /** Also with the sides exchanged, and not for another pair of migrations. */
  @Test
  void alignment_isRemembered_afterTheComparisonWasClosed(FxRobot robot) {
    type(robot, "+12.5ms");
    String typed = window.field("#compare-offset");
    assertThat(typed).startsWith("+12");
    ComboBox<String> event = robot.lookup("#compare-event").queryComboBox();
    robot.interact(() -> event.setValue("switch-over"));
    robot.push(KeyCode.ESCAPE);
    await("the comparison to be closed", () -> !isShown(robot));
    compare(robot);
    await("the offset", () -> window.field("#compare-offset").equals(typed));
    await("the sentence", () -> sentence(robot).contains("where switch-over begins; the right"));
    ComboBox<Migration> left = robot.lookup("#compare-left").queryComboBox();
    ComboBox<Migration> right = robot.lookup("#compare-right").queryComboBox();
    Migration one = left.getValue();
    Migration other = right.getValue();
    robot.interact(() -> {
      left.setValue(other);
      right.setValue(one);
    });
    await(
        "the offset of the other side",
        () -> window.field("#compare-offset").equals("-" + typed.substring(1)));
    robot.interact(() -> left.setValue(one));
    await("none for the same twice", () -> window.field("#compare-offset").equals("0"));
  }

  @Test
  void theSlider_staysUnderThePointer(FxRobot robot) {
    Slider slider = robot.lookup("#compare-position").queryAs(Slider.class);
    await("the end of both", () -> moment(robot).startsWith("left at its end"));
    Bounds place = inScene(slider);
    for (double share : new double[] {0.2, 0.97, 0, 1}) {
      move(robot, share);
      await("the moment", () -> !moment(robot).startsWith("seeking"));
      assertThat(inScene(slider)).as("%s", share).isEqualTo(place);
    }
  }

  @Test
  void bothSides_haveTheSameScales_whereverTheyStand(FxRobot robot) {
    for (double share : new double[] {1, 0.05, 0.97, 0.3, 0.6, 1}) {
      move(robot, share);
      await("the moment", () -> !moment(robot).startsWith("seeking"));
      await(
          "the same scales at " + share,
          () -> {
            List<List<String>> left = scales(robot, "left");
            return left.size() == 3
                && left.stream().noneMatch(List::isEmpty)
                && left.equals(scales(robot, "right"));
          });
    }
  }

  /** The labels of the vertical axes of each chart at one side. */
  private static List<List<String>> scales(FxRobot robot, String side) {
    Parent half = robot.lookup("#compare-" + side).query().getParent().getParent();
    return half.lookupAll(".chart-view").stream()
        .map(chart ->
            chart.lookupAll("*").stream()
                .filter(node -> node instanceof Text && node.isVisible() && isLeftOfThePlot(node))
                .map(Text.class::cast)
                .filter(text -> TICK.matcher(text.getText()).matches())
                .sorted(Comparator.comparingDouble(Node::getLayoutY))
                .map(Text::getText)
                .toList())
        .toList();
  }

  private static boolean isLeftOfThePlot(Node node) {
    return inParent(node).getMaxX() <= 58 && inParent(node).getMinY() >= 18;
  }

  @Test
  void escape_closesIt_whateverHasTheFocus(FxRobot robot) {
    for (String id : List.of("#compare-left", "#compare-position")) {
      if (!isShown(robot)) {
        compare(robot);
      }
      robot.interact(() -> robot.lookup(id).query().requestFocus());
      robot.push(KeyCode.ESCAPE);
      await("the comparison to be closed from " + id, () -> !isShown(robot));
    }
    assertThat(robot.lookup("#sessions").tryQuery()).isPresent();
  }
}
