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

/** Collects values by the name of their metric. */
final class Families {
  private final Map<String, Family> families = new LinkedHashMap<>();

  /** The values of one metric. */
  private interface Family {
    void add(Labels labels, double value);

    MetricSnapshot snapshot();
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
