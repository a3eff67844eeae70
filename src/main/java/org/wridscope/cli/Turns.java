// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Lets measurements take turns, so that whatever else the machine does meanwhile falls on all of
 * them.
 */
final class Turns {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final SessionManager manager;
  private final Interruption interruption;
  private final Consumer<String> progress;

  /**
   * @param progress gets a line before each measurement
   */
  Turns(SessionManager manager, Interruption interruption, Consumer<String> progress) {
    this.manager = manager;
    this.interruption = interruption;
    this.progress = progress;
  }

  /** What is measured under a name. */
  record Case(String name, Measurement measurement) {}

  /** Gives bytes a nanosecond, which is 10^9 bytes a second. */
  @FunctionalInterface
  interface Measurement {
    double measure() throws IOException, InterruptedException;
  }

  /**
   * What was measured of one case.
   *
   * @param gbPerS 10^9 bytes a second, the median
   * @param ratio of that to that of the case they are all compared with
   */
  record Result(String name, double gbPerS, double ratio) {}

  /** Runs all cases a few times without keeping what they measured. */
  void warmUp(List<Case> cases, int times) throws IOException, InterruptedException {
    for (int i = 1; i <= times; i++) {
      progress.accept("warm-up %d of %d".formatted(i, times));
      for (Case warmUp : cases) {
        measure(warmUp);
      }
    }
  }

  /**
   * Runs all cases in their order, and that as often as asked for.
   *
   * @return what each measured, in order; a case that is there twice has twice as many
   * @throws InterruptedBenchmarkException when it was asked to stop
   */
  Map<String, List<Double>> take(List<Case> cases, int repetitions)
      throws IOException, InterruptedException {
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    for (int i = 1; i <= repetitions; i++) {
      for (Case measured : cases) {
        progress.accept("%d of %d: %s".formatted(i, repetitions, measured.name));
        rates.computeIfAbsent(measured.name, _ -> new ArrayList<>()).add(measure(measured));
      }
    }
    return rates;
  }

  private double measure(Case measured) throws IOException, InterruptedException {
    requireWanted();
    return measured.measurement.measure();
  }

  private void requireWanted() throws InterruptedBenchmarkException {
    if (interruption.requested()) {
      throw new InterruptedBenchmarkException();
    }
  }

  /**
   * Waits for a migration, and forgets it.
   *
   * @return its rate over its whole time
   * @throws IOException when it did not complete with equal RAM
   */
  double rateOf(String name, Session source, Session destination, Duration timeout)
      throws IOException, InterruptedException {
    awaitEnd(source, timeout.plus(PATIENCE));
    awaitEnd(destination, PATIENCE);
    requireWanted();
    if (source.status() != MigrationStatus.COMPLETED || !source.report().verified()) {
      throw new IOException(
          "%s did not complete with equal RAM (%s), so there are no results."
              .formatted(name, source.outcome()));
    }
    double rate =
        rate(
            source.telemetry().metrics().get(Metric.RAM_PROCESSED),
            source.telemetry().metrics().get(Metric.TOTAL_TIME));
    manager.remove(source);
    manager.remove(destination);
    return rate;
  }

  private static void awaitEnd(Session session, Duration patience)
      throws IOException, InterruptedException {
    if (!session.await(patience)) {
      throw new IOException(
          "%s did not end within %s."
              .formatted(session.name(), Format.duration(patience.toNanos())));
    }
  }

  /** The medians, compared with that of one case. */
  static List<Result> results(Map<String, List<Double>> rates, String reference) {
    double whole = median(rates.getOrDefault(reference, List.of()));
    List<Result> results = new ArrayList<>();
    rates.forEach((name, measured) -> {
      double rate = median(measured);
      results.add(new Result(name, rounded(rate), rounded(rate / whole)));
    });
    return results;
  }

  static double rate(long bytes, long nanos) {
    return (double) bytes / nanos;
  }

  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** To three places. */
  static double rounded(double value) {
    return Math.rint(value * 1000) / 1000;
  }
}
