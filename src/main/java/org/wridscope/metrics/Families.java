// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.DeviceCounts;
import org.wridscope.telemetry.Metric;

/** Collects values by the name of their metric. */
final class Families {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Map<String, Family> families = new LinkedHashMap<>();

  /** The values of one metric. */
  private interface Family {
    void add(Labels labels, double value);

    MetricSnapshot snapshot();
  }

  /**
   * Adds what devices counted.
   *
   * @param prefix of the metric's name
   * @param of the labels of the session
   */
  void devices(String prefix, Labels of, DeviceCounts counts) {
    counts
        .all()
        .forEach((counter, count) ->
            counter(
                prefix + "device_counted",
                "What a counter of the device counted since the session began, for all programs on"
                    + " the port, in the counter's own unit.",
                of.merge(
                    Labels.of(
                        "device",
                        counter.device(),
                        "port",
                        Integer.toString(counter.port()),
                        "counter",
                        counter.name())),
                unsigned(count.value())));
  }

  /**
   * Adds the figures that are known.
   *
   * @param prefix of the metrics' names
   * @param of the labels of the session
   */
  void figures(String prefix, Labels of, Reading reading) {
    for (Figure figure : Figure.values()) {
      OptionalLong value = figure.in(reading);
      if (value.isPresent()) {
        figure.exported().ifPresent(name -> figure(prefix, of, figure, name, value.getAsLong()));
      }
    }
  }

  private void figure(String prefix, Labels of, Figure figure, Figure.Exported name, long value) {
    Labels all = of.merge(Labels.of(name.labels().toArray(String[]::new)));
    double inBaseUnit = figure.unit() == Metric.Unit.NANOSECONDS ? value / NANOS_PER_SECOND : value;
    if (figure.isCounter()) {
      counter(prefix + name.name(), name.help(), all, inBaseUnit);
    } else {
      gauge(prefix + name.name(), name.help(), all, inBaseUnit);
    }
  }

  private static double unsigned(long value) {
    return value >= 0 ? (double) value : (value >>> 1) * 2.0;
  }

  /** Adds a value that can go down. */
  void gauge(String name, String help, Labels labels, double value) {
    families.computeIfAbsent(name, _ -> gauges(name, help)).add(labels, value);
  }

  /**
   * Adds a value that only grows.
   *
   * @param name without the suffix {@code _total}
   */
  void counter(String name, String help, Labels labels, double value) {
    families.computeIfAbsent(name, _ -> counters(name, help)).add(labels, value);
  }

  MetricSnapshots snapshots() {
    return new MetricSnapshots(families.values().stream().map(Family::snapshot).toList());
  }

  private static Family gauges(String name, String help) {
    GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(name).help(help);
    return new Family() {
      @Override
      public void add(Labels labels, double value) {
        builder.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build());
      }

      @Override
      public MetricSnapshot snapshot() {
        return builder.build();
      }
    };
  }

  private static Family counters(String name, String help) {
    CounterSnapshot.Builder builder = CounterSnapshot.builder().name(name).help(help);
    return new Family() {
      @Override
      public void add(Labels labels, double value) {
        builder.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(value).build());
      }

      @Override
      public MetricSnapshot snapshot() {
        return builder.build();
      }
    };
  }
}
