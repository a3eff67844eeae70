// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.asLaidOut;
import static org.wridscope.ui.OnFx.clipInScene;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.layOut;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.ContentDisplay;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableCell;
import javafx.scene.text.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.ScriptedMigration;

/** Nothing moves by itself, and no fact is cut, in windows of three widths. */
@Slow("it opens the window, which draws in real time")
final class LayoutTest {
  private static final int[] WIDTHS = {900, 1280, 1920};

  private static final String STAYS = "The guest keeps running at the source.";

  private static final String OUTCOME =
      "The destination says: 10.9.0.17:4444 closed the connection before it had taken the guest"
          + " over, while it was waiting for the REGISTER RESULT of pc.ram; look at its log, which"
          + " names the block that it could not register, raise the limit of locked memory there,"
          + " and start the migration anew. "
          + STAYS;

  /** Not known before the end, or what would make it another migration. */
  private static final Set<Metric> ENDS =
      EnumSet.of(
          Metric.RAM_IN_USE_AFTER,
          Metric.DOWNTIME,
          Metric.TOTAL_TIME,
          Metric.HELD_TIME,
          Metric.FAILED_COMPLETIONS,
          Metric.COMPLETIONS_DROPPED);

  /** Time for some frames. */
  private static final Duration FRAMES = Duration.ofSeconds(3);

  private static final List<MigrationStatus> RUNNING =
      List.of(MigrationStatus.SETUP, MigrationStatus.ACTIVE, MigrationStatus.DEVICE);

  @RegisterExtension final WindowFixture window = new WindowFixture(900, 800);

  private final ScriptedMigration scripted =
      new ScriptedMigration(1).withBlocks(8L << 30, 0.5).run(5);

  @Test
  void everyView_inEveryState(FxRobot robot) throws Exception {
    SessionTelemetry source = scripted.source().telemetry();
    // What no line below sets is known, too, so that each figure has a text, and a long one.
    scripted.pair().sessions().forEach(end -> fill(end.telemetry().metrics()));
    source.metrics().set(Metric.RAM_TOTAL, 1_555L << 30);
    source.metrics().set(Metric.RAM_REMAINING, 1_023L << 30);
    source.metrics().set(Metric.RAM_TRANSFERRED, 1_234L << 30);
    source.metrics().set(Metric.DIRTY_BYTES_RATE, 1_023L << 20);
    source.metrics().set(Metric.DIRTY_SYNC_COUNT, 117);
    source.metrics().set(Metric.ROUND_BYTES, 1_023L << 20);
    source.metrics().set(Metric.BANDWIDTH_LIMIT, 1_023L << 20);
    scripted.source().setDowntimeLimit(Duration.ofMillis(300));
    long late = scripted.origin() + TimeUnit.SECONDS.toNanos(12_345);
    long later = scripted.origin() + TimeUnit.SECONDS.toNanos(123_456);
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 3, 1_555_000);
    source.log().add(late, EventKind.POST_WRITE, 3, 1_555_000, wrid, 1 << 20);
    source.log().add(later, EventKind.POST_WRITE, 3, 1_555_000, wrid, 1 << 20);
    window.manager.add(scripted.source());
    window.manager.add(scripted.destination());
    await("the migration", () -> window.list().getItems().size() == 2);
    window.select(1);
    await("its header", () -> window.isShown("#cancel"));

    var tops = new HashMap<Integer, Double>();
    var cut = new TreeSet<String>();
    for (MigrationStatus status : RUNNING) {
      source.setStatus(status);
      scripted.destination().telemetry().setStatus(status);
      show(status);
      look(robot, status.name(), status == MigrationStatus.ACTIVE, tops, cut);
    }

    window.manager.refuse("The address rdma:10.9.0.1:4444 is in use by another process.");
    robot.interact(() -> Script.choose("#lab", "Repeat the last one"));
    await("the refusal", () -> window.isShown("#banner"));
    await(
        "the views to give way to it",
        () -> place(robot, "#views").getMaxY() <= place(robot, "#banner").getMinY());
    look(robot, "with a refusal", false, tops, cut);
    robot.clickOn("#banner-close");

    scripted.source().end(MigrationStatus.FAILED, OUTCOME);
    scripted.destination().end(MigrationStatus.FAILED, OUTCOME);
    await("the end", () -> !window.isShown("#cancel"));
    look(robot, "failed", true, tops, cut);
    assertThat(cut).isEmpty();
  }

  /** Gives figures that a run of a few seconds leaves at 0 values with many digits. */
  private static void fill(Metrics metrics) {
    for (Metric metric : Metric.values()) {
      if (metrics.get(metric) == 0 && !ENDS.contains(metric)) {
        metrics.set(
            metric,
            switch (metric.unit()) {
              case BYTES, BYTES_PER_SECOND -> 1_023L << 20;
              case NANOSECONDS -> TimeUnit.MILLISECONDS.toNanos(999);
              default -> 12_345;
            });
      }
    }
  }

  private static Bounds place(FxRobot robot, String selector) {
    Node node = robot.lookup(selector).query();
    return inScene(node);
  }

  private void show(MigrationStatus status) {
    String words = org.wridscope.ui.sessions.StatusText.of(status).text();
    await(words, () -> window.text("#status").equals(words));
  }

  /** Lays the window out in all widths, with all views if wanted. */
  private void look(
      FxRobot robot, String state, boolean views, Map<Integer, Double> tops, Set<String> cut)
      throws InterruptedException {
    for (int width : WIDTHS) {
      robot.interact(() -> window.stage().setWidth(width));
      await("its width", () -> onFx(() -> window.stage().getScene().getWidth()) > width - 2);
      Parent root = window.stage().getScene().getRoot();
      TabPane tabs = (TabPane) root.lookup("#views");
      for (int view = 0; view < (views ? tabs.getTabs().size() : 1); view++) {
        int shown = view;
        robot.interact(() -> Script.open(shown));
        String where = "%s, %d, %s: ".formatted(state, width, tabs.getTabs().get(shown).getText());
        cutInTheEnd(root).forEach(text -> cut.add(where + text));
        double top = inScene(tabs).getMinY();
        assertThat(tops.computeIfAbsent(width, _ -> top)).as("%s, %d", state, width).isEqualTo(top);
      }
      if (state.equals("failed")) {
        Label message = robot.lookup("#message").queryAs(Label.class);
        assertThat(onFx(() -> shownText(message))).contains(STAYS);
        Label row =
            robot
                .lookup(".session-outcome")
                .match((Label label) -> !label.getText().isEmpty())
                .query();
        assertThat(onFx(() -> shownText(row))).contains(STAYS);
        assertThat(message.getTooltip().getText()).isEqualTo(OUTCOME);
      }
    }
  }

  /** Plots write their texts with the next frame, and may then need fewer words. */
  private static List<String> cutInTheEnd(Parent root) throws InterruptedException {
    var limit = new TimeLimit(FRAMES);
    List<String> cut;
    do {
      layOut(root);
      cut = onFx(() -> cuts(root));
    } while (!cut.isEmpty() && limit.lasts());
    return cut;
  }

  /** The texts that are cut, except names, which users choose, and what the inspector repeats. */
  private static List<String> cuts(Parent root) {
    var cut = new ArrayList<String>();
    for (Node node : root.lookupAll("*")) {
      if (node instanceof Labeled label
          && WindowFixture.isShown(label)
          && isFact(label)
          && !shownText(label).equals(label.getText())) {
        cut.add("%s %s -> %s".formatted(label.getStyleClass(), label.getText(), shownText(label)));
      }
      // Plots and maps write texts of their own, which no control cuts.
      if (node instanceof Text text
          && !(text.getParent() instanceof Labeled)
          && WindowFixture.isShown(text)
          && (text.getText().contains("…") || isClipped(text))) {
        cut.add("%s of %s".formatted(text.getText(), text.getParent()));
      }
    }
    return cut;
  }

  /** Whether an ancestor shows less than the whole width of a text. */
  private static boolean isClipped(Text text) {
    Bounds place = asLaidOut(text);
    for (Node at = text; at != null; at = at.getParent()) {
      if (at.getClip() != null) {
        Bounds shown = clipInScene(at);
        if (place.getMinX() < shown.getMinX() - 1 || place.getMaxX() > shown.getMaxX() + 1) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isFact(Labeled label) {
    boolean name =
        label.getStyleClass().contains("steering-name")
            || label.getStyleClass().contains("session-name");
    // The list has two lines of an outcome: those that matter most.
    boolean part = label.getStyleClass().contains("session-outcome");
    boolean sentence =
        label instanceof TableCell<?, ?> cell
            && cell.getTableView() != null
            && cell.getTableView().getVisibleLeafColumns().getLast().equals(cell.getTableColumn());
    return label.getText() != null
        && !label.getText().isBlank()
        && label.getContentDisplay() != ContentDisplay.GRAPHIC_ONLY
        && !part
        && !name
        && !sentence;
  }

  private static String shownText(Labeled label) {
    return label.getChildrenUnmodifiable().stream()
        .filter(child -> child instanceof Text && child.getStyleClass().contains("text"))
        .map(child -> ((Text) child).getText())
        .findFirst()
        .orElse(label.getText());
  }
}
