// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.figures.Observation;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;

final class SamplesTest {
  private static final List<Metric> METRICS =
      List.of(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED, Metric.WAIT_READY_TIME);

  private static Samples read(History history, long from, long to) {
    var samples = new Samples(METRICS);
    samples.read(history, from, to);
    return samples;
  }

  private static History random(SplittableRandom random, int count) {
    var history = new History(1000);
    var metrics = new Metrics();
    long time = 0;
    for (int i = 0; i < count; i++) {
      time += random.nextLong(1, 40);
      metrics.add(Metric.WRITES_POSTED, random.nextLong(100));
      metrics.add(Metric.WRITES_COMPLETED, random.nextInt(3) == 0 ? 0 : random.nextLong(50));
      history.add(time, metrics);
    }
    return history;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void evaluate_ofARate_isTheGrowthOverTheWindowBefore(long seed) {
    var random = new SplittableRandom(seed);
    Samples samples = read(random(random, 300), 0, Long.MAX_VALUE);
    long window = random.nextLong(1, 500);
    double[] rates = new double[1000];
    samples.evaluate(new Reading.Rate(Metric.WRITES_POSTED), window, rates);
    assertThat(samples.count()).isEqualTo(300);
    assertThat(rates[0]).isNaN();
    for (int i = 1; i < samples.count(); i++) {
      long begin = Math.max(samples.times()[0], samples.times()[i] - window);
      double expected =
          (samples.column(Metric.WRITES_POSTED)[i] - at(samples, Metric.WRITES_POSTED, begin))
              * 1e9
              / (samples.times()[i] - begin);
      assertThat(rates[i])
          .as("seed %d, window %d, sample %d", seed, window, i)
          .isEqualTo(expected, Offset.offset(expected * 1e-9 + 1e-6));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void evaluate_ofAQuotient_isTheGrowthOfOneDividedByThatOfTheOther(long seed) {
    var random = new SplittableRandom(seed);
    Samples samples = read(random(random, 300), 0, Long.MAX_VALUE);
    long window = random.nextLong(1, 200);
    double[] quotients = new double[1000];
    samples.evaluate(
        new Reading.Quotient(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED), window, quotients);
    for (int i = 0; i < samples.count(); i++) {
      long begin = Math.max(samples.times()[0], samples.times()[i] - window);
      double over =
          samples.column(Metric.WRITES_POSTED)[i] - at(samples, Metric.WRITES_POSTED, begin);
      double under =
          samples.column(Metric.WRITES_COMPLETED)[i] - at(samples, Metric.WRITES_COMPLETED, begin);
      if (under <= 0) {
        assertThat(quotients[i]).isNaN();
      } else {
        assertThat(quotients[i])
            .as("seed %d, window %d, sample %d", seed, window, i)
            .isEqualTo(over / under, Offset.offset(1e-6 * (1 + over / under)));
      }
    }
  }

  /** A value between samples, found by a linear search. */
  private static double at(Samples samples, Metric metric, long nanos) {
    long[] times = samples.times();
    long[] values = samples.column(metric);
    for (int i = 0; i + 1 < samples.count(); i++) {
      if (times[i] <= nanos && nanos <= times[i + 1]) {
        double share = (double) (nanos - times[i]) / (times[i + 1] - times[i]);
        return values[i] + share * (values[i + 1] - values[i]);
      }
    }
    return values[samples.count() - 1];
  }

  @Test
  void evaluate_ofADifference_isNeverNegative() {
    var history = new History(10);
    var metrics = new Metrics();
    metrics.set(Metric.WRITES_POSTED, 5);
    metrics.set(Metric.WRITES_COMPLETED, 2);
    history.add(0, metrics);
    metrics.set(Metric.WRITES_COMPLETED, 6);
    history.add(10, metrics);
    Samples samples = read(history, 0, 10);
    double[] outstanding = new double[10];
    samples.evaluate(
        new Reading.Difference(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED), 1, outstanding);
    assertThat(outstanding[0]).isEqualTo(3);
    assertThat(outstanding[1]).isZero();
  }

  @Test
  void waiting_ofAnInterval_isSpreadOverItsColumns() {
    var history = new History(10);
    var metrics = new Metrics();
    history.add(0, metrics);
    history.add(100, metrics);
    metrics.set(Metric.WAIT_READY_TIME, 50);
    history.add(200, metrics);
    history.add(300, metrics);
    Samples samples = read(history, 0, 400);
    var columns = new Columns();
    columns.place(0, 0, 400, 8);
    float[] shares = new float[8];
    samples.waiting(List.of(Metric.WAIT_READY_TIME), columns, shares);
    assertThat(shares).containsExactly(0, 0, 0.5f, 0.5f, 0, 0, 0, 0);
  }

  @Test
  void dirtyRate_thatWasNotMeasured_hasNoValue() {
    var history = new History(10);
    var metrics = new Metrics();
    long[][] told = {{0, 0}, {0, 1}, {0, 2}, {50, 2}, {0, 3}};
    for (int i = 0; i < told.length; i++) {
      metrics.set(Metric.DIRTY_BYTES_RATE, told[i][0]);
      metrics.set(Metric.DIRTY_SYNC_COUNT, told[i][1]);
      history.add(i + 1, metrics);
    }
    var dirtied = new Reading.DirtyRate();
    var samples = new Samples(Samples.metricsOf(dirtied));
    double none = Double.NaN;
    for (Observation by : Observation.values()) {
      samples.observedBy(by);
      samples.read(history, 0, 10);
      double[] values = new double[told.length];
      samples.evaluate(dirtied, 1, values);
      double idle = by == Observation.ENGINE ? 0 : none;
      assertThat(values).as(by.name()).containsExactly(none, none, idle, 50, idle);
    }
  }

  @Test
  void valueAt_betweenSamples_isTheLastCount_orBetweenTwoAverages_orTheAverageOfThatTime() {
    var history = new History(10);
    var metrics = new Metrics();
    for (long value : new long[] {10, 30, 20}) {
      metrics.set(Metric.WRITES_POSTED, value);
      history.add(value == 10 ? 100 : value == 30 ? 200 : 300, metrics);
    }
    Samples samples = read(history, 0, 400);
    double[] values = new double[10];
    var count = new Reading.Gauge(Metric.WRITES_POSTED);
    var average = new Reading.Rate(Metric.WRITES_POSTED);
    samples.evaluate(count, 1, values);
    assertThat(samples.valueAt(count, values, 99, 1)).isNaN();
    assertThat(samples.valueAt(count, values, 100, 1)).isEqualTo(10);
    assertThat(samples.valueAt(count, values, 150, 1)).isEqualTo(10);
    assertThat(samples.valueAt(count, values, 199, 1)).isEqualTo(10);
    assertThat(samples.valueAt(count, values, 200, 1)).isEqualTo(30);
    assertThat(samples.valueAt(count, values, 300, 1)).isEqualTo(20);
    assertThat(samples.valueAt(count, values, 301, 1)).isNaN();
    assertThat(samples.valueAt(average, values, 150, 101)).isEqualTo(20);
    assertThat(samples.valueAt(average, values, 275, 101)).isEqualTo(22.5);
    // Samples farther apart than what is averaged: the average is that of the time between them.
    assertThat(samples.valueAt(average, values, 200, 100)).isEqualTo(30);
    assertThat(samples.valueAt(average, values, 201, 100)).isEqualTo(20);
    assertThat(samples.valueAt(average, values, 275, 100)).isEqualTo(20);
  }

  @Test
  void readings_ofNoSamples_haveNoValue() {
    Samples samples = read(new History(2), 0, 100);
    assertThat(samples.count()).isZero();
    assertThat(samples.valueAt(new Reading.Gauge(Metric.WRITES_POSTED), new double[0], 5, 1))
        .isNaN();
    for (Reading reading :
        List.of(
            new Reading.Rate(Metric.WRITES_POSTED),
            new Reading.Gauge(Metric.WRITES_POSTED),
            new Reading.Quotient(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED))) {
      samples.evaluate(reading, 100, new double[0]);
    }
  }
}
