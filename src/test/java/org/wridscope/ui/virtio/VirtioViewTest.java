// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.layOut;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.QueueSnapshot.InFlight;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.TimeRange;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class VirtioViewTest {
  /** Narrower than the views in a window of 900, because there is no padding here. */
  private static final double NARROW = 600;

  private static final String NAME = "virtio-blk requestq";

  @TempDir Path directory;

  private final FakeSession source = new FakeSession("s", "rdma:h:1", Role.SOURCE, false);
  private final FakeSession destination = new FakeSession("d", "rdma:h:1", Role.DESTINATION, false);
  private final TimeRange range = new TimeRange();
  private VirtioView view;
  private long now = 1;

  @Start
  void start(Stage stage) {
    view = new VirtioView(range, Runnable::run);
    stage.setX(0);
    stage.setY(0);
    // All tests share the stage, and some need more space.
    stage.setMinWidth(0);
    stage.setScene(new Scene(new StackPane(view.node()), 900, 620));
    stage.show();
  }

  private static VirtioSnapshot snapshot(
      int used, int deviceUsed, Optional<RequestFailure> predicted) {
    return snapshot(used, deviceUsed, predicted, Optional.empty());
  }

  private static VirtioSnapshot snapshot(
      int used,
      int deviceUsed,
      Optional<RequestFailure> predicted,
      Optional<RequestFailure> observed) {
    var queue =
        new QueueSnapshot(
            NAME,
            64,
            used + 2,
            used,
            used + 1,
            deviceUsed,
            used,
            List.of(new InFlight(3, 1233)),
            used + 3,
            used);
    return new VirtioSnapshot(true, List.of(queue), List.of(queue), 0, 0, predicted, observed);
  }

  private void pulse(FxRobot robot) {
    robot.interact(() -> {
      now += 200_000_000;
      view.pulse(now);
    });
  }

  private Set<String> texts() {
    return view.node().lookupAll(".label").stream()
        .filter(VirtioViewTest::isShown)
        .map(node -> ((Label) node).getText())
        .collect(Collectors.toSet());
  }

  private static boolean isShown(Node node) {
    for (Node at = node; at != null; at = at.getParent()) {
      if (!at.isVisible()) {
        return false;
      }
    }
    return true;
  }

  @Test
  void itFollowsBothEnds(FxRobot robot) {
    robot.interact(() -> view.show(null));
    assertThat(texts())
        .containsExactly("Select a migration to see the virtio devices of its guest.");

    source.setVirtio(snapshot(500, 500, Optional.empty()));
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    assertThat(texts())
        .contains(NAME + ", 64 entries", "Source", "502", "501", "In flight. Source: 1233")
        .doesNotContain("Destination");
    Node first = view.node().lookup(".virtio-queue");
    source.setVirtio(snapshot(700, 700, Optional.empty()));
    pulse(robot);
    assertThat(texts()).contains("702", "701").doesNotContain("502", "501");
    assertThat(view.node().lookup(".virtio-queue")).as("nothing is rebuilt").isSameAs(first);

    var lost = Optional.of(new RequestFailure(RequestFailure.Kind.LOST, NAME, 1233));
    destination.setVirtio(snapshot(700, 0, lost));
    pulse(robot);
    assertThat(texts())
        .contains(
            "Destination, as loaded",
            "Destination",
            "Destination: 700 requests came back. Map changes: 0, resets: 0.",
            "virtio-blk requestq: request 1233 is lost: it will never be completed.",
            "nothing so far",
            "The used index in the ring is 700, but the device would write its next completion at"
                + " 0.");
    destination.setVirtio(snapshot(700, 0, lost, lost));
    pulse(robot);
    assertThat(texts())
        .contains(
            "virtio-blk requestq: request 1233 is lost: it will never be completed.",
            "virtio-blk requestq: request 1233 did not come back, although the driver looked 256"
                + " times.")
        .doesNotContain("nothing so far");
    robot.interact(() ->
        view.show(
            new SessionPair(null, new FakeSession("d", "rdma:h:1", Role.DESTINATION, false))));
    assertThat(texts()).singleElement().asString().startsWith("There are no virtio devices here");
  }

  /** The virtqueues of a running migration have no past. */
  @Test
  void rangeOfARunningMigration_isSaidNotToBeShown(FxRobot robot) {
    source.setVirtio(snapshot(500, 500, Optional.empty()));
    robot.interact(() -> view.show(new SessionPair(source, destination)));
    robot.interact(() -> range.choose(1, 2));
    assertThat(texts())
        .contains(
            "Shown as they are now, not in the range: past virtqueues are only known in"
                + " recordings.",
            "Source");
    robot.interact(() -> range.chooseNone());
    assertThat(texts()).noneMatch(text -> text.startsWith("Shown as they are now"));
  }

  @Test
  void rangeOfARecording_isShownFromItsBeginningToItsEnd(FxRobot robot) throws Exception {
    Path file = directory.resolve("lab.wrs");
    RecordedLab.record(file);
    try (Recording recording = Recording.open("lab", file)) {
      RecordedSession from = recording.sessions().getFirst();
      RecordedSession to = recording.sessions().getLast();
      long first = from.originNanos();
      long middle = first + (from.lastNanos() - first) / 2;
      long until = completed(from.virtioAt(middle));
      long all = completed(from.virtioAt(from.lastNanos()));
      assertThat(all).isGreaterThan(until);
      robot.interact(() -> view.show(new SessionPair(from, to)));
      robot.interact(() -> range.choose(middle, from.lastNanos() + 1));
      WaitForAsyncUtils.waitForFxEvents();
      assertThat(texts())
          .contains("Source, range begins", "Source, range ends")
          .anyMatch(text -> text.startsWith("In the range: "))
          .anyMatch(text ->
              text.startsWith(
                  "Source: %s of %s requests came back in the range, each once"
                      .formatted(Format.count(all - until), Format.count(all))));
      robot.interact(() -> range.chooseNone());
      assertThat(texts()).doesNotContain("Source, range ends").contains("Source, paused");
    }
  }

  private static long completed(Optional<VirtioSnapshot> devices) {
    return devices.map(VirtioSnapshot::queues).orElse(List.of()).stream()
        .mapToLong(QueueSnapshot::completed)
        .sum();
  }

  @Test
  void narrowWindow_cutsNoColumnOff(FxRobot robot) throws TimeoutException {
    source.setVirtio(snapshot(500, 500, Optional.empty()));
    Scene scene = view.node().getScene();
    robot.interact(() -> {
      scene.getWindow().setWidth(NARROW);
      view.show(new SessionPair(source, destination));
    });
    WaitForAsyncUtils.waitFor(20, TimeUnit.SECONDS, () -> scene.getWidth() <= NARROW);
    pulse(robot);
    robot.interact(() -> layOut(scene.getRoot()));
    Node card = view.node().lookup(".virtio-queue");
    assertThat(inScene(card).getMaxX()).isLessThanOrEqualTo(NARROW);
  }
}
