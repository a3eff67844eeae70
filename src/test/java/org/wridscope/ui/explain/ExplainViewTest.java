// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.layOut;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.packets.CapturedConversation;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class ExplainViewTest {
  private static final double NARROW = 500;

  private final FakeSession source =
      new FakeSession("e source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("e destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final Selection selection = new Selection();
  private final List<String> opened = new ArrayList<>();
  private TimeRange range;
  private boolean asExpected;
  private ExplainView view;
  private long now = System.nanoTime();

  @Start
  void start(Stage stage) {
    range = new TimeRange();
    range.reset(source.telemetry().startNanos());
    view = new ExplainView(range, selection, new Analyses(), _ -> asExpected, opened::add);
    stage.setX(0);
    stage.setY(0);
    stage.setScene(new Scene(new StackPane(view.node()), 900, 800));
    stage.show();
  }

  private void pulse(FxRobot robot) {
    robot.interact(() -> {
      now += 1_000_000_000;
      view.pulse(now);
      layOut(view.node().getScene().getRoot());
    });
  }

  @Test
  void failureThatAScenarioExpects_isSaidInTheHead_whenItIsKnown(FxRobot robot) {
    source.end(MigrationStatus.FAILED, "The device reported QP_FATAL.");
    destination.end(MigrationStatus.FAILED, "The source is gone.");
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    pulse(robot);
    var headline = (Label) view.node().lookup("#explain-headline");
    String cause = headline.getText();
    assertThat(cause).contains("QP_FATAL");
    assertThat(headline.getGraphic().getStyleClass()).contains("status-failed");
    List<String> before = texts(view.node());
    asExpected = true;
    // At once, although the texts of other changes wait for a moment.
    robot.interact(() -> view.pulse(now + 1));
    assertThat(headline.getText()).isEqualTo("Failed, as expected: " + cause);
    assertThat(headline.getGraphic().getStyleClass())
        .contains("status-done")
        .doesNotContain("status-failed");
    before.remove(cause);
    assertThat(texts(view.node())).containsAll(before);
  }

  private static List<String> texts(Node node) {
    var texts = new ArrayList<String>();
    if (node instanceof Labeled labeled && labeled.isVisible()) {
      texts.add(labeled.getText());
    }
    if (node instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> texts.addAll(texts(child)));
    }
    return texts;
  }

  @Test
  void deadlock_isExplainedWithStepsThatLinkToTheirEvents(FxRobot robot) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    pulse(robot);
    assertThat(texts(view.node()))
        .contains("The destination waits for a completion that it dropped itself.");
    var steps = (VBox) view.node().lookup("#explain-steps");
    assertThat(steps.getChildren()).hasSize(12);
    Node drops = steps.getChildren().get(6);
    assertThat(texts(drops)).anyMatch(text -> text.contains("drops the completion"));
    robot.interact(() ->
        drops.lookupAll(".button").stream()
            .map(Button.class::cast)
            .filter(button -> button.getText().equals("Log"))
            .forEach(Button::fire));
    assertThat(opened).containsExactly("Log");
    assertThat(selection.get()).isInstanceOf(Selected.LoggedEvent.class);
    var logged = (Selected.LoggedEvent) selection.get();
    assertThat(logged.session()).isEqualTo(destination);
    assertThat(logged.event().kind()).isEqualTo(EventKind.COMPLETION_DROPPED);
    assertThat(range.isFollowing()).isFalse();
    assertThat(logged.event().nanos()).isBetween(range.leftNanos(), range.rightNanos());
  }

  @Test
  void sessionThatIsFasterThanItsEventsAreRead_isExplainedAsFarAsTheyAre(FxRobot robot) {
    EventLog log = source.telemetry().log();
    for (int i = 0; i < 1_000_000; i++) {
      log.add(now + i, EventKind.POST_WRITE, 1, 4096, i, 0);
    }
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    pulse(robot);
    assertThat(texts(view.node()))
        .doesNotContain("Reading the events…")
        .anyMatch(text -> text.contains("later events are still being read"));
  }

  @Test
  void sessionThatEnded_hasFindingsAndLatencies(FxRobot robot) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    pulse(robot);
    assertThat(((VBox) view.node().lookup("#explain-findings")).getChildren()).isEmpty();
    source.end(MigrationStatus.FAILED, "x");
    destination.end(MigrationStatus.FAILED, "x");
    pulse(robot);
    assertThat(texts(view.node().lookup("#explain-findings")))
        .contains("completions dropped, destination")
        .anyMatch(text -> text.startsWith("1 completion dropped"));
    assertThat(texts(view.node().lookup("#latencies")))
        .contains("source, SEND", "destination, receive", "p99");
  }

  @Test
  void capturedPackets_whatWentWrongOnTheWire_isInStepsAndFindings(
      FxRobot robot, @TempDir Path folder) throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    int last = talk.wire().count() - 2;
    talk.refuse(0x2c);
    talk.wire().repeat(last, 2);
    talk.congest();
    try (Recording recording =
        Recording.open("wire.pcap", talk.wire().file(folder.resolve("wire.pcap")))) {
      RecordedMigration migration =
          RecordedMigration.find(List.of(recording), new ArrayList<>()).getFirst();
      robot.interact(() -> view.show(new SessionPair(migration.source(), migration.destination())));
      pulse(robot);
      assertThat(texts(view.node().lookup("#explain-findings")))
          .contains(
              "RNR NAK, source", "requests sent again, source", "congestion notifications, source")
          .anyMatch(text -> text.startsWith("1 retransmission by QP 17 at +"))
          .anyMatch(text -> text.contains("to be sent again after 640 µs. The receiver was not"));
      assertThat(texts(view.node().lookup("#explain-steps")))
          .contains("QP 17 is told that its packets meet congestion.")
          .anyMatch(text -> text.startsWith("The peer's device answers CONTROL SEND (QEMU FILE)"))
          .anyMatch(text -> text.equals("The device sends CONTROL SEND (QEMU FILE) again."));
      robot.interact(() -> range.choose(1, 2));
      pulse(robot);
      assertThat(texts(view.node().lookup("#explain-findings")))
          .contains("None.")
          .anyMatch(text ->
              text.startsWith("Outside the range")
                  && text.contains("RNR NAK (source), requests sent again (source)"));
    }
  }

  @Test
  void chosenRange_isNamed_andLimitsTheLatencies(FxRobot robot) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    pulse(robot);
    assertThat(texts(view.node().lookup("#latencies"))).contains("source, SEND");
    long origin = range.originNanos();
    robot.interact(() -> range.choose(origin + 1_000_000_000_000L, origin + 1_002_000_000_000L));
    pulse(robot);
    assertThat(texts(view.node()))
        .contains(
            "Step by step, in bold within the range: 2.0 s from +1000.000000 s to +1002.000000 s");
    assertThat(texts(view.node().lookup("#latencies"))).doesNotContain("source, SEND");
    assertThat(view.node().lookupAll(".explain-in-range")).isEmpty();
    robot.interact(() -> range.choose(origin - 1_000, origin + 1_000_000_000L));
    pulse(robot);
    assertThat(texts(view.node().lookup("#latencies"))).contains("source, SEND");
    assertThat(view.node().lookupAll(".explain-in-range")).isNotEmpty();
    robot.interact(() -> range.chooseNone());
    pulse(robot);
    assertThat(texts(view.node())).contains("Step by step");
    assertThat(view.node().lookupAll(".explain-in-range")).isEmpty();
  }

  @Test
  void chosenRange_limitsTheFindings(FxRobot robot) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    source.end(MigrationStatus.FAILED, "x");
    destination.end(MigrationStatus.FAILED, "x");
    long begin = source.telemetry().startNanos();
    robot.interact(() -> range.choose(begin + 1_150_000, begin + 1_200_000));
    pulse(robot);
    assertThat(texts(view.node()))
        .anyMatch(text -> text.startsWith("Findings in the range: 50 µs"));
    assertThat(texts(view.node().lookup("#explain-findings")))
        .contains("completions dropped, destination")
        .noneMatch(text -> text.startsWith("Outside the range"));
    robot.interact(() -> range.choose(begin, begin + 1_150_000));
    pulse(robot);
    assertThat(texts(view.node().lookup("#explain-findings")))
        .contains("None.")
        .anyMatch(text ->
            text.startsWith("Outside the range")
                && text.contains("completions dropped (destination)"))
        .doesNotContain("completions dropped, destination");
  }

  /** Without the style sheet, which makes the letters larger. */
  @Test
  void narrowView_cutsNothingOff(FxRobot robot) {
    new SeedDeadlock(source.telemetry(), destination.telemetry());
    robot.interact(() -> {
      ((Region) view.node()).setMaxWidth(NARROW);
      StackPane.setAlignment(view.node(), Pos.TOP_LEFT);
      view.show(new SessionPair(source, destination));
    });
    pulse(robot);
    for (String id : List.of("#explain-headline", "#explain-steps", "#latencies")) {
      Node node = view.node().lookup(id);
      assertThat(inScene(node).getMaxX()).as(id).isLessThanOrEqualTo(NARROW);
    }
    Set<Node> numbers = view.node().lookup("#latencies").lookupAll(".number");
    assertThat(numbers).isNotEmpty().allMatch(node -> inScene(node).getMaxX() <= NARROW);
  }

  @Test
  void nothing_saysWhatToDo(FxRobot robot) {
    assertThat(texts(view.node())).contains("Select a migration to see what happened and why.");
    robot.interact(() -> view.show(new SessionPair(source, null)));
    pulse(robot);
    assertThat(texts(view.node())).contains("Nothing has happened yet.");
  }
}
