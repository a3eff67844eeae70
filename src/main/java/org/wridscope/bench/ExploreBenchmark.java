// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.wridscope.bench.BenchmarkRounds.Case;
import org.wridscope.bench.BenchmarkRounds.Result;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.RandomRuns;
import org.wridscope.control.schedule.Explorer;

/**
 * Measures how many small random migrations this process runs in a second: under schedules, as
 * {@code lab explore} does, and in real time, as {@code lab soak} does.
 */
public final class ExploreBenchmark {
  private static final String SCHEDULED = "under schedules";
  private static final String REAL_TIME = "in real time";

  /** How many times as many are run under schedules as in real time, which takes about as long. */
  public static final int TIMES = 20;

  /** What they compute first runs in the interpreter. */
  private static final int WARM_UPS = 2;

  /**
   * The virtual machine compiles for half a minute; after so many rounds without gain it is done.
   */
  private static final int ROUNDS_WITHOUT_GAIN = 6;

  private static final double GAIN = 1.02;

  private final Supplier<SessionManager> managers;
  private final BenchmarkRounds rounds;
  private final int runs;
  private final Consumer<Runnable> onInterrupt;
  private long nextSeed = 1;

  /**
   * @param runs under schedules in a round, at least {@link #TIMES}
   * @param onInterrupt gets what is to be done when the user interrupts the benchmark
   */
  public ExploreBenchmark(
      Supplier<SessionManager> managers,
      BenchmarkRounds rounds,
      int runs,
      Consumer<Runnable> onInterrupt) {
    this.managers = managers;
    this.rounds = rounds;
    this.runs = runs;
    this.onInterrupt = onInterrupt;
  }

  /**
   * The results.
   *
   * @param processors of this machine
   */
  public record Results(List<Speed> results, int processors, int repetitions) {}

  /**
   * How fast one of them is.
   *
   * @param perSecond median of the migrations in a second
   * @param ratio to those in real time
   */
  public record Speed(String name, double perSecond, double ratio) {}

  public Results run(int repetitions) throws IOException, InterruptedException {
    List<Case> cases =
        List.of(
            new Case(REAL_TIME, () -> perSecond(runs / TIMES, this::inRealTime)),
            new Case(SCHEDULED, () -> perSecond(runs, this::underSchedules)));
    rounds.warmUp(cases, WARM_UPS);
    warmUpUntilNoFaster();
    Map<String, List<Double>> speeds = rounds.take(cases, repetitions);
    List<Result> results = BenchmarkRounds.results(speeds, REAL_TIME);
    return new Results(
        results.stream()
            .map(result -> new Speed(result.name(), result.gbPerS(), result.ratio()))
            .toList(),
        Runtime.getRuntime().availableProcessors(),
        repetitions);
  }

  private void warmUpUntilNoFaster() throws IOException, InterruptedException {
    double best = 0;
    int withoutGain = 0;
    while (withoutGain < ROUNDS_WITHOUT_GAIN) {
      double speed = perSecond(runs, this::underSchedules);
      withoutGain = speed > best * GAIN ? 0 : withoutGain + 1;
      best = Math.max(best, speed);
    }
  }

  @FunctionalInterface
  private interface Runs {
    void run(long firstSeed, int number) throws IOException, InterruptedException;
  }

  private double perSecond(int number, Runs work) throws IOException, InterruptedException {
    long seed = nextSeed;
    nextSeed += number;
    long begin = System.nanoTime();
    work.run(seed, number);
    long nanos = System.nanoTime() - begin;
    rounds.requireNotInterrupted();
    return number * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
  }

  private void underSchedules(long firstSeed, int number) throws IOException, InterruptedException {
    new Explorer(managers, UnaryOperator.identity())
        .run(firstSeed, number, rounds::isInterrupted, (_, _) -> {});
  }

  private void inRealTime(long firstSeed, int number) throws IOException, InterruptedException {
    int atOnce = 4 * Runtime.getRuntime().availableProcessors();
    try (var random =
        new RandomRuns(
            managers, scenario -> scenario.unmonitored(), atOnce, rounds::isInterrupted)) {
      onInterrupt.accept(random::cancel);
      random.run(firstSeed, number, (_, _, _) -> {});
    }
  }
}
