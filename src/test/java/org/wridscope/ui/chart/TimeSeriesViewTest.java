// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onScreen;

import java.util.List;
import java.util.Map;
import javafx.geometry.Point2D;
import javafx.geometry.VerticalDirection;
import javafx.scene.Node;
import javafx.scene.input.MouseButton;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Phases;
import org.wridscope.telemetry.Replay;
import org.wridscope.telemetry.Role;
import org.wridscope.text.AxisUnit;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Palette;
import org.wridscope.ui.ScriptedMigration;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.ViewStage;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class TimeSeriesViewTest {
  private static final long SECOND = 1_000_000_000L;

  private final long origin = System.nanoTime();
  private final Replay replay = new Replay(Role.SOURCE, origin, 1024);
  private final FakeSession session =
      new FakeSession("one", "rdma:127.0.0.1:4444", replay.telemetry());
  private TimeRange range;
  private TimeSeriesView view;
  private ViewStage shown;

  @Start
  void start(Stage stage) {
    range = new TimeRange();
    view =
        new TimeSeriesView(
            ChartSpec.of(
                    "Outstanding",
                    AxisUnit.COUNT,
                    new Series(
                        "WRITE",
                        Palette.IN_TRANSIT,
                        new Reading.Gauge(Metric.WRITES_POSTED),
                        Series.Style.AREA),
                    new Series(
                        "rate",
                        Palette.SEND,
                        new Reading.Rate(Metric.WRITES_COMPLETED),
                        Series.Style.DASHED))
                .withCeiling("depth", Metric.SEND_QUEUE_DEPTH, 0.1),
            range);
    shown = new ViewStage(stage, view, 700, 300);
    range.reset(origin);
    range.update(origin + 10 * SECOND);
  }

  private void showTenSeconds(FxRobot robot) {
    for (int i = 0; i <= 500; i++) {
      ScriptedMigration.sample(
          session.telemetry(),
          origin + i * SECOND / 50,
          Map.of(Metric.WRITES_POSTED, 100L, Metric.WRITES_COMPLETED, i * 2L));
    }
    session.telemetry().metrics().set(Metric.SEND_QUEUE_DEPTH, 128);
    robot.interact(() -> view.show(new SessionPair(session, null)));
    shown.pulse(robot);
  }

  private Point2D inPlot(double share) {
    TimePlot plot = view.plot();
    return onScreen(
        plot.node(), plot.left() + share * plot.width(), plot.top() + plot.height() / 2);
  }

  @Test
  void show_ofASession_writesNewestValuesAxesAndCeiling(FxRobot robot) {
    showTenSeconds(robot);
    assertThat(shown.texts())
        .contains("Outstanding", "WRITE", "rate", "100", "average of 100 ms", "depth 128")
        .contains("0", "20", "140", "0 s", "2 s")
        .doesNotContain("Select a migration to see this chart.");
  }

  /** Between two samples there is a line, and before the first one nothing. */
  @Test
  void aStretchWithoutSamples_saysSo_ifNothingIsDrawn(FxRobot robot) {
    showTenSeconds(robot);
    range.hold(origin + 5 * SECOND + 1_000, origin + 5 * SECOND + 17_000);
    shown.pulse(robot);
    assertThat(shown.texts()).noneMatch(text -> text.startsWith("No sample"));
    range.hold(origin - 17_000, origin - 1_000);
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("No sample lies in this stretch of time. Zoom out to see those beside it.");
  }

  @Test
  void show_ofNothing_saysWhatToDo(FxRobot robot) {
    robot.interact(() -> view.show((SessionPair) null));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("Select a migration to see this chart.");
    robot.interact(() -> view.show(new SessionPair(session, null)));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("The first samples arrive in a moment.");
    var unmonitored = new FakeSession("two", "rdma:127.0.0.1:4444", Role.SOURCE, false);
    robot.interact(() -> view.show(new SessionPair(unmonitored, null)));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("No history: this migration was started without monitoring.");
  }

  @Test
  void pointer_overTheChart_movesTheSharedCursorAndLeavesWithIt(FxRobot robot) {
    showTenSeconds(robot);
    robot.moveTo(inPlot(0.5));
    shown.pulse(robot);
    assertThat(range.hasCursor()).isTrue();
    assertThat(range.cursorNanosProperty().get() - origin)
        .isBetween(SECOND * 48 / 10, SECOND * 52 / 10);
    robot.moveTo(new Point2D(900, 900));
    shown.pulse(robot);
    assertThat(range.hasCursor()).isFalse();
  }

  @Test
  void wheelAndDrag_zoomAndHold_untilADoubleClick(FxRobot robot) {
    showTenSeconds(robot);
    long whole = range.shownNanos();
    robot.moveTo(inPlot(0.5));
    robot.scroll(3, VerticalDirection.UP);
    shown.pulse(robot);
    assertThat(range.shownNanos()).isLessThan(whole);
    assertThat(range.isFollowing()).isTrue();

    long left = range.leftNanos();
    robot.drag(inPlot(0.4), MouseButton.PRIMARY).dropTo(inPlot(0.7));
    shown.pulse(robot);
    assertThat(range.isFollowing()).isFalse();
    assertThat(range.leftNanos()).isLessThan(left);

    robot.doubleClickOn(inPlot(0.5), MouseButton.PRIMARY);
    assertThat(range.isFollowing()).isTrue();
    assertThat(range.spanNanosProperty().get()).isNotEqualTo(TimeRange.WHOLE);
    robot.doubleClickOn(inPlot(0.5), MouseButton.PRIMARY);
    assertThat(range.spanNanosProperty().get()).isEqualTo(TimeRange.WHOLE);
  }

  @Test
  void wheel_overAChartOfAnEndedMigration_zoomsAtThePointer(FxRobot robot) {
    showTenSeconds(robot);
    robot.interact(() -> range.standStill(origin + 10 * SECOND));
    shown.pulse(robot);
    robot.moveTo(inPlot(0.25));
    shown.pulse(robot);
    long under = range.cursorNanosProperty().get();
    robot.scroll(6, VerticalDirection.UP);
    shown.pulse(robot);
    assertThat(range.shownNanos()).isLessThan(3 * SECOND);
    // A pixel is about 0.02 s wide.
    assertThat(range.cursorNanosProperty().get())
        .isBetween(under - SECOND / 20, under + SECOND / 20);
    assertThat(range.leftNanos()).isLessThan(under).isGreaterThan(origin);
    assertThat(range.rightNanos()).isGreaterThan(under).isLessThan(origin + 5 * SECOND);
  }

  @Test
  void phases_areNamedOverTheirOwnStretch_notOverANeighbour(FxRobot robot) {
    phases(
        Phases.named("connect", origin),
        Phases.named("set-up", origin + SECOND / 10),
        Phases.named("round 1", origin + SECOND / 5),
        Phases.named("round 2", origin + 8 * SECOND),
        Phases.named("switch-over", origin + 98 * SECOND / 10));
    showTenSeconds(robot);
    assertThat(shown.texts())
        .contains("round 1", "round 2")
        .doesNotContain("connect", "set-up", "switch-over");
    assertThat(beginOf("round 1")).isBetween(0.02, 0.05);
    assertThat(beginOf("round 2")).isBetween(0.80, 0.83);
    // A phase that the left edge cuts off is named at the edge.
    robot.interact(() -> range.hold(origin + 4 * SECOND, origin + 10 * SECOND));
    shown.pulse(robot);
    assertThat(beginOf("round 1")).isBetween(0.0, 0.02);
    robot.interact(() -> range.hold(origin - SECOND / 10, origin + SECOND / 2));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("connect", "set-up", "round 1");
  }

  @Test
  void phases_besideTheLimit_doNotCoverItsText(FxRobot robot) {
    phases(Phases.named("round 1", origin), Phases.named("switch-over", origin + 83 * SECOND / 10));
    showTenSeconds(robot);
    assertThat(shown.texts()).contains("switch-over");
    robot.interact(() -> session.telemetry().metrics().set(Metric.SEND_QUEUE_DEPTH, 5000));
    robot.interact(() -> view.theme(true));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("↑ depth 5,000", "round 1").doesNotContain("switch-over");
  }

  private void phases(Phase... phases) {
    replay.setState(MigrationStatus.ACTIVE, List.of(phases), List.of(), List.of(), null);
  }

  /** The left edge of a text, as a share of the width of the plot. */
  private double beginOf(String written) {
    Node text =
        view.node().lookupAll("*").stream()
            .filter(node -> node instanceof Text each && written.equals(each.getText()))
            .filter(ViewStage::isShown)
            .findFirst()
            .orElseThrow();
    double left = inPlot(0).getX();
    return (onScreen(text).getMinX() - left) / (inPlot(1).getX() - left);
  }

  @Test
  void sizes_downToNothing_areHarmless(FxRobot robot) {
    showTenSeconds(robot);
    shown.squeeze(robot, 600, 200);
    assertThat(shown.texts()).contains("Outstanding", "100");
  }
}
