// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;

/**
 * Runs the cases of a benchmark in rounds, each case once per round, so that other load on the
 * machine affects all of them alike.
 */
public final class BenchmarkRounds {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final SessionManager manager;
  private final BooleanSupplier interrupted;
  private final Consumer<String> progress;

  /**
   * @param progress gets a line before each measurement
   */
  public BenchmarkRounds(
      SessionManager manager, BooleanSupplier interrupted, Consumer<String> progress) {
    this.manager = manager;
    this.interrupted = interrupted;
    this.progress = progress;
  }

  /** A measurement and its name in the results. */
  record Case(String name, Measurement measurement) {}

  /** Returns bytes per nanosecond, that is, units of 10^9 bytes/s, or a time in ms. */
  @FunctionalInterface
  interface Measurement {
    double measure() throws IOException, InterruptedException;
  }

  /**
   * The result of one case.
   *
   * @param gbPerS median rate in 10^9 bytes/s
   * @param ratio of this rate to the rate of the reference case
   */
  public record Result(String name, double gbPerS, double ratio) {}

  /** Runs all cases some times and discards the results. */
  void warmUp(List<Case> cases, int times) throws IOException, InterruptedException {
    for (int i = 1; i <= times; i++) {
      progress.accept("warm-up %d of %d".formatted(i, times));
      for (Case warmUp : cases) {
        measure(warmUp);
      }
    }
  }

  /**
   * Runs all cases in order, once per repetition.
   *
   * @return the rates of each case, oldest first; a case that is listed twice has twice as many
   * @throws InterruptedBenchmarkException when the user asked to stop
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
    requireNotInterrupted();
    return measured.measurement.measure();
  }

  /** Whether the user asked to stop. */
  boolean isInterrupted() {
    return interrupted.getAsBoolean();
  }

  /**
   * @throws InterruptedBenchmarkException when the user asked to stop
   */
  void requireNotInterrupted() throws InterruptedBenchmarkException {
    if (isInterrupted()) {
      throw new InterruptedBenchmarkException();
    }
  }

  /**
   * Waits for a migration and removes its sessions.
   *
   * @return its average rate
   * @throws IOException if it did not complete, or its RAM was not verified as equal
   */
  double rateOf(String name, Session source, Session destination, Duration timeout)
      throws IOException, InterruptedException {
    awaitEnd(source, destination, timeout);
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

  /**
   * Waits for a migration.
   *
   * @throws IOException if it does not end
   */
  void awaitEnd(Session source, Session destination, Duration timeout)
      throws IOException, InterruptedException {
    awaitEnd(source, timeout.plus(PATIENCE));
    awaitEnd(destination, PATIENCE);
    requireNotInterrupted();
  }

  private static void awaitEnd(Session session, Duration patience)
      throws IOException, InterruptedException {
    if (!session.await(patience)) {
      throw new IOException(
          "%s did not end within %s."
              .formatted(session.name(), Format.duration(patience.toNanos())));
    }
  }

  /** The median of each case, and its ratio to the median of the reference case. */
  static List<Result> results(Map<String, List<Double>> rates, String reference) {
    double referenceRate = median(rates.getOrDefault(reference, List.of()));
    List<Result> results = new ArrayList<>();
    rates.forEach((name, measured) -> {
      double rate = median(measured);
      results.add(new Result(name, rounded(rate), rounded(rate / referenceRate)));
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

  /** Rounds to three decimal places. */
  static double rounded(double value) {
    return Math.rint(value * 1000) / 1000;
  }
}
