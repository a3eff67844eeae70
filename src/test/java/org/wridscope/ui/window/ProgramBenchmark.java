// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.wridscope.ui.OnFx.inScene;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import javafx.animation.AnimationTimer;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.input.PickResult;
import javafx.scene.input.ScrollEvent;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.wridscope.TimeLimit;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.attach.RecordedPrograms;

/**
 * Measures the window with recordings of a program with a hundred queue pairs, a small one and a
 * large one: how long until the last failure is told, the heap, and the frames while a user pans
 * and zooms. Arguments: requests of the large one, seconds for each kind of movement.
 */
public final class ProgramBenchmark {
  private static final int QUEUE_PAIRS = 100;
  private static final int REQUESTS_A_ROUND = 4 * QUEUE_PAIRS;
  private static final int SMALL = 10_000;
  private static final int WRIDS = 4;
  private static final int EXPLAIN = 7;

  private ProgramBenchmark() {}

  /** Starts it. */
  public static void main(String[] arguments) {
    Application.launch(Show.class, arguments);
  }

  /** What was measured with one recording; times in milliseconds. */
  private record Figures(int requests, double told, double heapMib, List<Frames> frames) {}

  /** Frames of one kind of movement; {@code busy} is the time that the JavaFX thread computes. */
  private record Frames(String movement, double perSecond, double busy, double busyP99) {}

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private final FakeSessionManager manager = FakeSessionManager.idle();
    private @Nullable MainWindow main;

    private MainWindow main() {
      return Objects.requireNonNull(main, "start comes first");
    }

    @Override
    public void start(Stage stage) {
      main =
          WindowFixture.show(
              stage,
              1400,
              900,
              manager,
              Executors.newVirtualThreadPerTaskExecutor(),
              Memories.withTheme("dark"),
              () -> System.exit(0));
      Thread.ofPlatform().start(this::measureAll);
    }

    private void measureAll() {
      List<String> args = getParameters().getRaw();
      int large = args.isEmpty() ? 1_000_000 : Integer.parseInt(args.getFirst());
      int seconds = args.size() < 2 ? 5 : Integer.parseInt(args.get(1));
      try {
        Path directory = Files.createTempDirectory("wridscope-benchmark");
        var _ = measure(directory, SMALL, 1); // warms the code up
        Figures few = measure(directory, SMALL, seconds);
        Figures many = measure(directory, large, seconds);
        print(few, many);
      } catch (Exception e) {
        e.printStackTrace();
        System.exit(1);
      }
      Platform.runLater(main()::closeNow);
    }

    private Figures measure(Path directory, int requests, int seconds) throws Exception {
      Path file = Files.createTempFile(directory, "program", ".wrs");
      Files.delete(file);
      RecordedPrograms.record(file, QUEUE_PAIRS, requests / REQUESTS_A_ROUND);
      double heap = heapMib();
      int before = migrations();
      long begin = System.nanoTime();
      Platform.runLater(() -> main().openRecordings(List.of(file)));
      await(() -> migrations() > before && isLastSelected());
      Platform.runLater(() -> Script.open(EXPLAIN));
      await(() ->
          Script.isShown("#explain-headline")
              && ((Label) Script.node("#explain-headline")).getText().endsWith("1 failed."));
      double told = (System.nanoTime() - begin) / 1e6;
      double used = heapMib() - heap;
      Platform.runLater(() -> Script.open(WRIDS));
      await(() -> Script.isShown("#wrid-plot"));
      var frames = new ArrayList<Frames>();
      frames.add(frames("pan, all of it", seconds, ProgramBenchmark::pan));
      frames.add(frames("zoom in and out", seconds, (plot, at) -> zoom(plot, at % 40 < 20)));
      Platform.runLater(() -> {
        for (int step = 0; step < 20; step++) {
          zoom(Script.node("#wrid-plot"), true);
        }
      });
      frames.add(frames("pan, a hundredth of it", seconds, ProgramBenchmark::pan));
      return new Figures(requests, told, used, frames);
    }

    private static ListView<?> list() {
      return (ListView<?>) Script.node("#sessions");
    }

    private static int migrations() {
      return list().getItems().size();
    }

    private static boolean isLastSelected() {
      return list().getSelectionModel().getSelectedIndex() == migrations() - 1;
    }

    private static double heapMib() {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      return (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0;
    }
  }

  /** Moves a plot in one frame. */
  @FunctionalInterface
  private interface Movement {
    void move(Node plot, int frame);
  }

  private static void pan(Node plot, int frame) {
    scroll(plot, frame % 60 < 30 ? 4 : -4, 0);
  }

  private static void zoom(Node plot, boolean in) {
    scroll(plot, 0, in ? 8 : -8);
  }

  private static void scroll(Node plot, double x, double y) {
    Bounds at = inScene(plot);
    plot.fireEvent(
        new ScrollEvent(
            ScrollEvent.SCROLL,
            at.getCenterX(),
            at.getCenterY(),
            at.getCenterX(),
            at.getCenterY(),
            false,
            false,
            false,
            false,
            false,
            false,
            x,
            y,
            x,
            y,
            ScrollEvent.HorizontalTextScrollUnits.NONE,
            0,
            ScrollEvent.VerticalTextScrollUnits.NONE,
            0,
            0,
            new PickResult(plot, at.getCenterX(), at.getCenterY())));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    var limit = new TimeLimit(Duration.ofMinutes(5));
    var answer = new AtomicBoolean();
    while (!answer.get()) {
      var looked = new CountDownLatch(1);
      Platform.runLater(() -> {
        answer.set(condition.getAsBoolean());
        looked.countDown();
      });
      looked.await();
      limit.glance("the window");
    }
  }

  private static Frames frames(String name, int seconds, Movement movement)
      throws InterruptedException {
    var busy = new ArrayList<Long>();
    var elapsed = new AtomicLong();
    var done = new CountDownLatch(1);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Platform.runLater(() ->
        new AnimationTimer() {
          private final Node plot = Script.node("#wrid-plot");
          private final long begin = System.nanoTime();
          private long cpu = threads.getCurrentThreadCpuTime();

          @Override
          public void handle(long now) {
            long used = threads.getCurrentThreadCpuTime();
            busy.add(used - cpu);
            cpu = used;
            movement.move(plot, busy.size());
            elapsed.set(System.nanoTime() - begin);
            if (elapsed.get() > TimeUnit.SECONDS.toNanos(seconds)) {
              stop();
              done.countDown();
            }
          }
        }.start());
    done.await();
    long[] sorted = busy.stream().mapToLong(Long::longValue).sorted().toArray();
    return new Frames(
        name,
        busy.size() / (elapsed.get() / 1e9),
        sorted[sorted.length / 2] / 1e6,
        sorted[(int) (sorted.length * 0.99)] / 1e6);
  }

  private static void print(Figures few, Figures many) {
    for (Figures figures : List.of(few, many)) {
      System.out.printf(
          Locale.ROOT,
          "%,d requests of %d queue pairs: last failure told after %.0f ms, heap %.0f MiB%n",
          figures.requests,
          QUEUE_PAIRS,
          figures.told,
          figures.heapMib);
      figures.frames.forEach(frames ->
          System.out.printf(
              Locale.ROOT,
              "  %s: %.1f frames/s, JavaFX thread %.1f ms a frame, p99 %.1f ms%n",
              frames.movement,
              frames.perSecond,
              frames.busy,
              frames.busyP99));
    }
    for (int i = 0; i < few.frames.size(); i++) {
      System.out.printf(
          Locale.ROOT,
          "%s: %.2f of the frames/s with %.0f times the requests%n",
          few.frames.get(i).movement,
          many.frames.get(i).perSecond / few.frames.get(i).perSecond,
          (double) many.requests / few.requests);
    }
  }
}
