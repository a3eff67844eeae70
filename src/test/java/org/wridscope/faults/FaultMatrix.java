// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.wridscope.RowFile;

/**
 * Runs the fault matrix of a setting, for {@code lab/softroce faults}. Arguments: the setting; the
 * file of results; how many runs are executed at once; after how many seconds no further run starts
 * (0 for never); and the commit of this program. A cell that has passed at that commit is left out;
 * the others follow in the order of their last results, so that several nights run all of them.
 */
public final class FaultMatrix {
  /** The order is the same each time; its first cells are a random sample of all. */
  private static final long SEED = 1;

  /** The beginning of the first line of a file of results, which has one line for each cell. */
  static final String HEAD = "# ";

  private FaultMatrix() {}

  public static void main(String[] arguments) throws Exception {
    var setting = Setting.valueOf(arguments[0]);
    Path file = Path.of(arguments[1]).toAbsolutePath();
    int atOnce = Integer.parseInt(arguments[2]);
    long seconds = Long.parseLong(arguments[3]);
    String commit = arguments[4];
    List<Step> steps = Run.rehearse(setting);
    List<Cell> cells = new ArrayList<>(Cell.all(setting, steps));
    Collections.shuffle(cells, new Random(SEED));
    String head =
        "%s: %d messages, %d cells, %d at once"
            .formatted(setting.text(), steps.size(), cells.size(), atOnce);
    System.out.println(head);
    Map<Cell, Result> results = read(file);
    results.keySet().retainAll(Set.copyOf(cells));
    long end = seconds == 0 ? Long.MAX_VALUE : System.nanoTime() + seconds * 1_000_000_000;
    int bad = 0;
    Files.createDirectories(file.getParent());
    write(file, HEAD + head, results.values());
    try (PrintStream out = RowFile.append(file);
        ExecutorService executor = Executors.newFixedThreadPool(atOnce)) {
      List<Future<Optional<Result>>> runs =
          left(cells, results, commit).stream()
              .map(cell -> executor.submit(() -> run(cell, commit, end, out)))
              .toList();
      for (Future<Optional<Result>> each : runs) {
        Optional<Result> result = each.get();
        result.ifPresent(of -> results.put(of.cell(), of));
        bad += result.filter(of -> !of.outcome().isGood()).isPresent() ? 1 : 0;
      }
    }
    System.out.printf(
        "%s: %d of %d cells were run, %d failed%n",
        setting.text(), results.size(), cells.size(), bad);
    System.exit(bad == 0 ? 0 : 1);
  }

  /** The last result of each cell, in the order of the file; none if there is no file. */
  static Map<Cell, Result> read(Path file) throws IOException {
    var results = new LinkedHashMap<Cell, Result>();
    for (String line : RowFile.read(file)) {
      if (!line.startsWith(HEAD)) {
        Result result = Result.parse(line);
        results.remove(result.cell());
        results.put(result.cell(), result);
      }
    }
    return results;
  }

  /** Replaces the file at once: it may have the results of nights. */
  private static void write(Path file, String head, Collection<Result> results) throws IOException {
    Path written = file.resolveSibling(file.getFileName() + ".new");
    Files.write(
        written, Stream.concat(Stream.of(head), results.stream().map(Result::line)).toList());
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The cells that have no good result of a commit: new ones first, then as they were run. */
  static List<Cell> left(List<Cell> cells, Map<Cell, Result> results, String commit) {
    var left = new ArrayList<>(cells);
    left.removeIf(results::containsKey);
    results.values().stream()
        .filter(result -> !result.commit().equals(commit) || !result.outcome().isGood())
        .map(Result::cell)
        .forEach(left::add);
    return left;
  }

  /** Runs a cell unless the time is over; its result is printed, too. */
  private static Optional<Result> run(Cell cell, String commit, long end, PrintStream out) {
    if (System.nanoTime() > end) {
      return Optional.empty();
    }
    Result result = Run.of(cell).at(commit, LocalDate.now(ZoneOffset.UTC));
    out.println(result.line());
    if (!result.outcome().isGood()) {
      System.out.printf("%s: %s: %s%n", result.outcome(), cell, result.note());
    }
    return Optional.of(result);
  }
}
