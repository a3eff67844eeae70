// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Observation;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;

/**
 * Samples of some metrics over a stretch of time, copied from a history into arrays that are
 * reused, and the readings computed from them.
 */
final class Samples {
  private final Metric[] metrics;
  private final long[][] values;
  private long[] times = new long[0];
  private int count;
  private Observation by = Observation.ENGINE;

  Samples(List<Metric> metrics) {
    this.metrics = new LinkedHashSet<>(metrics).toArray(Metric[]::new);
    values = new long[this.metrics.length][0];
  }

  /** The metrics that a reading is computed from. */
  static List<Metric> metricsOf(Reading reading) {
    return switch (reading) {
      case Reading.Gauge(Metric metric) -> List.of(metric);
      case Reading.DirtyRate() -> List.of(Metric.DIRTY_BYTES_RATE, Metric.DIRTY_SYNC_COUNT);
      case Reading.Rate(Metric counter) -> List.of(counter);
      case Reading.Difference(Metric of, Metric less) -> List.of(of, less);
      case Reading.Quotient(Metric over, Metric under) -> List.of(over, under);
    };
  }

  /** Makes empty samples of all metrics that a chart needs. */
  static Samples of(ChartSpec spec) {
    var needed = new ArrayList<Metric>();
    spec.allSeries().forEach(series -> needed.addAll(metricsOf(series.reading())));
    needed.addAll(spec.allWaits());
    spec.allCeilings().forEach(ceiling -> needed.addAll(ceiling.metrics()));
    return new Samples(needed);
  }

  /** Sets how it is known what the session does. */
  void observedBy(Observation how) {
    by = how;
  }

  /** Copies the samples of a stretch of time, and one more on each side. */
  void read(History history, long from, long to) {
    if (times.length < history.capacity()) {
      times = new long[history.capacity()];
      for (int i = 0; i < values.length; i++) {
        values[i] = new long[history.capacity()];
      }
    }
    count = history.copy(from, to, metrics, times, values);
  }

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  long[] times() {
    return times;
  }

  /** Whether there is a sample from a moment on and before another one. */
  boolean anyIn(long from, long to) {
    return Arrays.stream(times, 0, count).anyMatch(nanos -> nanos >= from && nanos < to);
  }

  /** The values of a metric; the first {@link #count()} are valid. */
  long[] column(Metric metric) {
    for (int i = 0; i < metrics.length; i++) {
      if (metrics[i] == metric) {
        return values[i];
      }
    }
    throw new IllegalArgumentException(metric + " is not among the samples");
  }

  /**
   * The index of the last sample at or before a moment, -1 when there is none.
   *
   * @param hint where to begin, such as the last result
   */
  private int indexAt(long nanos, int hint) {
    int i = hint;
    while (i + 1 < count && times[i + 1] <= nanos) {
      i++;
    }
    return i;
  }

  /** A metric's value between two samples; outside of all samples, that of the nearest one. */
  private double between(long[] column, int index, long nanos) {
    if (index < 0) {
      return column[0];
    }
    if (index + 1 >= count) {
      return column[count - 1];
    }
    long length = times[index + 1] - times[index];
    double share = length == 0 ? 0 : (double) (nanos - times[index]) / length;
    return column[index] + share * (column[index + 1] - column[index]);
  }

  /**
   * Computes a reading for each sample.
   *
   * @param window nanoseconds that rates and quotients look back, at least 1
   * @param into at least {@link #count()} long; NaN where there is no value
   */
  void evaluate(Reading reading, long window, double[] into) {
    switch (reading) {
      case Reading.Gauge(Metric metric) -> {
        long[] column = column(metric);
        for (int i = 0; i < count; i++) {
          into[i] = column[i];
        }
      }
      case Reading.DirtyRate() -> {
        long[] rates = column(Metric.DIRTY_BYTES_RATE);
        long[] rounds = column(Metric.DIRTY_SYNC_COUNT);
        for (int i = 0; i < count; i++) {
          into[i] = Figure.knowsDirtyRate(by, rates[i], rounds[i]) ? rates[i] : Double.NaN;
        }
      }
      case Reading.Difference(Metric of, Metric less) -> {
        long[] more = column(of);
        long[] fewer = column(less);
        for (int i = 0; i < count; i++) {
          // The two counters are not read at the same moment, so the smaller one may seem larger.
          into[i] = Math.max(0, more[i] - fewer[i]);
        }
      }
      case Reading.Rate(Metric counter) -> rate(column(counter), window, into);
      case Reading.Quotient(Metric over, Metric under) -> {
        long[] dividend = column(over);
        long[] divisor = column(under);
        int back = -1;
        for (int i = 0; i < count; i++) {
          long begin = Math.max(times[0], times[i] - window);
          back = indexAt(begin, back);
          double steps = divisor[i] - between(divisor, back, begin);
          into[i] =
              steps <= 0 ? Double.NaN : (dividend[i] - between(dividend, back, begin)) / steps;
        }
      }
    }
  }

  private void rate(long[] column, long window, double[] into) {
    double perWindow = 1e9 / window;
    int back = -1;
    for (int i = 0; i < count; i++) {
      long begin = times[i] - window;
      if (begin >= times[0]) {
        back = indexAt(begin, back);
        into[i] = (column[i] - between(column, back, begin)) * perWindow;
      } else {
        long length = times[i] - times[0];
        into[i] = length == 0 ? Double.NaN : (column[i] - column[0]) * 1e9 / length;
      }
    }
  }

  /**
   * Computes the share of each pixel column that was spent waiting.
   *
   * @param waits counters of nanoseconds
   * @param into 0 to 1 for each column; 0 where nothing is known
   */
  void waiting(List<Metric> waits, Columns columns, float[] into) {
    for (int x = 0; x < columns.width(); x++) {
      into[x] = 0;
    }
    if (count < 2) {
      return;
    }
    for (int k = 0; k < waits.size(); k++) {
      long[] column = column(waits.get(k));
      int index = -1;
      double before = Double.NaN;
      for (int x = 0; x <= columns.width(); x++) {
        long edge = columns.timeOf(x);
        index = indexAt(edge, index);
        boolean known = edge >= times[0] && edge <= times[count - 1];
        double now = known ? between(column, index, edge) : Double.NaN;
        if (x > 0 && now > before) {
          double share = (now - before) / columns.nanosPerColumn();
          into[x - 1] = (float) Math.min(1, into[x - 1] + share);
        }
        before = now;
      }
    }
  }

  /**
   * The value of an evaluated reading at a moment.
   *
   * @param evaluated the result of {@link #evaluate}
   * @param window what it was evaluated with
   * @return NaN before the first sample and after the last one
   */
  double valueAt(Reading reading, double[] evaluated, long nanos, long window) {
    if (count == 0 || nanos < times[0] || nanos > times[count - 1]) {
      return Double.NaN;
    }
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (times[middle] <= nanos) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (reading.holds() || nanos == times[low] || Double.isNaN(evaluated[low + 1])) {
      return evaluated[low];
    }
    if (times[low + 1] - times[low] >= window) {
      return evaluated[low + 1];
    }
    if (Double.isNaN(evaluated[low])) {
      return Double.NaN;
    }
    double share = (double) (nanos - times[low]) / Math.max(1, times[low + 1] - times[low]);
    return evaluated[low] + share * (evaluated[low + 1] - evaluated[low]);
  }
}
