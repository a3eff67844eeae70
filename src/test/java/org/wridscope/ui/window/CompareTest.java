// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Slider;
import javafx.scene.input.KeyCode;
import javafx.scene.text.Text;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.SessionPair;
import org.wridscope.text.Format;
import org.wridscope.ui.recording.Player;
import org.wridscope.ui.sessions.Migration;

/** Two recordings side by side, one of them of a slower migration. */
final class CompareTest {
  /** The label of an axis. */
  private static final Pattern TICK = Pattern.compile("[0-9.]+( ?[µa-zA-Z/%]+)?");

  @TempDir static Path directory;

  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);

  @BeforeAll
  static void record() throws Exception {
    RecordedLab.record(directory.resolve("fast.wrs"), 60 << 20);
    RecordedLab.record(directory.resolve("slow.wrs"), 24 << 20);
  }

  @BeforeEach
  void openBoth(FxRobot robot) {
    window.open(List.of(directory.resolve("fast.wrs")));
    window.open(List.of(directory.resolve("slow.wrs")));
    compare(robot);
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

  private static long length(SessionPair pair) {
    return Player.recorded(pair).stream().mapToLong(RecordedSession::lastNanos).max().orElseThrow()
        - pair.originNanos();
  }

  private static long afterOrigin(SessionPair pair) {
    return Player.recorded(pair).getFirst().position() - pair.originNanos();
  }

  private static String moment(FxRobot robot) {
    return robot.lookup("#compare-moment").queryAs(Label.class).getText();
  }

  private static void move(FxRobot robot, double share) {
    robot.interact(() -> robot.lookup("#compare-position").queryAs(Slider.class).setValue(share));
  }

  @Test
  void eachSide_saysItsOwnTime_andTheShorterOneItsEnd(FxRobot robot) {
    // On a busy machine the one with the higher bandwidth may take longer.
    boolean leftIsLonger = length(pair(robot, "left")) > length(pair(robot, "right"));
    SessionPair longer = pair(robot, leftIsLonger ? "left" : "right");
    SessionPair shorter = pair(robot, leftIsLonger ? "right" : "left");
    move(robot, 0.2);
    await(
        "the time of both",
        () -> moment(robot).equals("both at " + Format.moment((long) (length(longer) * 0.2))));
    assertThat(afterOrigin(longer)).isEqualTo(afterOrigin(shorter));
    // After the end of the shorter one, and at the end of both.
    double between = (1 + (double) length(shorter) / length(longer)) / 2;
    for (double share : new double[] {between, 1}) {
      move(robot, share);
      String atLonger =
          share < 1
              ? Format.moment((long) (length(longer) * share))
              : "its end, " + Format.moment(length(longer));
      String atShorter = "its end, " + Format.moment(length(shorter));
      String expected =
          "left at %s, right at %s"
              .formatted(leftIsLonger ? atLonger : atShorter, leftIsLonger ? atShorter : atLonger);
      await("the times of each: " + expected, () -> moment(robot).equals(expected));
      assertThat(afterOrigin(shorter)).isEqualTo(length(shorter));
    }
  }

  @Test
  void theSlider_staysUnderThePointer(FxRobot robot) {
    Slider slider = robot.lookup("#compare-position").queryAs(Slider.class);
    await("the end of both", () -> moment(robot).startsWith("left at its end"));
    Bounds place = slider.localToScene(slider.getLayoutBounds());
    for (double share : new double[] {0.2, 0.97, 0, 1}) {
      move(robot, share);
      await("the moment", () -> !moment(robot).startsWith("seeking"));
      assertThat(slider.localToScene(slider.getLayoutBounds())).as("%s", share).isEqualTo(place);
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
    return node.getBoundsInParent().getMaxX() <= 58 && node.getBoundsInParent().getMinY() >= 18;
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
