// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.wridscope.bench.BenchmarkRounds.Case;
import org.wridscope.bench.BenchmarkRounds.Result;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.SessionManager;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.ZeroPages;
import org.wridscope.recording.Recorder;
import org.wridscope.settings.MigrationSetting;

/** Measures memory operations, and migrations within this process. */
public final class LabBenchmark {
  private static final String MEMORY_COPY = "memory-copy";
  private static final String MEMORY_READ = "memory-read";
  private static final String ZERO_SCAN = "zero-scan";
  private static final String MONITORED = "migration-idle-dynamic";
  private static final String UNMONITORED = "migration-idle-dynamic-unmonitored";
  private static final String RECORDED = "migration-idle-dynamic-recorded";

  private static final long PIECE = 1L << 20;
  private static final long WARM_UP_BYTES = 256L << 20;
  private static final int WARM_UPS = 2;

  private static final long BUSY_RATE = 200L << 20;
  private static final Duration DOWNTIME_LIMIT = Duration.ofMillis(300);
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /**
   * What was measured.
   *
   * @param monitoringCost how much longer the migration of an idle guest takes with monitoring
   * @param recordingCost how much longer it takes with recording, compared with monitoring alone
   */
  public record Results(
      List<Result> results,
      Cost monitoringCost,
      Cost recordingCost,
      long ramBytes,
      int repetitions) {}

  /**
   * A migration.
   *
   * @param zeroShare of its RAM, 0 to 1
   * @param dirtyRate bytes per second
   */
  private record Migration(
      String name, double zeroShare, long dirtyRate, boolean pinAll, boolean monitored) {
    boolean recorded() {
      return name.equals(RECORDED);
    }
  }

  private static final Migration MONITORED_ONE = new Migration(MONITORED, 0, 0, false, true);
  private static final Migration UNMONITORED_ONE = new Migration(UNMONITORED, 0, 0, false, false);
  private static final Migration RECORDED_ONE = new Migration(RECORDED, 0, 0, false, true);

  /**
   * Migrations that differ by only a few percent, in all orders, so that none profits from its
   * position or its predecessor.
   */
  private static final List<List<Migration>> SIMILAR =
      List.of(
          List.of(MONITORED_ONE, UNMONITORED_ONE, RECORDED_ONE),
          List.of(RECORDED_ONE, MONITORED_ONE, UNMONITORED_ONE),
          List.of(UNMONITORED_ONE, RECORDED_ONE, MONITORED_ONE),
          List.of(RECORDED_ONE, UNMONITORED_ONE, MONITORED_ONE),
          List.of(MONITORED_ONE, RECORDED_ONE, UNMONITORED_ONE),
          List.of(UNMONITORED_ONE, MONITORED_ONE, RECORDED_ONE));

  private static final List<Migration> OTHERS =
      List.of(
          new Migration("migration-idle-pin-all", 0, 0, true, true),
          new Migration("migration-half-zero-dynamic", 0.5, 0, false, true),
          new Migration("migration-half-zero-pin-all", 0.5, 0, true, true),
          new Migration("migration-busy-dynamic", 0, BUSY_RATE, false, true),
          new Migration("migration-busy-pin-all", 0, BUSY_RATE, true, true));

  private final SessionManager manager;
  private final long ramBytes;
  private final BenchmarkRounds rounds;

  /**
   * @param ramBytes RAM of the guest, and size of the copy and the scan
   */
  public LabBenchmark(SessionManager manager, long ramBytes, BenchmarkRounds rounds) {
    this.manager = manager;
    this.ramBytes = ramBytes;
    this.rounds = rounds;
  }

  /**
   * Measures.
   *
   * @throws IOException if a migration did not complete, or was not verified
   * @throws InterruptedBenchmarkException if the user interrupted the benchmark
   */
  public Results run(int repetitions) throws IOException, InterruptedException {
    rounds.warmUp(cases(Math.min(ramBytes, WARM_UP_BYTES)), WARM_UPS);
    return results(rounds.take(cases(ramBytes), repetitions), repetitions);
  }

  private List<Case> cases(long bytes) {
    List<Case> cases = new ArrayList<>();
    cases.add(new Case(MEMORY_COPY, () -> copy(bytes)));
    cases.add(new Case(MEMORY_READ, () -> read(bytes)));
    cases.add(new Case(ZERO_SCAN, () -> zeroScan(bytes)));
    SIMILAR.forEach(order -> addMigrations(cases, order, bytes));
    addMigrations(cases, OTHERS, bytes);
    return cases;
  }

  private void addMigrations(List<Case> cases, List<Migration> migrations, long bytes) {
    for (Migration migration : migrations) {
      cases.add(new Case(migration.name, () -> migrate(migration, bytes)));
    }
  }

  private Results results(Map<String, List<Double>> rates, int repetitions) {
    List<Result> results = BenchmarkRounds.results(rates, MEMORY_COPY);
    return new Results(
        results,
        cost(rates, UNMONITORED, MONITORED),
        cost(rates, MONITORED, RECORDED),
        ramBytes,
        repetitions);
  }

  private static Cost cost(Map<String, List<Double>> rates, String without, String with) {
    return Cost.of(rates.getOrDefault(without, List.of()), rates.getOrDefault(with, List.of()));
  }

  /** One thread copies populated memory chunk by chunk. */
  private static double copy(long bytes) throws IOException {
    try (NativeMemory from = populated(bytes);
        NativeMemory to = populated(bytes)) {
      MemorySegment source = from.segment();
      MemorySegment target = to.segment();
      long start = System.nanoTime();
      for (long at = 0; at < bytes; at += PIECE) {
        MemorySegment.copy(source, at, target, at, Math.min(PIECE, bytes - at));
      }
      return BenchmarkRounds.rate(bytes, System.nanoTime() - start);
    }
  }

  /**
   * One thread reads each byte of zeros once, as fast as the processor can: it compares them with
   * those a long later.
   */
  private static double read(long bytes) throws IOException {
    try (NativeMemory memory = populated(bytes)) {
      MemorySegment zeros = memory.segment();
      long found = 0;
      long start = System.nanoTime();
      for (long at = 0; at < bytes; at += PIECE) {
        long end = Math.min(at + PIECE, bytes);
        found +=
            MemorySegment.mismatch(zeros, at, end - Long.BYTES, zeros, at + Long.BYTES, end) + 1;
      }
      long nanos = System.nanoTime() - start;
      if (found != 0) {
        throw new IllegalStateException("fresh memory is not zero");
      }
      return BenchmarkRounds.rate(bytes, nanos);
    }
  }

  /** One thread checks chunks that are all zero. */
  private static double zeroScan(long bytes) throws IOException {
    try (NativeMemory memory = populated(bytes)) {
      long zeros = 0;
      long start = System.nanoTime();
      for (long at = 0; at < bytes; at += PIECE) {
        long piece = Math.min(PIECE, bytes - at);
        zeros += ZeroPages.isZero(memory.segment(), at, piece) ? piece : 0;
      }
      long nanos = System.nanoTime() - start;
      if (zeros != bytes) {
        throw new IllegalStateException("%d bytes of fresh memory are zero".formatted(zeros));
      }
      return BenchmarkRounds.rate(bytes, nanos);
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
    if (migration.recorded()) {
      return recorded(migration, lab);
    }
    return rounds.rateOf(migration.name, lab.source(), lab.destination(), TIMEOUT);
  }

  /** Records to a temporary file, and deletes it. */
  private double recorded(Migration migration, Lab lab) throws IOException, InterruptedException {
    Path file = Files.createTempFile("wridscope-bench-", ".wrs");
    Recorder recorder =
        Recorder.begin(Output.of("the recording", file, FileKind.RECORDING).replacing());
    double rate;
    try {
      recorder.add(lab.source());
      recorder.add(lab.destination());
      rate = rounds.rateOf(migration.name, lab.source(), lab.destination(), TIMEOUT);
    } finally {
      recorder.close();
      Files.deleteIfExists(file);
    }
    String failure = recorder.failure();
    if (failure != null) {
      throw new IOException(migration.name + ": " + failure);
    }
    if (recorder.leftOut() > 0) {
      throw new IOException(
          "%s: %d events were not recorded.".formatted(migration.name, recorder.leftOut()));
    }
    return rate;
  }

  private static LabSettings settings(Migration migration, long bytes) {
    return new LabSettings(
        new MigrationSettings(
                new GuestSettings.Synthetic(bytes, migration.dirtyRate, 0, migration.zeroShare, 1))
            .with(MigrationSetting.PIN_ALL, migration.pinAll)
            .with(MigrationSetting.DOWNTIME_LIMIT, DOWNTIME_LIMIT)
            .with(MigrationSetting.TIMEOUT, TIMEOUT)
            .with(MigrationSetting.MONITORED, migration.monitored));
  }
}
