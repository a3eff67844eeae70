// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.wridscope.ui.OnFx.layOut;

import java.util.ArrayList;
import java.util.List;
import javafx.event.Event;
import javafx.event.EventType;
import javafx.geometry.Point2D;
import javafx.scene.control.MenuItem;
import javafx.scene.input.ContextMenuEvent;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.PickResult;
import javafx.scene.input.ScrollEvent;
import javafx.scene.layout.Pane;
import javafx.scene.shape.Line;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.ViewStage;
import org.wridscope.ui.chart.TimeAxis.Direction;
import org.wridscope.ui.raster.Pixels;

/** What the pointer and the keys do, for time in either direction. */
@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class TimePlotTest {
  private static final long SECOND = 1_000_000_000L;

  private final TimeRange range = new TimeRange();
  private final Scripted content = new Scripted();

  @SuppressWarnings("NullAway.Init") // each test shows a plot first
  private TimePlot plot;

  private long now;

  /** Counts what it is asked for; a click chooses something in the first half of the picture. */
  private final class Scripted implements TimePlot.Content {
    private int draws;
    private int writes;
    private int choices;

    @Override
    public void draw() {
      draws++;
    }

    @Override
    public void write() {
      writes++;
    }

    @Override
    public boolean choose(double x, double y) {
      boolean something = plot.axis().timeAt(plot.axis().along(x, y)) < 5 * SECOND;
      choices += something ? 1 : 0;
      return something;
    }

    @Override
    public List<MenuItem> menuItems() {
      return List.of(new MenuItem("What is selected"));
    }

    @Override
    public boolean onKey(KeyEvent event) {
      return event.getCode() == KeyCode.A;
    }
  }

  private void show(FxRobot robot, Direction direction) {
    robot.interact(() -> {
      var frame =
          direction == Direction.RIGHT
              ? TimePlot.Frame.toTheRight(20, 60, 100)
              : TimePlot.Frame.downwards(20, 60, 100);
      plot = new TimePlot(range, frame, "a plot", content);
      range.hold(0, 10 * SECOND);
      plot.setActive(true);
      plot.node().resize(500, 400);
      layOut(plot.node());
    });
    pulse(robot);
  }

  private void pulse(FxRobot robot) {
    robot.interact(() -> plot.pulse(++now, false));
  }

  /** A place at a moment, in the middle across. */
  private Point2D at(double seconds) {
    double place = plot.axis().placeOf((long) (seconds * SECOND));
    return plot.axis().along(1, 0) == 1 ? new Point2D(place, 200) : new Point2D(300, place);
  }

  private void mouse(FxRobot robot, EventType<MouseEvent> type, Point2D at, int clicks) {
    robot.interact(
        () -> Event.fireEvent(plot.node(), ViewStage.mouse(type, at.getX(), at.getY(), clicks)));
  }

  private void click(FxRobot robot, Point2D at, int clicks) {
    mouse(robot, MouseEvent.MOUSE_PRESSED, at, clicks);
    mouse(robot, MouseEvent.MOUSE_CLICKED, at, clicks);
  }

  private void drag(FxRobot robot, Point2D from, Point2D to) {
    mouse(robot, MouseEvent.MOUSE_PRESSED, from, 1);
    mouse(robot, MouseEvent.MOUSE_DRAGGED, to, 1);
    mouse(robot, MouseEvent.MOUSE_CLICKED, to, 1);
  }

  private void scroll(FxRobot robot, Point2D at, double tilt, double turn) {
    robot.interact(() ->
        Event.fireEvent(
            plot.node(),
            new ScrollEvent(
                ScrollEvent.SCROLL,
                at.getX(),
                at.getY(),
                at.getX(),
                at.getY(),
                false,
                false,
                false,
                false,
                false,
                false,
                tilt,
                turn,
                tilt,
                turn,
                ScrollEvent.HorizontalTextScrollUnits.NONE,
                0,
                ScrollEvent.VerticalTextScrollUnits.NONE,
                0,
                0,
                null)));
  }

  private void key(FxRobot robot, KeyEvent event) {
    robot.interact(() -> Event.fireEvent(plot.node(), event));
  }

  private static KeyEvent pressed(KeyCode code) {
    return new KeyEvent(KeyEvent.KEY_PRESSED, "", "", code, false, false, false, false);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void dragWithShift_choosesARange_andAClickWithShiftNone(Direction direction, FxRobot robot) {
    show(robot, direction);
    shift(robot, MouseEvent.MOUSE_PRESSED, at(7));
    shift(robot, MouseEvent.MOUSE_DRAGGED, at(3));
    shift(robot, MouseEvent.MOUSE_CLICKED, at(3));
    TimeRange.Span span = range.chosen();
    assertThat(span).isNotNull();
    assertThat(span.fromNanos()).isCloseTo(3 * SECOND, within(SECOND / 10));
    assertThat(span.toNanos()).isCloseTo(7 * SECOND, within(SECOND / 10));
    assertThat(range.leftNanos()).isZero();
    assertThat(content.choices).isZero();
    pulse(robot);
    assertThat(plot.axis().node().lookupAll("Rectangle"))
        .anyMatch(veil -> veil.isVisible() && veil.contains(at(5)) && !veil.contains(at(8)));
    shift(robot, MouseEvent.MOUSE_PRESSED, at(1));
    shift(robot, MouseEvent.MOUSE_CLICKED, at(1));
    assertThat(range.chosen()).isNull();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void dragWithCtrl_showsWhatWasDraggedOver(Direction direction, FxRobot robot) {
    show(robot, direction);
    mouse(robot, MouseEvent.MOUSE_PRESSED, at(7), false, true);
    mouse(robot, MouseEvent.MOUSE_DRAGGED, at(3), false, true);
    assertThat(range.leftNanos()).isZero();
    assertThat(plot.axis().node().lookupAll("Rectangle"))
        .anyMatch(veil -> veil.isVisible() && veil.contains(at(5)) && !veil.contains(at(8)));
    mouse(robot, MouseEvent.MOUSE_RELEASED, at(3), false, true);
    assertThat(range.leftNanos()).isCloseTo(3 * SECOND, within(SECOND / 10));
    assertThat(range.rightNanos()).isCloseTo(7 * SECOND, within(SECOND / 10));
    assertThat(range.chosen()).isNull();
    assertThat(range.isFollowing()).isFalse();
    mouse(robot, MouseEvent.MOUSE_CLICKED, at(3), false, true);
    assertThat(content.choices).isZero();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void markers_areLines_asLongAsTheyAreShown(Direction direction, FxRobot robot) {
    show(robot, direction);
    robot.interact(() -> range.setMarker(4 * SECOND));
    pulse(robot);
    double place = plot.axis().placeOf(4 * SECOND);
    assertThat(plot.axis().node().lookupAll("Line"))
        .map(node -> (Line) node)
        .anyMatch(line ->
            line.getParent().isVisible()
                && (direction == Direction.RIGHT ? line.getEndX() : line.getEndY()) == place);
    key(robot, pressed(KeyCode.M));
    assertThat(range.markers().moments()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void marks_areStrokesAtTheEdgeOfThePicture(Direction direction, FxRobot robot) {
    show(robot, direction);
    int draws = content.draws;
    range.mark(nanos -> nanos <= 4 * SECOND ? 4 * SECOND : Long.MAX_VALUE);
    pulse(robot);
    pulse(robot);
    assertThat(content.draws).isEqualTo(draws + 1);
    assertThat(edge(direction, 4)).isEqualTo(Palette.CURSOR.argb(true));
    assertThat(edge(direction, 5)).isNotEqualTo(Palette.CURSOR.argb(true));
  }

  /** The colour at the edge of the picture at a moment. */
  private int edge(Direction direction, double seconds) {
    double place = plot.axis().placeOf((long) (seconds * SECOND));
    Pixels pixels = plot.surface().pixels();
    return direction == Direction.RIGHT
        ? pixels.argb()[(int) plot.pixelX(place)]
        : pixels.argb()[((int) plot.pixelY(place)) * pixels.stride()];
  }

  private void shift(FxRobot robot, EventType<MouseEvent> type, Point2D at) {
    mouse(robot, type, at, true, false);
  }

  private void mouse(
      FxRobot robot, EventType<MouseEvent> type, Point2D at, boolean shift, boolean control) {
    robot.interact(() ->
        Event.fireEvent(
            plot.node(),
            new MouseEvent(
                type,
                at.getX(),
                at.getY(),
                at.getX(),
                at.getY(),
                MouseButton.PRIMARY,
                1,
                shift,
                control,
                false,
                false,
                true,
                false,
                false,
                true,
                false,
                false,
                null)));
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void pointer_overThePicture_isTheSharedCursorUntilItLeaves(Direction direction, FxRobot robot) {
    show(robot, direction);
    mouse(robot, MouseEvent.MOUSE_MOVED, at(4), 0);
    int writes = content.writes;
    pulse(robot);
    assertThat(range.cursorNanosProperty().get())
        .isBetween(4 * SECOND - SECOND / 10, 4 * SECOND + SECOND / 10);
    assertThat(plot.axis().hasCursor()).isTrue();
    assertThat(content.writes).isEqualTo(writes + 1);
    for (Point2D outside : new Point2D[] {new Point2D(300, 5), new Point2D(30, 200)}) {
      mouse(robot, MouseEvent.MOUSE_MOVED, at(4), 0);
      pulse(robot);
      mouse(robot, MouseEvent.MOUSE_MOVED, outside, 0);
      pulse(robot);
      assertThat(range.hasCursor()).isFalse();
      assertThat(plot.axis().hasCursor()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void wheel_zoomsAtThePointer_andPansWhenTilted(Direction direction, FxRobot robot) {
    show(robot, direction);
    Point2D at = at(2);
    scroll(robot, at, 0, 40);
    assertThat(range.shownNanos()).isEqualTo(8 * SECOND);
    assertThat(plot.axis().timeAt(plot.axis().along(at.getX(), at.getY())))
        .isBetween(2 * SECOND - SECOND / 10, 2 * SECOND + SECOND / 10);
    long left = range.leftNanos();
    scroll(robot, at, -40, 0);
    assertThat(range.leftNanos()).isGreaterThan(left);
    assertThat(range.shownNanos()).isEqualTo(8 * SECOND);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void drag_pans_andItsEndIsNoClick(Direction direction, FxRobot robot) {
    show(robot, direction);
    drag(robot, at(1), at(3));
    assertThat(range.leftNanos()).isBetween(-21 * SECOND / 10, -19 * SECOND / 10);
    assertThat(range.isFollowing()).isFalse();
    assertThat(content.choices).isZero();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void press_thatMovesLittle_isAClick(Direction direction, FxRobot robot) {
    show(robot, direction);
    drag(robot, at(1), at(1).add(3, 3));
    assertThat(range.leftNanos()).isZero();
    assertThat(content.choices).isOne();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void doubleClick_besideEverything_followsAndThenShowsTheWhole(
      Direction direction, FxRobot robot) {
    show(robot, direction);
    click(robot, at(2), 1);
    click(robot, at(2), 2);
    assertThat(range.isFollowing()).isFalse();
    click(robot, at(7), 1);
    click(robot, at(7), 2);
    assertThat(range.isFollowing()).isTrue();
    assertThat(range.spanNanosProperty().get()).isNotEqualTo(TimeRange.WHOLE);
    click(robot, at(7), 3);
    assertThat(range.spanNanosProperty().get()).isNotEqualTo(TimeRange.WHOLE);
    click(robot, at(7), 4);
    assertThat(range.spanNanosProperty().get()).isEqualTo(TimeRange.WHOLE);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void plusAndMinus_zoomAroundTheMiddle_andOtherKeysAreTheContents(
      Direction direction, FxRobot robot) {
    show(robot, direction);
    key(robot, pressed(KeyCode.PLUS));
    assertThat(range.shownNanos()).isEqualTo(5 * SECOND);
    assertThat(range.leftNanos()).isEqualTo(5 * SECOND / 2);
    key(robot, pressed(KeyCode.MINUS));
    assertThat(range.shownNanos()).isEqualTo(10 * SECOND);
    var reached = new ArrayList<KeyCode>();
    robot.interact(() -> {
      var parent = new Pane(plot.node());
      parent.addEventHandler(KeyEvent.KEY_PRESSED, event -> reached.add(event.getCode()));
    });
    key(robot, pressed(KeyCode.A));
    key(robot, pressed(KeyCode.B));
    key(robot, pressed(KeyCode.PLUS));
    assertThat(reached).containsExactly(KeyCode.B);
    key(robot, new KeyEvent(KeyEvent.KEY_PRESSED, "", "", KeyCode.PLUS, false, true, false, false));
    assertThat(reached).containsExactly(KeyCode.B, KeyCode.PLUS);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void gestures_withNothingToShow_moveNothing(Direction direction, FxRobot robot) {
    show(robot, direction);
    robot.interact(() -> plot.setActive(false));
    drag(robot, at(1), at(3));
    scroll(robot, at(2), 0, 40);
    key(robot, pressed(KeyCode.PLUS));
    assertThat(range.leftNanos()).isZero();
    assertThat(range.shownNanos()).isEqualTo(10 * SECOND);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void pulse_drawsOnlyWhatChanged_andWritesTenTimesASecond(Direction direction, FxRobot robot) {
    show(robot, direction);
    int draws = content.draws;
    int writes = content.writes;
    pulse(robot);
    assertThat(content.draws).isEqualTo(draws);
    assertThat(content.writes).isEqualTo(writes);
    robot.interact(() -> plot.pulse(now + 100_000_000, true));
    assertThat(content.draws).isEqualTo(draws + 1);
    assertThat(content.writes).isEqualTo(writes + 1);
    robot.interact(() -> plot.renew());
    robot.interact(() -> plot.pulse(now + 100_000_001, false));
    assertThat(content.draws).isEqualTo(draws + 2);
    assertThat(content.writes).isEqualTo(writes + 2);
    assertThat(plot.hasMoved()).isFalse();
    robot.interact(() -> range.pan(1));
    assertThat(plot.hasMoved()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void contextMenu_chooses_andActsAtThePointer(Direction direction, FxRobot robot) {
    show(robot, direction);
    var menu = new ArrayList<MenuItem>();
    robot.interact(() -> {
      Point2D at = at(2);
      menu.addAll(
          plot.menuItems(
              new ContextMenuEvent(
                  ContextMenuEvent.CONTEXT_MENU_REQUESTED,
                  at.getX(),
                  at.getY(),
                  9,
                  9,
                  false,
                  new PickResult(plot.node(), at.getX(), at.getY()))));
    });
    assertThat(content.choices).isEqualTo(1);
    assertThat(menu.getFirst().getText()).isEqualTo("What is selected");
    choose(robot, menu, "Set a marker here");
    assertThat(range.markers().moments()).hasSize(1);
    assertThat(range.markers().moments().getFirst() / (double) SECOND).isCloseTo(2, within(0.05));
    choose(robot, menu, "Show less time here");
    assertThat(range.shownNanos()).isLessThan(5 * SECOND);
    assertThat(range.leftNanos()).isLessThan(2 * SECOND);
    assertThat(range.rightNanos()).isGreaterThan(2 * SECOND);
  }

  private static void choose(FxRobot robot, List<MenuItem> menu, String text) {
    robot.interact(() ->
        menu.stream().filter(item -> text.equals(item.getText())).findFirst().orElseThrow().fire());
  }
}
