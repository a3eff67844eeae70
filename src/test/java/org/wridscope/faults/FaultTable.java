// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.wridscope.DocumentPart;

/**
 * Writes the figures of {@code docs/reliability.md} from the results of {@link FaultMatrix}.
 * Arguments: the document, whose figures are replaced if there are results of each kind, or {@code
 * -} to print them, and the files of results.
 */
public final class FaultTable {
  private static final DocumentPart PART =
      new DocumentPart(
          "<!-- figures: written by lab/softroce faults -->\n", "<!-- end of the figures -->\n");

  private FaultTable() {}

  public static void main(String[] arguments) throws IOException {
    var text = new StringBuilder();
    for (int i = 1; i < arguments.length; i++) {
      Path file = Path.of(arguments[i]);
      if (Files.exists(file)) {
        text.append(section(file));
      } else if (!arguments[0].equals("-")) {
        System.err.printf("%s stays as it is: %s is missing.%n", arguments[0], file);
        return;
      }
    }
    if (arguments[0].equals("-")) {
      System.out.print(text);
      return;
    }
    PART.write(Path.of(arguments[0]), text);
  }

  /** The row of a result: the act and its victim, preceded by a number for sorting. */
  private static String row(Result result) {
    Cell cell = result.cell();
    String to = cell.victim() == null ? "the connection" : "the " + Step.text(cell.victim());
    return "%d| %s | %s ".formatted(cell.act().ordinal(), cell.act(), to);
  }

  private static String section(Path file) throws IOException {
    String head = Files.readAllLines(file).getFirst().substring(FaultMatrix.HEAD.length());
    List<Result> results = List.copyOf(FaultMatrix.read(file).values());
    Map<String, List<Result>> rows =
        results.stream()
            .collect(Collectors.groupingBy(FaultTable::row, TreeMap::new, Collectors.toList()));
    var text =
        new StringBuilder("\n**Over %s.** %d cells were run.\n\n".formatted(head, results.size()));
    text.append(
        "| what | to | runs | one guest | undecided | not reached | wrong | guest moved | survivor"
            + " knew: median | at most | oldest run: date, commit |\n");
    text.append("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    rows.forEach((row, runs) -> text.append(line(row.substring(1), runs)));
    if (!results.isEmpty()) {
      text.append(line("| all | ", results));
    }
    List<Result> undecided = of(results, RunOutcome.UNDECIDED);
    if (!undecided.isEmpty()) {
      text.append("\nUndecided:\n\n");
      undecided.stream().map(result -> "- " + result.cell() + "\n").sorted().forEach(text::append);
    }
    return text + "\n";
  }

  private static List<Result> of(List<Result> results, RunOutcome outcome) {
    return results.stream().filter(result -> result.outcome() == outcome).toList();
  }

  private static String line(String row, List<Result> runs) {
    List<Long> millis = new ArrayList<>();
    runs.forEach(run -> millis.addAll(run.millis()));
    millis.sort(Comparator.naturalOrder());
    long moved = runs.stream().filter(Result::moved).count();
    long wrong = runs.stream().filter(run -> !run.outcome().isGood()).count();
    Result oldest = Collections.min(runs, Comparator.comparing(Result::date));
    return "%s| %d | %d | %d | %d | %d | %d | %s | %s | %s, %s |\n"
        .formatted(
            row,
            runs.size(),
            of(runs, RunOutcome.ONE_GUEST).size(),
            of(runs, RunOutcome.UNDECIDED).size(),
            of(runs, RunOutcome.NOT_REACHED).size(),
            wrong,
            moved,
            millis.isEmpty() ? "" : seconds(millis.get(millis.size() / 2)),
            millis.isEmpty() ? "" : seconds(millis.getLast()),
            oldest.date(),
            oldest.commit());
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.2f s", millis / 1e3);
  }
}
