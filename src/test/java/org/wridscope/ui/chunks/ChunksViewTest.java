// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.onScreen;

import java.util.List;
import java.util.concurrent.TimeUnit;
import javafx.geometry.Bounds;
import javafx.geometry.Point2D;
import javafx.geometry.VerticalDirection;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.image.WritableImage;
import javafx.scene.input.KeyCode;
import javafx.scene.input.MouseButton;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.ScriptedMigration;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.ViewStage;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class ChunksViewTest {
  private final TimeRange range = new TimeRange();
  private final Selection selection = new Selection();
  private final ScriptedMigration migration = new ScriptedMigration(1);
  private ChunksView view;
  private ViewStage shown;

  @Start
  void start(Stage stage) {
    view = new ChunksView(range, selection, new Search(range, selection, new Analyses()), List::of);
    shown = new ViewStage(stage, view, 900, 620);
  }

  /** Shows only the source, whose first chunk is then in the upper left corner of the map. */
  private ChunkTable showSource(FxRobot robot) {
    migration.withBlocks(8L << 30, 0.5);
    robot.interact(() -> view.show(new SessionPair(migration.source(), null)));
    shown.pulse(robot);
    return migration.source().telemetry().blocks().getFirst();
  }

  @Test
  void range_dimsWhatNothingHappenedTo_andCountsTheRest(FxRobot robot) {
    showSource(robot);
    EventLog log = migration.source().telemetry().log();
    for (int i = 0; i < 100; i++) {
      long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, i % 50);
      log.add(1_000 + i, EventKind.POST_WRITE, 0, 1, wrid, 0);
    }
    log.add(1_060, EventKind.REGISTERED, 0, 64, WorkRequestId.of(0, 0, 1_000), 1);
    robot.interact(() -> range.choose(1_030, 1_061));
    shown.pulse(robot);
    shown.pulse(robot);
    assertThat(((Label) view.node().lookup("#chunks-concerned")).getText())
        .isEqualTo("in the range: " + (20 + 11 + 64));
    robot.interact(range::chooseNone);
    shown.pulse(robot);
    assertThat(((Label) view.node().lookup("#chunks-concerned")).getText()).isEmpty();
  }

  private Point2D inMap(double x, double y) {
    Node map = view.node().lookup("#chunk-map");
    return onScreen(map, view.mapLeft() + x, y);
  }

  private int selectedChunk() {
    assertThat(selection.get()).isInstanceOf(Selected.Chunk.class);
    return ((Selected.Chunk) selection.get()).chunk();
  }

  @Test
  void pointer_overAChunk_explainsIt(FxRobot robot) {
    ChunkTable table = showSource(robot);
    robot.moveTo(inMap(3, 3));
    assertThat(shown.texts())
        .contains("pc.ram  chunk 0", ReadOut.describe(ChunkDetails.of(table, 0)));
    robot.moveTo(new Point2D(950, 950));
    assertThat(shown.texts()).doesNotContain("pc.ram  chunk 0");
  }

  @Test
  void clickAndArrowKeys_selectChunks(FxRobot robot) {
    showSource(robot);
    robot.clickOn(inMap(3, 3), MouseButton.PRIMARY);
    assertThat(selection.get()).isEqualTo(new Selected.Chunk(migration.source(), 0, 0));
    robot.type(KeyCode.RIGHT, 3);
    assertThat(selectedChunk()).isEqualTo(3);
    robot.type(KeyCode.LEFT);
    assertThat(selectedChunk()).isEqualTo(2);
    robot.type(KeyCode.DOWN);
    int columns = selectedChunk() - 2;
    assertThat(columns).isGreaterThan(10);
    robot.type(KeyCode.UP);
    assertThat(selectedChunk()).isEqualTo(2);
    robot.type(KeyCode.UP);
    assertThat(selectedChunk()).isEqualTo(2);
    robot.type(KeyCode.END);
    assertThat(selectedChunk()).isEqualTo(8191);
    robot.type(KeyCode.ESCAPE);
    assertThat(selection.get()).isNull();
  }

  @Test
  void secondaryButton_saysThatAChunkNeedNotStayRegistered(FxRobot robot) {
    showSource(robot);
    robot.rightClickOn(inMap(3, 3));
    robot.clickOn("Unregister what covers chunk 0");
    FakeSession source = migration.source();
    assertThat(source.hints()).containsExactly(new FakeSession.Hint("pc.ram", 0, 1 << 20));
    assertThat(selectedChunk()).isZero();

    source.cancel();
    robot.rightClickOn(inMap(3, 3));
    robot.clickOn("Unregister what covers chunk 0");
    assertThat(shown.texts()).contains("Not unregistered", "It was cancelled.");

    robot.rightClickOn(inMap(3, 3));
    robot.clickOn("#chunks-unregister-now");
    await(robot, "It was cancelled.");

    source.end(MigrationStatus.CANCELLED, "It was cancelled.");
    robot.rightClickOn(inMap(3, 3));
    assertThat(robot.lookup("Unregister what covers chunk 0").tryQuery())
        .as("nothing is registered any more")
        .isEmpty();
    assertThat(source.hints()).hasSize(1);
    assertThat(source.released()).isEmpty();
  }

  @Test
  void secondaryButton_unregistersAtOnce_andSaysWhenItIsDone(FxRobot robot) {
    showSource(robot);
    robot.rightClickOn(inMap(3, 3));
    robot.clickOn("#chunks-unregister-now");
    await(robot, "2 registrations released at both ends.");
    assertThat(shown.texts()).contains("Unregistered");
    FakeSession source = migration.source();
    assertThat(source.released()).containsExactly(new FakeSession.Hint("pc.ram", 0, 1 << 20));
    assertThat(source.hints()).isEmpty();
  }

  /** Waits for a text that another thread has shown. */
  private void await(FxRobot robot, String text) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!shown.texts().contains(text)) {
      assertThat(System.nanoTime()).as(text).isLessThan(end);
      shown.pulse(robot);
    }
  }

  @Test
  void wheelDragAndFit_moveTheMapUnderThePointer(FxRobot robot) {
    showSource(robot);
    robot.clickOn(inMap(300, 200), MouseButton.PRIMARY);
    int before = selectedChunk();
    robot.scroll(6, VerticalDirection.UP);
    shown.pulse(robot);
    robot.moveTo(inMap(301, 200));
    robot.clickOn(inMap(300, 200), MouseButton.PRIMARY);
    assertThat(selectedChunk()).isEqualTo(before);

    robot.drag(inMap(300, 200), MouseButton.PRIMARY).dropTo(inMap(240, 150));
    assertThat(selectedChunk()).isEqualTo(before);
    shown.pulse(robot);
    robot.clickOn(inMap(240, 150), MouseButton.PRIMARY);
    assertThat(selectedChunk()).isEqualTo(before);

    robot.clickOn("#chunks-fit");
    shown.pulse(robot);
    robot.clickOn(inMap(3, 3), MouseButton.PRIMARY);
    assertThat(selectedChunk()).isZero();
  }

  @Test
  void legend_countsAndSinglesOut(FxRobot robot) {
    ChunkTable table = showSource(robot);
    long dirty =
        migration.source().telemetry().blocks().stream()
            .mapToLong(block -> block.count(ChunkState.DIRTY_AGAIN))
            .sum();
    assertThat(dirty).isPositive();
    assertThat(shown.texts()).contains("dirty again", String.valueOf(dirty));
    int chunk = 0;
    while (table.state(chunk) != ChunkState.SENT) {
      chunk++;
    }
    int before = pixelOfFirst(robot, chunk);
    robot.clickOn("#legend-DIRTY_AGAIN");
    shown.pulse(robot);
    int dimmed = pixelOfFirst(robot, chunk);
    assertThat(dimmed).isNotEqualTo(before);
    robot.clickOn("#legend-DIRTY_AGAIN");
    shown.pulse(robot);
    assertThat(pixelOfFirst(robot, chunk)).isEqualTo(before);
  }

  /** The colour of a chunk's cell, which is found by selecting the chunk. */
  private int pixelOfFirst(FxRobot robot, int chunk) {
    var found = new int[1];
    robot.interact(() -> {
      selection.select(new Selected.Chunk(migration.source(), 0, chunk));
      Node frame =
          view.node().lookupAll("Rectangle").stream()
              .filter(node -> node.isVisible() && node.isMouseTransparent())
              .findFirst()
              .orElseThrow();
      Bounds bounds = inScene(frame);
      selection.select(null);
      WritableImage image = view.node().getScene().snapshot(null);
      found[0] =
          image.getPixelReader().getArgb((int) bounds.getCenterX(), (int) bounds.getCenterY());
    });
    return found[0];
  }

  @Test
  void show_ofBothEnds_canBeSwitchedToTheSource(FxRobot robot) {
    migration.withBlocks(8L << 30, 0.5);
    robot.interact(() -> view.show(migration.pair()));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("lab 1 source", "lab 1 destination");
    robot.clickOn("#chunks-both-ends");
    shown.pulse(robot);
    assertThat(shown.texts()).doesNotContain("lab 1 destination");
    assertThat(view.bothEndsProperty().get()).isFalse();
  }

  @Test
  void show_beforeThereIsAnything_saysWhatWillAppear(FxRobot robot) {
    robot.interact(() -> view.show(null));
    shown.pulse(robot);
    assertThat(shown.texts()).contains("Select a migration to see the chunks of its RAM.");
    robot.interact(() -> view.show(migration.pair()));
    shown.pulse(robot);
    assertThat(shown.texts())
        .contains("The RAM blocks appear here once both sides have exchanged them.");
    robot.type(KeyCode.RIGHT);
    migration.withBlocks(1L << 30, 0.2);
    shown.pulse(robot);
    assertThat(shown.texts()).contains("pc.ram\n1.00 GiB");
  }

  @Test
  void sizes_downToNothing_areHarmless(FxRobot robot) {
    showSource(robot);
    shown.squeeze(robot, 800, 500);
    assertThat(shown.texts()).contains("pc.ram\n8.00 GiB");
  }
}
