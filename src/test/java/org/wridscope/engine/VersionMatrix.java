// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.wridscope.RowFile;
import org.wridscope.control.qemu.QemuRelease;
import org.wridscope.engine.VersionCell.Link;
import org.wridscope.engine.VersionCell.Way;
import org.wridscope.engine.VersionRow.Result;
import org.wridscope.files.Folder;

/**
 * Runs the cells of the QEMUs of several releases, for {@code lab/nightly --versions}, and appends
 * a row for each to a file. Arguments: the link; the file; the commit of this program; {@code new}
 * to leave out the cells that passed at that commit, or {@code older} also those that passed at
 * another; after how many seconds no further cell starts (0 for never); and a regular expression of
 * which a part of the names of cells must match.
 */
public final class VersionMatrix {
  private static final String OLDER = "older";

  private VersionMatrix() {}

  public static void main(String[] arguments) throws Exception {
    Link link = Link.valueOf(arguments[0]);
    Path file = Path.of(arguments[1]).toAbsolutePath();
    String commit = arguments[2];
    boolean older = arguments[3].equals(OLDER);
    long seconds = Long.parseLong(arguments[4]);
    Pattern wanted = Pattern.compile(arguments[5]);
    Files.createDirectories(file.getParent());
    Map<String, VersionRow> rows = read(file);
    List<VersionCell> cells =
        VersionCell.all(link, QemuRelease.all()).stream()
            .filter(cell -> wanted.matcher(cell.name()).find())
            .toList();
    List<VersionCell> left =
        cells.stream()
            .filter(cell -> {
              VersionRow row = rows.get(cell.name());
              return row == null || !row.stands(commit, older);
            })
            .toList();
    System.out.printf("%s: %d cells, %d of them to run%n", link.text(), cells.size(), left.size());
    long end = seconds == 0 ? Long.MAX_VALUE : System.nanoTime() + seconds * 1_000_000_000;
    int failed = 0;
    try (PrintStream out = RowFile.append(file)) {
      for (VersionCell cell : left) {
        if (System.nanoTime() > end) {
          break;
        }
        VersionRow row = run(cell, commit);
        out.println(row.line());
        System.out.println(row.line());
        failed += row.result() == Result.FAILED ? 1 : 0;
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  /** The last row of each cell, by its name; none if there is no file. */
  static Map<String, VersionRow> read(Path file) throws IOException {
    Map<String, VersionRow> rows = new LinkedHashMap<>();
    for (String line : RowFile.read(file)) {
      VersionRow row = VersionRow.parse(line);
      rows.put(row.name(), row);
    }
    return rows;
  }

  /** Runs a cell on a thread of its own, which may hang. */
  private static VersionRow run(VersionCell cell, String commit) throws Exception {
    // All of a VM is in memory.
    Path folder = Folder.inMemory("cell", 0);
    long begin = System.nanoTime();
    VersionRun.Verdict verdict;
    ExecutorService executor = Executors.newSingleThreadExecutor();
    Future<VersionRun.Verdict> started = executor.submit(() -> new VersionRun(cell, folder).run());
    try {
      verdict = started.get(minutes(cell), TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      verdict = new VersionRun.Verdict(Result.FAILED, String.valueOf(e.getCause()));
    } catch (TimeoutException e) {
      verdict =
          new VersionRun.Verdict(
              Result.FAILED, "it did not end within %d minutes".formatted(minutes(cell)));
    } finally {
      executor.shutdownNow();
      // It ends its QEMUs when it is interrupted.
      boolean _ = executor.awaitTermination(1, TimeUnit.MINUTES);
      Folder.delete(folder);
    }
    return new VersionRow(
        cell.name(),
        verdict.result(),
        commit,
        LocalDate.now(ZoneOffset.UTC).toString(),
        "%s; %.1f s".formatted(verdict.note(), (System.nanoTime() - begin) / 1e9));
  }

  private static long minutes(VersionCell cell) {
    boolean kills = cell.way() == Way.KILL_SOURCE || cell.way() == Way.KILL_DESTINATION;
    return kills || cell.link() == Link.SOFT_ROCE ? 30 : 10;
  }
}
