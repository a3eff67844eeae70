// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.ZeroPages;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Measures memory and migrations side by side. The cases take turns, so that whatever else the
 * machine does meanwhile falls on all of them.
 */
final class Benchmark {
  private static final String MEMORY_COPY = "memory-copy";
  private static final String ZERO_SCAN = "zero-scan";
  private static final String MONITORED = "migration-idle-dynamic";
  private static final String UNMONITORED = "migration-idle-dynamic-unmonitored";

  private static final long PIECE = 1L << 20;
  private static final long WARM_UP_BYTES = 256L << 20;
  private static final int WARM_UPS = 2;

  /** How often the two are measured in each repetition that differ by a few percent only. */
  private static final int PAIRS = 3;

  private static final long BUSY_RATE = 200L << 20;
  private static final Duration DOWNTIME_LIMIT = Duration.ofMillis(300);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /**
   * What was measured of one case.
   *
   * @param gbPerS 10^9 bytes a second, the median
   * @param ratio of that to the memory copy's
   */
  record Result(String name, double gbPerS, double ratio) {}

  /**
   * @param monitoringCostPercent how much longer an idle guest's migration takes when it is
   *     monitored; the fastest of each are compared, for what disturbs a measurement slows it down
   */
  record Results(
      List<Result> results, double monitoringCostPercent, long ramBytes, int repetitions) {}

  /**
   * A migration.
   *
   * @param zeroShare of its RAM, 0 to 1
   * @param dirtyRate bytes a second
   */
  private record Migration(
      String name, double zeroShare, long dirtyRate, boolean pinAll, boolean monitored) {}

  private record Case(String name, Measurement measurement) {}

  /** Gives bytes a nanosecond, which is 10^9 bytes a second. */
  @FunctionalInterface
  private interface Measurement {
    double measure() throws IOException, InterruptedException;
  }

  private static final List<Migration> PAIR =
      List.of(
          new Migration(MONITORED, 0, 0, false, true),
          new Migration(UNMONITORED, 0, 0, false, false));

  private static final List<Migration> OTHERS =
      List.of(
          new Migration("migration-idle-pin-all", 0, 0, true, true),
          new Migration("migration-half-zero-dynamic", 0.5, 0, false, true),
          new Migration("migration-half-zero-pin-all", 0.5, 0, true, true),
          new Migration("migration-busy-dynamic", 0, BUSY_RATE, false, true),
          new Migration("migration-busy-pin-all", 0, BUSY_RATE, true, true));

  private final SessionManager manager;
  private final long ramBytes;
  private final Interruption interruption;
  private final Consumer<String> progress;

  /**
   * @param ramBytes of the guest, and of what is copied and scanned
   * @param progress gets a line before each measurement
   */
  Benchmark(
      SessionManager manager, long ramBytes, Interruption interruption, Consumer<String> progress) {
    this.manager = manager;
    this.ramBytes = ramBytes;
    this.interruption = interruption;
    this.progress = progress;
  }

  /**
   * @throws IOException when a migration did not complete, or was not verified
   * @throws InterruptedBenchmarkException when it was asked to stop
   */
  Results run(int repetitions) throws IOException, InterruptedException {
    for (int i = 1; i <= WARM_UPS; i++) {
      progress.accept("warm-up %d of %d".formatted(i, WARM_UPS));
      for (Case warmUp : cases(Math.min(ramBytes, WARM_UP_BYTES), 1)) {
        measure(warmUp.measurement);
      }
    }
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    for (int i = 1; i <= repetitions; i++) {
      for (Case measured : cases(ramBytes, PAIRS)) {
        progress.accept("%d of %d: %s".formatted(i, repetitions, measured.name));
        rates
            .computeIfAbsent(measured.name, name -> new ArrayList<>())
            .add(measure(measured.measurement));
      }
    }
    return results(rates, repetitions);
  }

  private List<Case> cases(long bytes, int pairs) {
    List<Case> cases = new ArrayList<>();
    cases.add(new Case(MEMORY_COPY, () -> copy(bytes)));
    cases.add(new Case(ZERO_SCAN, () -> zeroScan(bytes)));
    for (int i = 0; i < pairs; i++) {
      // The other one first each time, so that neither always profits from its place.
      addMigrations(cases, i % 2 == 0 ? PAIR : PAIR.reversed(), bytes);
    }
    addMigrations(cases, OTHERS, bytes);
    return cases;
  }

  private void addMigrations(List<Case> cases, List<Migration> migrations, long bytes) {
    for (Migration migration : migrations) {
      cases.add(new Case(migration.name, () -> migrate(migration, bytes)));
    }
  }

  private double measure(Measurement measurement) throws IOException, InterruptedException {
    if (interruption.requested()) {
      throw new InterruptedBenchmarkException();
    }
    return measurement.measure();
  }

  private Results results(Map<String, List<Double>> rates, int repetitions) {
    double copy = median(rates.getOrDefault(MEMORY_COPY, List.of()));
    List<Result> results = new ArrayList<>();
    rates.forEach((name, measured) -> {
      double rate = median(measured);
      results.add(new Result(name, rounded(rate), rounded(rate / copy)));
    });
    double cost = fastest(rates, UNMONITORED) / fastest(rates, MONITORED) - 1;
    return new Results(results, rounded(cost * 100), ramBytes, repetitions);
  }

  private static double fastest(Map<String, List<Double>> rates, String name) {
    return Collections.max(rates.getOrDefault(name, List.of()));
  }

  /** One thread copies memory that is all there, a chunk at a time. */
  private static double copy(long bytes) throws IOException {
    try (NativeMemory from = populated(bytes);
        NativeMemory to = populated(bytes)) {
      MemorySegment source = from.segment();
      MemorySegment target = to.segment();
      long start = System.nanoTime();
      for (long at = 0; at < bytes; at += PIECE) {
        MemorySegment.copy(source, at, target, at, Math.min(PIECE, bytes - at));
      }
      return rate(bytes, System.nanoTime() - start);
    }
  }

  /** One thread looks for zero pages where all are. */
  private static double zeroScan(long bytes) throws IOException {
    try (NativeMemory memory = populated(bytes)) {
      long zeroPages = 0;
      long start = System.nanoTime();
      for (long at = 0; at < bytes; at += RamBlock.PAGE_SIZE) {
        if (ZeroPages.isZero(memory.segment(), at, RamBlock.PAGE_SIZE)) {
          zeroPages++;
        }
      }
      long nanos = System.nanoTime() - start;
      if (zeroPages != bytes / RamBlock.PAGE_SIZE) {
        throw new IllegalStateException("%d pages of fresh memory are zero".formatted(zeroPages));
      }
      return rate(bytes, nanos);
    }
  }

  private static NativeMemory populated(long bytes) throws IOException {
    NativeMemory memory = NativeMemory.allocate(bytes);
    try {
      memory.populate(Runtime.getRuntime().availableProcessors());
      return memory;
    } catch (IOException e) {
      memory.close();
      throw e;
    }
  }

  private double migrate(Migration migration, long bytes) throws IOException, InterruptedException {
    Lab lab = manager.startLab(settings(migration, bytes));
    awaitEnd(lab.source(), TIMEOUT.plus(PATIENCE));
    awaitEnd(lab.destination(), PATIENCE);
    if (interruption.requested()) {
      throw new InterruptedBenchmarkException();
    }
    if (lab.source().status() != MigrationStatus.COMPLETED || !lab.source().report().verified()) {
      throw new IOException(
          "%s did not complete with equal RAM (%s), so there are no results."
              .formatted(migration.name, lab.source().outcome()));
    }
    double rate =
        rate(
            lab.source().telemetry().metrics().get(Metric.RAM_PROCESSED),
            lab.source().telemetry().metrics().get(Metric.TOTAL_TIME));
    manager.remove(lab.source());
    manager.remove(lab.destination());
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

  private static LabSettings settings(Migration migration, long bytes) {
    return new LabSettings(
        new GuestSettings.Synthetic(bytes, migration.dirtyRate, 0, migration.zeroShare, 1),
        migration.pinAll,
        0,
        DOWNTIME_LIMIT,
        TIMEOUT,
        migration.monitored);
  }

  private static double rate(long bytes, long nanos) {
    return (double) bytes / nanos;
  }

  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** To three places. */
  private static double rounded(double value) {
    return Math.rint(value * 1000) / 1000;
  }
}
