// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onScreen;

import java.util.List;
import java.util.Objects;
import javafx.geometry.Point2D;
import javafx.geometry.VerticalDirection;
import javafx.scene.control.Labeled;
import javafx.scene.image.WritableImage;
import javafx.scene.input.KeyCode;
import javafx.scene.input.MouseButton;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Script;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.ViewStage;
import org.wridscope.ui.chart.TimePlot;
import org.wridscope.verbs.DeviceCounter;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class WridsViewTest {
  private final FakeSession source =
      new FakeSession("w source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("w destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final SessionPair pair = new SessionPair(source, destination);
  private final long origin = source.telemetry().startNanos();
  private final Selection selection = new Selection();
  private TimeRange range;
  private Search search;
  private WridsView view;
  private ViewStage shown;

  @Start
  void start(Stage stage) {
    range = new TimeRange();
    range.reset(origin);
    var analyses = new Analyses();
    search = new Search(range, selection, analyses);
    view = new WridsView(range, selection, analyses, search, List::of);
    shown = new ViewStage(stage, view, 900, 640);
  }

  private void showDeadlock(FxRobot robot) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> {
      range.hold(origin + 950_000, origin + 1_250_000);
      view.show(pair);
    });
    shown.pulse(robot);
  }

  private String count() {
    return ((Labeled) view.node().lookup("#wrid-count")).getText();
  }

  /** A place in the picture: a share of the shown time, and of the height of all lanes. */
  private Point2D at(double time, double height) {
    TimePlot plot = view.plot();
    return onScreen(
        plot.node(), plot.left() + time * plot.width(), plot.top() + height * plot.height());
  }

  private int count(FxRobot robot, Palette colour) {
    var found = new int[1];
    robot.interact(() -> {
      WritableImage image = view.node().lookup("#wrid-plot").snapshot(null, null);
      for (int y = 0; y < image.getHeight(); y++) {
        for (int x = 0; x < image.getWidth(); x++) {
          found[0] += image.getPixelReader().getArgb(x, y) == colour.argb(true) ? 1 : 0;
        }
      }
    });
    return found[0];
  }

  private Selected.WorkRequest selectedRequest() {
    assertThat(selection.get()).isInstanceOf(Selected.WorkRequest.class);
    return (Selected.WorkRequest) Objects.requireNonNull(selection.get());
  }

  @Test
  void show_theDeadlock_namesLanesMessagesAndWhatIsWrong(FxRobot robot) {
    showDeadlock(robot);
    assertThat(shown.texts())
        .contains("source", "destination", "send completions")
        .contains("READY", "REGISTER REQUEST", "recv 0");
    assertThat(count())
        .isEqualTo("source: 3 requests  |  dest.: 2 requests, 1 out of order, 1 dropped");
    assertThat(count(robot, Palette.FAILED)).isPositive();
    assertThat(count(robot, Palette.IN_TRANSIT)).isPositive();
    robot.clickOn("Source");
    shown.pulse(robot);
    assertThat(count(robot, Palette.FAILED)).isZero();
    assertThat(shown.texts()).doesNotContain("destination");
  }

  @Test
  void clickOnARequestAndArrowKeys_selectRequests(FxRobot robot) {
    showDeadlock(robot);
    // The REGISTER REQUEST was posted at 1.13 ms, in the uppermost lane.
    robot.clickOn(at(0.6, 0.09), MouseButton.PRIMARY);
    assertThat(selection.get()).isInstanceOf(Selected.WorkRequest.class);
    var request = selectedRequest();
    assertThat(request.session()).isEqualTo(source);
    assertThat(request.facts().kind()).isEqualTo(RequestKind.SEND);
    assertThat(request.facts().history())
        .extracting(station -> station.what())
        .containsExactly("posted", "waited for", "completed");
    robot.clickOn(at((1.0 - 0.95) / 0.3, 0.3), MouseButton.PRIMARY);
    request = selectedRequest();
    assertThat(request.facts().kind()).isEqualTo(RequestKind.RECEIVE);
    long before = request.facts().id();
    robot.type(KeyCode.RIGHT);
    assertThat(selectedRequest().facts().id()).isEqualTo(before + 1);
    robot.type(KeyCode.LEFT);
    assertThat(selectedRequest().facts().id()).isEqualTo(before);
  }

  @Test
  void clickOnAWait_selectsItsEvent(FxRobot robot) {
    showDeadlock(robot);
    robot.clickOn(at(0.98, 0.97), MouseButton.PRIMARY);
    assertThat(selection.get()).isInstanceOf(Selected.LoggedEvent.class);
    var logged = (Selected.LoggedEvent) selection.get();
    assertThat(logged.session()).isEqualTo(destination);
    assertThat(logged.event().kind()).isEqualTo(EventKind.WAIT_BEGIN);
    assertThat(logged.event().wrid()).isEqualTo(4000);
  }

  @Test
  void troubleThatTheDeviceCounted_hasALane_whereAClickSelectsIt(FxRobot robot) {
    showDeadlock(robot);
    assertThat(shown.texts()).doesNotContain("device");
    var counter = new DeviceCounter("rxe0", 1, "completer_retry_err");
    new Script(destination.telemetry(), origin).at(1_100_000_000).counted(counter, 12, false);
    robot.interact(() -> range.hold(origin, origin + 2_000_000_000));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("device", "rxe0 port 1: 12 completer_retry_err");
    robot.clickOn(at(0.3, 0.97), MouseButton.PRIMARY);
    assertThat(selection.get())
        .isInstanceOfSatisfying(
            Selected.LoggedEvent.class,
            logged -> {
              assertThat(logged.session()).isEqualTo(destination);
              assertThat(logged.event().kind()).isEqualTo(EventKind.DEVICE_COUNTED);
            });
  }

  @Test
  void search_marksRequests_andNGoesFromOneToTheNext(FxRobot robot) {
    var requests = new ScriptedRequests(source.telemetry(), destination.telemetry(), 1);
    requests.writes(9_000, 9_000);
    robot.interact(() -> {
      range.hold(origin, origin + requests.lastNanos());
      view.show(pair);
    });
    for (int i = 0; i < 20; i++) {
      shown.pulse(robot);
    }
    robot.interact(() -> search.find("opcode=write chunk=17"));
    shown.pulse(robot);
    shown.pulse(robot);
    assertThat(count()).endsWith("2 marked");
    robot.interact(() -> view.plot().node().requestFocus());
    robot.type(KeyCode.N);
    var first = selectedRequest();
    assertThat(first.facts().text()).isEqualTo("WRITE RDMA block 0 chunk 17");
    assertThat(range.shownNanos()).isLessThan(requests.lastNanos() / 10);
    robot.type(KeyCode.N);
    var second = selectedRequest();
    assertThat(second.facts().id()).isGreaterThan(first.facts().id());
    robot.push(KeyCode.SHIFT, KeyCode.N);
    assertThat(selectedRequest().isSame(first)).isTrue();
  }

  private boolean isRingShown() {
    return view.node().lookup("#wrid-landing").isVisible();
  }

  @Test
  void keyA_goesToWhatIsUnusual_andARingShowsWhereItIs_forAWhile(FxRobot robot) {
    showDeadlock(robot);
    robot.interact(() -> view.plot().node().requestFocus());
    robot.type(KeyCode.A);
    shown.pulse(robot);
    assertThat(((Labeled) view.node().lookup("#wrid-told")).getText()).startsWith("a completion ");
    assertThat(selectedRequest().session()).isEqualTo(destination);
    assertThat(isRingShown()).isTrue();
    for (int i = 0; i < 9; i++) {
      shown.pulse(robot);
    }
    assertThat(isRingShown()).isFalse();
  }

  @Test
  void ring_isShownForWhatAnotherViewSelects_notForAClickHere(FxRobot robot) {
    showDeadlock(robot);
    robot.clickOn(at(0.6, 0.09), MouseButton.PRIMARY);
    shown.pulse(robot);
    assertThat(isRingShown()).isFalse();
    robot.interact(() -> selection.selectEvent(source, 0));
    shown.pulse(robot);
    assertThat(isRingShown()).isTrue();
    robot.interact(() -> {
      range.hold(origin + 5_000_000, origin + 6_000_000);
      selection.selectEvent(source, 1);
    });
    shown.pulse(robot);
    assertThat(isRingShown()).as("it is out of sight").isFalse();
  }

  private Point2D onMinimap(double share) {
    TimePlot plot = view.plot();
    return onScreen(view.node().lookup("#wrid-minimap"), plot.left() + share * plot.width(), 12);
  }

  @Test
  void minimap_movesTheShownTime(FxRobot robot) {
    var requests = new ScriptedRequests(source.telemetry(), destination.telemetry(), 1);
    requests.writes(2_000, 9_000);
    source.end(MigrationStatus.COMPLETED, "x");
    destination.end(MigrationStatus.COMPLETED, "x");
    long all = requests.lastNanos();
    robot.interact(() -> {
      range.hold(origin, origin + all / 10);
      view.show(pair);
    });
    shown.pulse(robot);
    shown.pulse(robot);
    robot.clickOn(onMinimap(0.5));
    assertThat(range.leftNanos() + range.shownNanos() / 2 - origin)
        .isBetween(all * 48 / 100, all * 52 / 100);
    assertThat(range.shownNanos()).isEqualTo(all / 10);
    robot.drag(onMinimap(0.52), MouseButton.PRIMARY).dropTo(onMinimap(0.82));
    assertThat(range.leftNanos() + range.shownNanos() / 2 - origin)
        .isBetween(all * 78 / 100, all * 82 / 100);
    robot.drag(onMinimap(0.8), MouseButton.PRIMARY).dropTo(onMinimap(1.2));
    assertThat(range.rightNanos() - origin).isBetween(all * 99 / 100, all + 1);
  }

  @Test
  void minimap_hasTheShownTimeInIt_alsoAfterTheLastMoment(FxRobot robot) {
    var requests = new ScriptedRequests(source.telemetry(), destination.telemetry(), 1);
    requests.writes(2_000, 9_000);
    source.end(MigrationStatus.COMPLETED, "x");
    destination.end(MigrationStatus.COMPLETED, "x");
    long all = requests.lastNanos();
    robot.interact(() -> {
      // As a range that stays while a recording is moved to an earlier moment.
      range.hold(origin + 3 * all, origin + 4 * all);
      view.show(pair);
    });
    shown.pulse(robot);
    shown.pulse(robot);
    robot.drag(onMinimap(0.875), MouseButton.PRIMARY).dropTo(onMinimap(0.125));
    assertThat(range.shownNanos()).isEqualTo(all);
    assertThat(range.leftNanos() - origin).isBetween(-all / 10, all / 10);
  }

  @Test
  void keyM_setsMarkersAtRequests_andTellsWhatLiesBetween(FxRobot robot) {
    showDeadlock(robot);
    // The REGISTER REQUEST was posted at 1.13 ms.
    robot.clickOn(at(0.6, 0.09), MouseButton.PRIMARY);
    robot.type(KeyCode.M);
    assertThat(range.markers().moments()).containsExactly(selectedRequest().facts().postedNanos());
    robot.moveTo(at(0.3, 0.28));
    shown.pulse(robot);
    robot.type(KeyCode.M);
    for (int i = 0; i < 2; i++) {
      shown.pulse(robot);
    }
    assertThat(range.markers().moments()).hasSize(2);
    assertThat(range.markersText()).contains(" between the markers at ");
    assertThat(count()).contains("between the markers: ").contains(" posted, ");
    robot.push(KeyCode.SHIFT, KeyCode.M);
    assertThat(range.markers().moments()).isEmpty();
  }

  @Test
  void onlyHits_hidesTheOthers(FxRobot robot) {
    showDeadlock(robot);
    assertThat(shown.texts()).contains("READY", "recv 0");
    robot.interact(() -> {
      search.find("opcode=recv");
      search.onlyProperty().set(true);
    });
    shown.pulse(robot);
    shown.pulse(robot);
    assertThat(shown.texts()).contains("recv 0").doesNotContain("READY");
    robot.interact(() -> search.find("chunk=3"));
    shown.pulse(robot);
    shown.pulse(robot);
    assertThat(shown.texts()).doesNotContain("READY", "recv 0");
    assertThat(count(robot, Palette.FAILED)).isZero();
  }

  @Test
  void chunkSelectedElsewhere_isMarked(FxRobot robot) {
    var requests = new ScriptedRequests(source.telemetry(), destination.telemetry(), 1);
    requests.writes(200, 9_000);
    robot.interact(() -> {
      range.hold(origin, origin + requests.lastNanos());
      view.show(new SessionPair(source, null));
    });
    shown.pulse(robot);
    shown.pulse(robot);
    int before = count(robot, Palette.CURSOR);
    robot.interact(() -> selection.select(new Selected.Chunk(source, 0, 17)));
    shown.pulse(robot);
    shown.pulse(robot);
    assertThat(count(robot, Palette.CURSOR)).isGreaterThan(before + 20);
    assertThat(count()).endsWith("1 marked");
  }

  @Test
  void wheelAndDrag_zoomToNanosecondsAndPan(FxRobot robot) {
    showDeadlock(robot);
    source.end(MigrationStatus.FAILED, "x");
    destination.end(MigrationStatus.FAILED, "x");
    robot.moveTo(at(0.6, 0.2));
    robot.scroll(40, VerticalDirection.UP);
    shown.pulse(robot);
    assertThat(range.shownNanos()).isEqualTo(TimeRange.SHORTEST);
    assertThat(range.isFollowing()).isFalse();
    long left = range.leftNanos();
    robot.drag(at(0.4, 0.2), MouseButton.PRIMARY).dropTo(at(0.7, 0.2));
    shown.pulse(robot);
    assertThat(range.leftNanos()).isLessThan(left);
    robot.doubleClickOn(at(0.5, 0.2), MouseButton.PRIMARY);
    assertThat(range.isFollowing()).isTrue();
  }

  @Test
  void show_ofNothing_saysWhatWillAppear(FxRobot robot) {
    shown.pulse(robot);
    assertThat(shown.texts()).contains("Select a migration to see its work requests.");
    robot.interact(() -> view.show(pair));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("Work requests appear here as soon as the first one is posted.");
    var unmonitored = new FakeSession("u", "rdma:127.0.0.1:4444", Role.SOURCE, false);
    robot.interact(() -> view.show(new SessionPair(unmonitored, null)));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("No requests: this migration was started without monitoring.");
  }

  @Test
  void sizes_downToNothing_areHarmless(FxRobot robot) {
    showDeadlock(robot);
    shown.squeeze(robot, 800, 500);
    assertThat(shown.texts()).contains("READY");
  }
}
