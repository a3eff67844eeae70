// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javafx.animation.AnimationTimer;
import javafx.application.Platform;
import javafx.scene.Scene;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;

/** Shows a view in a window and measures its frames. */
public final class FrameMeter {
  private static final int WARM_UP_FRAMES = 120;
  private static final int MOST_FRAMES = 100_000;

  private FrameMeter() {}

  /**
   * Pulses a view once per frame for some seconds and prints how long that took.
   *
   * @param factory makes the view, on the JavaFX thread
   * @param changes counts the changes of what the view shows
   */
  public static void measure(
      String name, Supplier<View> factory, int width, int height, int seconds, AtomicLong changes)
      throws InterruptedException {
    long[] onThread = new long[MOST_FRAMES];
    long[] working = new long[MOST_FRAMES];
    long[] interval = new long[MOST_FRAMES];
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    var frames = new AtomicLong();
    Platform.setImplicitExit(false);
    var done = new CountDownLatch(1);
    var counted = new AtomicLong();
    Platform.runLater(() -> {
      var stage = new Stage();
      View view = factory.get();
      stage.setX(0);
      stage.setY(0);
      stage.setScene(new Scene(new StackPane(view.node()), width, height));
      stage.show();
      view.theme(true);
      new AnimationTimer() {
        private int frame = -WARM_UP_FRAMES;
        private long begin;
        private long last;

        @Override
        public void handle(long now) {
          long cpuBefore = threads.getCurrentThreadCpuTime();
          long before = System.nanoTime();
          view.pulse(before);
          long after = System.nanoTime();
          long cpu = threads.getCurrentThreadCpuTime() - cpuBefore;
          if (frame == 0) {
            begin = before;
            counted.set(changes.get());
          } else if (frame > 0) {
            onThread[frame - 1] = after - before;
            working[frame - 1] = cpu;
            interval[frame - 1] = before - last;
            if (before - begin > seconds * 1_000_000_000L) {
              stop();
              stage.close();
              frames.set(frame);
              counted.set(changes.get() - counted.get());
              done.countDown();
            }
          }
          last = before;
          frame++;
        }
      }.start();
    });
    done.await();
    int count = (int) frames.get();
    double elapsed = Arrays.stream(interval, 0, count).sum() / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%s: %.1f frames/s; view on the FX thread: median %.2f ms, p99 %.2f ms, p99.9 %.2f ms"
            + " (CPU %.2f ms, p99 %.2f ms, p99.9 %.2f ms); frame interval: median %.1f ms, p99 %.1f ms;"
            + " %.0f changes/frame%n",
        name,
        count / elapsed,
        percentile(onThread, count, 0.5),
        percentile(onThread, count, 0.99),
        percentile(onThread, count, 0.999),
        percentile(working, count, 0.5),
        percentile(working, count, 0.99),
        percentile(working, count, 0.999),
        percentile(interval, count, 0.5),
        percentile(interval, count, 0.99),
        (double) counted.get() / count);
  }

  private static double percentile(long[] values, int count, double share) {
    long[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(count - 1, share * count)] / 1e6;
  }
}
