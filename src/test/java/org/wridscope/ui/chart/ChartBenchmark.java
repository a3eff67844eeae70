// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import javafx.application.Platform;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;
import org.wridscope.text.AxisUnit;
import org.wridscope.ui.FrameMeter;
import org.wridscope.ui.Palette;
import org.wridscope.ui.RockingView;
import org.wridscope.ui.TimeRange;

/**
 * Measures a chart of a hundred thousand samples. Arguments: width and height of the view, and
 * seconds.
 */
public final class ChartBenchmark {
  private static final int SAMPLES = 100_000;

  private ChartBenchmark() {}

  public static void main(String[] args) throws InterruptedException {
    int width = args.length > 0 ? Integer.parseInt(args[0]) : 900;
    int height = args.length > 1 ? Integer.parseInt(args[1]) : 300;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 6;
    Platform.startup(() -> {});
    System.out.printf("view %d x %d, %d s%n", width, height, seconds);
    var range = new TimeRange();
    var numbers = new SplittableRandom(1);
    long now = System.nanoTime();
    long origin = now - SAMPLES * 20_000_000L;
    Metric[] shown = {
      Metric.WRITES_COMPLETED,
      Metric.SENDS_COMPLETED,
      Metric.RECEIVES_COMPLETED,
      Metric.RAM_PROCESSED
    };
    var history = new History(SAMPLES);
    var values = new EnumMap<Metric, Long>(Metric.class);
    var metrics = new Metrics();
    for (int i = 0; i < SAMPLES; i++) {
      for (Metric metric : shown) {
        values.merge(metric, numbers.nextLong(300), Long::sum);
      }
      values.forEach(metrics::set);
      history.add(origin + i * 20_000_000L, metrics);
    }
    var series =
        Arrays.stream(shown)
            .map(metric ->
                new Series(
                    metric.name(),
                    Palette.values()[metric.ordinal() % 4],
                    new Reading.Rate(metric),
                    Series.Style.AREA))
            .toArray(Series[]::new);
    var spec = ChartSpec.of("Benchmark", AxisUnit.COUNT_PER_SECOND, series);
    var redrawn = new AtomicLong();
    FrameMeter.measure(
        "chart, 4 filled series of %,d samples, redrawn with every frame".formatted(SAMPLES),
        () -> {
          range.reset(origin);
          range.update(now);
          var view = new TimeSeriesView(spec, range);
          view.show(
              new FakeSession("benchmark", "rdma:127.0.0.1:4444", Role.SOURCE, true).telemetry(),
              history);
          return new RockingView(view, range, redrawn);
        },
        width,
        height,
        seconds,
        redrawn);
    Platform.exit();
  }
}
