// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs the fault matrix of a setting, for {@code lab/softroce faults}. Arguments: the setting, the
 * file for the results, how many runs are executed at once, after how many seconds no further run
 * starts (0 for never), and optionally which acts.
 */
public final class FaultMatrix {
  /** The order is the same each time; its first cells are a random sample of all. */
  private static final long SEED = 1;

  /** The beginning of the first line of a file of results. */
  static final String HEAD = "# ";

  private FaultMatrix() {}

  public static void main(String[] arguments) throws Exception {
    var setting = Setting.valueOf(arguments[0]);
    Path file = Path.of(arguments[1]);
    int atOnce = Integer.parseInt(arguments[2]);
    long seconds = Long.parseLong(arguments[3]);
    List<Step> steps = Run.rehearse(setting);
    List<Cell> cells = new ArrayList<>(Cell.all(setting, steps));
    if (arguments.length > 4) {
      List<Act> acts = List.of(arguments[4].split(",")).stream().map(Act::valueOf).toList();
      cells.removeIf(cell -> !acts.contains(cell.act()));
    }
    Collections.shuffle(cells, new Random(SEED));
    System.out.printf(
        "%s: %d messages, %d cells, %d at once%n",
        setting.text(), steps.size(), cells.size(), atOnce);
    long end = seconds == 0 ? Long.MAX_VALUE : System.nanoTime() + seconds * 1_000_000_000;
    int bad = 0;
    int run = 0;
    Files.createDirectories(file.toAbsolutePath().getParent());
    try (var out = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
        ExecutorService executor = Executors.newFixedThreadPool(atOnce)) {
      out.printf(
          "%s%s: %d messages, %d cells, %d at once%n",
          HEAD, setting.text(), steps.size(), cells.size(), atOnce);
      List<Future<Result>> runs =
          cells.stream()
              .map(cell ->
                  executor.submit(() -> {
                    if (System.nanoTime() > end) {
                      return null;
                    }
                    Result result = Run.of(cell);
                    out.println(result.line());
                    if (!result.outcome().isGood()) {
                      System.out.printf("%s: %s: %s%n", result.outcome(), cell, result.note());
                    }
                    return result;
                  }))
              .toList();
      for (Future<Result> each : runs) {
        Result result = each.get();
        run += result == null ? 0 : 1;
        bad += result == null || result.outcome().isGood() ? 0 : 1;
      }
    }
    System.out.printf(
        "%s: %d of %d cells were run, %d failed%n", setting.text(), run, cells.size(), bad);
    System.exit(bad == 0 ? 0 : 1);
  }
}
