// SPDX-License-Identifier: Apache-2.0
package org.wridscope.benchmark;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks of this package. Each has a limit, what memory alone permits, measured in the
 * same run: figures of different machines can be compared only as a ratio to it.
 */
final class Ratios {
  private Ratios() {}

  /**
   * Prints a line for each benchmark.
   *
   * @param args {@code quick} for about a minute
   */
  public static void main(String[] args) throws RunnerException {
    boolean quick = args.length > 0 && args[0].equals("quick");
    var options =
        new OptionsBuilder()
            .include(Ratios.class.getPackageName() + ".*")
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.MICROSECONDS)
            .forks(quick ? 1 : 3)
            .warmupIterations(quick ? 2 : 5)
            .measurementIterations(quick ? 3 : 10)
            .warmupTime(TimeValue.seconds(1))
            .measurementTime(TimeValue.seconds(1))
            .jvmArgsAppend(
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
            .verbosity(VerboseMode.SILENT)
            .build();
    var micros = new TreeMap<String, Map<String, Double>>();
    for (RunResult result : new Runner(options).run()) {
      String[] name = result.getParams().getBenchmark().split("\\.");
      micros
          .computeIfAbsent(name[name.length - 2], _ -> new TreeMap<>())
          .put(name[name.length - 1], result.getPrimaryResult().getScore());
    }
    System.out.printf("%-20s%14s%14s%10s%n", "", "measured, us", "limit, us", "ratio");
    micros.forEach((name, pair) -> {
      double measured = pair.get("measured");
      double limit = pair.get("limit");
      System.out.printf(
          "%-20s%14.2f%14.2f%10.2f%n",
          name.replace("Benchmark", ""), measured, limit, measured / limit);
    });
  }
}
