// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.wridscope.ui.OnFx.onScreen;

import java.util.List;
import javafx.geometry.Point2D;
import javafx.geometry.VerticalDirection;
import javafx.scene.control.CheckBox;
import javafx.scene.input.KeyCode;
import javafx.scene.input.MouseButton;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.analysis.Script;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.ViewStage;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class MessagesViewTest {
  private final FakeSession source =
      new FakeSession("m source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("m destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final long origin = source.telemetry().startNanos();
  private final Selection selection = new Selection();
  private TimeRange range;
  private MessagesView view;
  private ViewStage shown;

  @Start
  void start(Stage stage) {
    range = new TimeRange();
    range.reset(origin);
    var analyses = new Analyses();
    view =
        new MessagesView(
            range, selection, analyses, new Search(range, selection, analyses), List::of);
    shown = new ViewStage(stage, view, 800, 600);
  }

  private void show(FxRobot robot, SessionPair pair) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> {
      range.hold(origin + 1_050_000, origin + 1_250_000);
      view.show(pair);
    });
    shown.pulse(robot);
  }

  /** A place: a share of the way from the source's line to the destination's, and a moment. */
  private Point2D at(double share, long nanos) {
    LadderPlot picture = view.picture();
    double x = picture.sourceX() + share * (picture.destinationX() - picture.sourceX());
    double y = picture.plot().axis().placeOf(origin + nanos);
    return onScreen(picture.plot().node(), x, y);
  }

  @Test
  void show_bothEnds_labelsArrowsWithTypeAndPayload(FxRobot robot) {
    show(robot, new SessionPair(source, destination));
    assertThat(shown.texts())
        .contains("source", "destination", "READY", "REGISTER REQUEST, 32 B, dropped")
        .contains("1 from the source, 1 from the destination");
  }

  @Test
  void heartbeats_areHidden_counted_andShownWhenWanted(FxRobot robot) {
    show(robot, new SessionPair(source, destination));
    new Script(source.telemetry(), origin).at(1_200_000).send(ControlType.HEARTBEAT, 0);
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("1 from the source, 1 from the destination; 1 heartbeat hidden")
        .doesNotContain("HEARTBEAT");
    robot.interact(() -> robot.lookup("#message-heartbeats").queryAs(CheckBox.class).fire());
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("2 from the source, 1 from the destination")
        .contains("HEARTBEAT");
  }

  @Test
  void show_oneEnd_showsWhatItKnows(FxRobot robot) {
    show(robot, new SessionPair(null, destination));
    assertThat(shown.texts()).contains("source (not here)", "READY", "message, dropped");
  }

  @Test
  void clickAndKeys_selectMessages(FxRobot robot) {
    show(robot, new SessionPair(source, destination));
    robot.clickOn(at(0.5, 1_110_000), MouseButton.PRIMARY);
    assertSelected(destination, EventKind.CONTROL_SENT, ControlType.READY);
    robot.type(KeyCode.DOWN);
    assertSelected(source, EventKind.CONTROL_SENT, ControlType.REGISTER_REQUEST);
    robot.type(KeyCode.UP);
    assertSelected(destination, EventKind.CONTROL_SENT, ControlType.READY);
    robot.type(KeyCode.UP);
    assertSelected(destination, EventKind.CONTROL_SENT, ControlType.READY);
  }

  private void assertSelected(FakeSession session, EventKind kind, ControlType type) {
    assertThat(selection.get()).isInstanceOf(Selected.LoggedEvent.class);
    var logged = (Selected.LoggedEvent) selection.get();
    assertThat(logged.session()).isEqualTo(session);
    assertThat(logged.event().kind()).isEqualTo(kind);
    assertThat(logged.event().detail()).isEqualTo(type.value());
  }

  @Test
  void wheelAndDrag_moveTheSharedTimeDownwards(FxRobot robot) {
    show(robot, new SessionPair(source, destination));
    long before = range.shownNanos();
    robot.moveTo(at(0.5, 1_200_000));
    shown.pulse(robot);
    assertThat(range.cursorNanosProperty().get() - origin).isBetween(1_198_000L, 1_202_000L);
    robot.scroll(2, VerticalDirection.UP);
    shown.pulse(robot);
    assertThat(range.shownNanos()).isLessThan(before);
    long left = range.leftNanos();
    long middle = (range.leftNanos() + range.rightNanos()) / 2 - origin;
    robot.drag(at(0.5, middle), MouseButton.PRIMARY).dropTo(at(0.5, middle + 30_000));
    shown.pulse(robot);
    assertThat(range.leftNanos()).isLessThan(left);
  }

  @Test
  void show_ofNothing_saysWhatWillAppear(FxRobot robot) {
    shown.pulse(robot);
    assertThat(shown.texts()).contains("Select a migration to see its control messages.");
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("Control messages appear here as soon as the two ends are connected.");
  }

  @Test
  void inAWideWindow_theEndsStayNearEnoughToFollowAnArrow(FxRobot robot) {
    var stage = (Stage) view.node().getScene().getWindow();
    robot.interact(() -> {
      shown = new ViewStage(stage, view, 3000, 400);
      stage.setWidth(3000);
    });
    show(robot, new SessionPair(source, destination));
    LadderPlot picture = view.picture();
    double apart = picture.destinationX() - picture.sourceX();
    assertThat(apart).isCloseTo(1200, within(1.0));
    double middle = (picture.plot().left() + picture.plot().right()) / 2;
    assertThat(picture.sourceX() + apart / 2).isCloseTo(middle, within(1.0));
  }

  @Test
  void sizes_downToNothing_areHarmless(FxRobot robot) {
    show(robot, new SessionPair(source, destination));
    shown.squeeze(robot, 700, 400);
    assertThat(shown.texts()).contains("READY");
  }
}
