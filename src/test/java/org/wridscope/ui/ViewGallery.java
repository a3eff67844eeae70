// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.wridscope.ui.OnFx.layOut;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import javafx.application.Platform;
import javafx.event.Event;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseEvent;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.wridscope.analysis.SeedDeadlock;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.AxisUnit;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;
import org.wridscope.ui.chart.TimeSeriesView;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.completions.CompletionCharts;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.registrations.RegistrationCharts;
import org.wridscope.ui.window.Pictures;
import org.wridscope.ui.wrids.ScriptedRequests;
import org.wridscope.ui.wrids.WridsView;

/**
 * Draws every view, dark and light and in several sizes, into PNG files for people to look at. Its
 * argument is the directory.
 */
public final class ViewGallery {
  private static final int[][] SIZES = {{900, 620}, {560, 400}, {360, 150}};

  private ViewGallery() {}

  public static void main(String[] args) throws InterruptedException {
    Path directory = Path.of(args[0]);
    var done = new CountDownLatch(1);
    Platform.startup(() -> {
      try {
        drawAll(directory);
        drawMaps(directory);
        drawWrids(directory);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        done.countDown();
      }
    });
    done.await();
    Platform.exit();
  }

  private static void drawAll(Path directory) throws IOException {
    var views = new LinkedHashMap<String, Function<TimeRange, View>>();
    views.put("chart", range -> new TimeSeriesView(throughput(), range));
    views.put("chunks", range -> chunks(range, new Selection()));
    views.put("completions", CompletionCharts::view);
    views.put("registrations", RegistrationCharts::view);
    for (Map.Entry<String, Function<TimeRange, View>> each : views.entrySet()) {
      for (int[] size : SIZES) {
        for (boolean dark : new boolean[] {true, false}) {
          String name = each.getKey() + "-" + size[0] + (dark ? "-dark" : "-light");
          draw(each.getValue(), size, dark, directory.resolve(name + ".png"), range -> {});
        }
      }
      draw(
          each.getValue(),
          SIZES[0],
          true,
          directory.resolve(each.getKey() + "-cursor.png"),
          range -> range.cursorNanosProperty().set(range.originNanos() + 4_234_567_890L));
      draw(
          each.getValue(),
          SIZES[1],
          true,
          directory.resolve(each.getKey() + "-zoomed.png"),
          range -> {
            range.followProperty().set(false);
            range.zoom(0.12, range.originNanos() + 4_234_567_890L);
          });
    }
  }

  private static void drawWrids(Path directory) throws IOException {
    for (boolean dark : new boolean[] {true, false}) {
      for (int[] size : new int[][] {{1040, 640}, {700, 400}}) {
        String end = "-" + size[0] + (dark ? "-dark.png" : "-light.png");
        var busy = new ScriptedMigration(1).withBlocks(8L << 30, 0.5);
        var requests =
            new ScriptedRequests(busy.source().telemetry(), busy.destination().telemetry(), 1)
                .writes(200_000, 9_000);
        long whole = requests.lastNanos();
        drawWrids(busy, size, dark, 0, whole, directory.resolve("wrids-whole" + end));
        drawWrids(busy, size, dark, 3_000_000, 6_000_000, directory.resolve("wrids-ms" + end));
        drawWrids(busy, size, dark, 3_100_000, 3_300_000, directory.resolve("wrids-us" + end));
        var hang = new ScriptedMigration(1);
        new SeedDeadlock(hang.source().telemetry(), hang.destination().telemetry());
        drawWrids(hang, size, dark, 950_000, 1_250_000, directory.resolve("wrids-hang" + end));
      }
    }
  }

  private static void drawWrids(
      ScriptedMigration migration, int[] size, boolean dark, long from, long to, Path file)
      throws IOException {
    drawEvents(
        (range, selection, analyses, search) ->
            new WridsView(range, selection, analyses, search, List::of),
        migration,
        size,
        dark,
        from,
        to,
        file);
    Path messages = file.resolveSibling(file.getFileName().toString().replace("wrids", "messages"));
    drawEvents(
        (range, selection, analyses, search) ->
            new MessagesView(range, selection, analyses, search, List::of),
        migration,
        size,
        dark,
        from,
        to,
        messages);
  }

  private static Stage show(View view, SessionPair pair, int width, int height, boolean dark) {
    var stage = new Stage();
    stage.setScene(new Scene(new StackPane(view.node()), width, height));
    stage.setX(0);
    stage.setY(0);
    stage.show();
    view.theme(dark);
    view.show(pair);
    layOut(stage.getScene().getRoot());
    return stage;
  }

  private static void write(Stage stage, Path file) throws IOException {
    layOut(stage.getScene().getRoot());
    Pictures.write(stage.getScene(), file);
    stage.close();
  }

  private static ChunksView chunks(TimeRange range, Selection selection) {
    return new ChunksView(range, selection, new Search(range, selection, new Analyses()), List::of);
  }

  /** Makes a view of events. */
  private interface EventView {
    View make(TimeRange range, Selection selection, Analyses analyses, Search search);
  }

  private static void drawEvents(
      EventView factory,
      ScriptedMigration migration,
      int[] size,
      boolean dark,
      long from,
      long to,
      Path file)
      throws IOException {
    var range = new TimeRange();
    range.reset(migration.origin());
    range.hold(migration.origin() + from, migration.origin() + to);
    var selection = new Selection();
    var analyses = new Analyses();
    migration.pair().sessions().forEach(session -> analyses.of(session).readAll());
    var search = new Search(range, selection, analyses);
    View view = factory.make(range, selection, analyses, search);
    Stage stage = show(view, migration.pair(), size[0], size[1], dark);
    selection.select(new Selected.Chunk(migration.source(), 0, 320));
    for (int i = 0; i < 20; i++) {
      view.pulse(System.nanoTime() + i * 200_000_000L);
    }
    write(stage, file);
  }

  /** The map of a busy migration, zoomed in with a read-out, and of a very large guest. */
  private static void drawMaps(Path directory) throws IOException {
    for (boolean dark : new boolean[] {true, false}) {
      String theme = dark ? "-dark.png" : "-light.png";
      drawMap(8L << 30, dark, 0, directory.resolve("chunks-glow" + theme));
      drawMap(8L << 30, dark, 8, directory.resolve("chunks-near" + theme));
      drawMap(1L << 40, dark, 0, directory.resolve("chunks-1TiB" + theme));
    }
  }

  private static void drawMap(long ram, boolean dark, int zooms, Path file) throws IOException {
    var migration = new ScriptedMigration(1).withBlocks(ram, 0.5);
    var selection = new Selection();
    var view = chunks(new TimeRange(), selection);
    Stage stage = show(view, new SessionPair(migration.source(), null), 900, 560, dark);
    long now = System.nanoTime();
    view.pulse(now);
    Node map = view.node().lookup("#chunk-map");
    ChunkTable table = migration.source().telemetry().blocks().getFirst();
    int front = table.chunkCount() / 2;
    int step = Math.max(1, table.chunkCount() / 400);
    for (int i = 0; i < 40; i++) {
      for (int k = 0; k < step; k++) {
        table.setState(front + 28 + i * step + k, ChunkState.IN_TRANSIT);
        table.setState(front + i * step + k, ChunkState.SENT);
      }
      table.setState((i * 9973 & 0x7fffffff) % front, ChunkState.DIRTY_AGAIN);
      now += 25_000_000;
      view.pulse(now);
    }
    for (int i = 0; i < zooms; i++) {
      Event.fireEvent(
          map,
          new KeyEvent(KeyEvent.KEY_PRESSED, "+", "+", KeyCode.PLUS, false, false, false, false));
    }
    if (zooms > 0) {
      selection.select(new Selected.Chunk(migration.source(), 0, front));
      Event.fireEvent(map, ViewStage.mouse(MouseEvent.MOUSE_MOVED, 420, 240, 0));
    }
    view.pulse(now + 1_000_000);
    write(stage, file);
  }

  private static ChartSpec throughput() {
    return ChartSpec.of(
            "Throughput",
            AxisUnit.BYTES_PER_SECOND,
            new Series(
                "RAM", Palette.SEND, new Reading.Rate(Metric.RAM_PROCESSED), Series.Style.AREA),
            new Series(
                "dirty",
                Palette.DIRTY,
                new Reading.Gauge(Metric.DIRTY_BYTES_RATE),
                Series.Style.DASHED))
        .withWaits(Metric.WAIT_SEND_QUEUE_TIME);
  }

  private static void draw(
      Function<TimeRange, View> factory,
      int[] size,
      boolean dark,
      Path file,
      Consumer<TimeRange> adjust)
      throws IOException {
    var migration = new ScriptedMigration(1).run(12).withBlocks(8L << 30, 0.62);
    migration.source().telemetry().beginPhase(Phase.Kind.CONNECT);
    var range = new TimeRange();
    range.reset(migration.origin());
    range.update(migration.origin() + 12_000_000_000L);
    View view = factory.apply(range);
    ((Region) view.node()).setMinSize(0, 0);
    Stage stage = show(view, migration.pair(), size[0], size[1], dark);
    view.pulse(System.nanoTime());
    adjust.accept(range);
    view.pulse(System.nanoTime() + 200_000_000);
    write(stage, file);
  }
}
