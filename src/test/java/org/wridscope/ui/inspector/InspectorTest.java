// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.control.ScrollPane;
import javafx.scene.input.Clipboard;
import javafx.scene.input.KeyCode;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.OnFx;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Readings;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.overview.OverviewView;

@Slow("it opens a window")
@ExtendWith(OnFxRobot.class)
final class InspectorTest {
  private static final String LONG = "rdma:a-host-with-a-very-long-name.of.a.laboratory:44444";

  private final Readings readings = new Readings();
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private Inspector inspector;

  @Start
  void start(Stage stage) {
    inspector = new Inspector(readings, range, selection, Runnable::run);
    stage.setX(0);
    stage.setY(0);
    // In its own pane, because the stage may still have the size of another test.
    var narrow = (Region) inspector.node();
    narrow.setMaxSize(240, 500);
    stage.setScene(new Scene(new StackPane(narrow), 240, 500));
    stage.show();
    inspector.show(new SessionPair(new FakeSession("one", LONG, Role.SOURCE, true), null));
  }

  private Label value() {
    List<Label> found =
        inspector.node().lookupAll(".inspector-value").stream()
            .map(Label.class::cast)
            .filter(label -> label.getText().equals(LONG))
            .toList();
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void longValue_isWhole_andInItsTooltip() {
    OnFx.layOut((Parent) inspector.node());
    Label value = value();
    var written = (Text) value.lookup(".text");
    assertThat(written.getText().replace("\n", "")).isEqualTo(LONG);
    assertThat(value.getTooltip().getText()).contains(LONG);
  }

  @Test
  void value_clickedAndCopied_isWholeInTheClipboard(FxRobot robot) {
    robot.clickOn(value());
    robot.press(KeyCode.CONTROL, KeyCode.C).release(KeyCode.C, KeyCode.CONTROL);
    var copied = new String[1];
    robot.interact(() -> copied[0] = Clipboard.getSystemClipboard().getString());
    assertThat(copied[0]).isEqualTo(LONG);
    assertThat(value().getContextMenu().getItems()).extracting("text").containsExactly("Copy");
  }

  @Test
  void expectedDowntime_isThatOfTheOverview_howeverFastItChanges(FxRobot robot) {
    var source = new FakeSession("two", LONG, Role.SOURCE, true);
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    Metrics metrics = source.telemetry().metrics();
    metrics.set(Metric.RAM_TOTAL, 1L << 33);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 2);
    metrics.set(Metric.BANDWIDTH, 100_000_000);
    metrics.set(Metric.RAM_REMAINING, 50_000_000);
    var texts = new ArrayList<List<String>>();
    robot.interact(() -> {
      var overview = new OverviewView(readings, nanos -> nanos, _ -> false, List.of());
      var pair = new SessionPair(source, null);
      inspector.show(pair);
      overview.show(pair);
      long now = System.nanoTime();
      for (int frame = 0; frame < 15; frame++) {
        now += 20_000_000;
        metrics.set(Metric.DIRTY_BYTES_RATE, 30_000_000 + 1_000_000L * frame);
        overview.pulse(now);
        metrics.set(Metric.DIRTY_BYTES_RATE, 60_000_000 + 1_000_000L * frame);
        inspector.pulse(now);
        texts.add(List.of(downtime(overview.node()), downtime(inspector.node())));
      }
    });
    assertThat(texts).allSatisfy(both -> assertThat(both.getFirst()).isEqualTo(both.getLast()));
    assertThat(Set.copyOf(texts)).hasSizeGreaterThan(2);
  }

  /** The expected downtime that a view shows. */
  private static String downtime(Node view) {
    return texts(view)
        .filter(text -> text.matches("(≈ )?\\d+ ms"))
        .map(text -> text.replace("≈ ", ""))
        .findFirst()
        .orElse("none");
  }

  private static Stream<String> texts(Node node) {
    return switch (node) {
      case Label label -> Stream.of(label.getText());
      case ScrollPane pane -> texts(pane.getContent());
      case Parent parent -> parent.getChildrenUnmodifiable().stream().flatMap(InspectorTest::texts);
      default -> Stream.of();
    };
  }

  @Test
  void history_ofARequest_isWhole_andLeadsToItsTimes(FxRobot robot) {
    var destination = new FakeSession("two", LONG, Role.DESTINATION, true);
    long origin = destination.telemetry().startNanos();
    new SeedDeadlock(new SessionTelemetry(Role.SOURCE, true), destination.telemetry());
    Requests requests = new Requests(destination.telemetry()).readAll();
    var facts = RequestFacts.of(requests, QueueType.RECEIVE, 0);
    robot.interact(() -> {
      range.hold(origin, origin + 1_000_000);
      inspector.show(new SessionPair(null, destination));
      selection.select(new Selected.WorkRequest(destination, facts));
      OnFx.layOut((Parent) inspector.node());
    });
    List<Label> links =
        inspector.node().lookupAll(".inspector-link").stream().map(Label.class::cast).toList();
    assertThat(links).hasSize(facts.history().size()).hasSizeGreaterThan(3);
    for (Label link : links) {
      var written = (Text) link.lookup(".text");
      assertThat(written.getText().replace("\n", " "))
          .isEqualToNormalizingWhitespace(link.getText());
    }
    Label last = links.getLast();
    robot.interact(last::requestFocus);
    robot.type(KeyCode.ENTER);
    long there = facts.history().getLast().nanos();
    assertThat(range.cursorNanosProperty().get()).isEqualTo(there);
    assertThat(range.leftNanos()).isLessThan(there);
    assertThat(range.rightNanos()).isGreaterThan(there);
  }
}
