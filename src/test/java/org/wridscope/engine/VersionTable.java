// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.DocumentPart;
import org.wridscope.engine.VersionCell.Link;
import org.wridscope.engine.VersionCell.Way;
import org.wridscope.engine.VersionRow.Result;

/**
 * Writes the table of {@code docs/qemu.md} from the rows of {@link VersionMatrix}. Arguments: the
 * document and the file of rows.
 */
public final class VersionTable {
  private static final DocumentPart PART =
      new DocumentPart(
          "<!-- versions: written by lab/nightly --versions -->\n",
          "<!-- end of the versions -->\n");

  private VersionTable() {}

  public static void main(String[] arguments) throws IOException {
    PART.write(Path.of(arguments[0]), text(VersionMatrix.read(Path.of(arguments[1])).values()));
  }

  static String text(Collection<VersionRow> rows) {
    List<String> versions = versions(rows);
    var text = new StringBuilder("\n| over | what | ");
    text.append(String.join(" | ", versions)).append(" |\n| --- | --- |");
    text.append(" ---: |".repeat(versions.size())).append('\n');
    for (Link link : Link.values()) {
      for (Way way : Way.values()) {
        List<VersionRow> of =
            rows.stream().filter(row -> row.link() == link && row.way() == way).toList();
        if (!of.isEmpty()) {
          text.append("| %s | %s |".formatted(link.text(), way.text()));
          for (String version : versions) {
            List<VersionRow> in =
                of.stream().filter(row -> row.versions().equals(version)).toList();
            text.append(in.isEmpty() ? " |" : " %s |".formatted(cell(in)));
          }
          text.append('\n');
        }
      }
    }
    append(text, "Kills", rows, row -> isKill(row.way()) && row.result() == Result.PASSED);
    append(text, "QEMU itself cannot", rows, row -> row.result() == Result.IMPOSSIBLE);
    append(text, "Failed", rows, row -> row.result() == Result.FAILED);
    text.append("\nRun ");
    text.append(
        rows.stream()
            .collect(Collectors.groupingBy(row -> row.date() + " at " + row.commit()))
            .entrySet()
            .stream()
            .map(each -> "%s: %d".formatted(each.getKey(), each.getValue().size()))
            .sorted()
            .collect(Collectors.joining(", ")));
    return text.append(" of these cells.\n\n").toString();
  }

  private static boolean isKill(Way way) {
    return way == Way.KILL_SOURCE || way == Way.KILL_DESTINATION;
  }

  private static void append(
      StringBuilder text, String title, Collection<VersionRow> rows, Predicate<VersionRow> which) {
    List<VersionRow> of = rows.stream().filter(which).toList();
    if (!of.isEmpty()) {
      text.append("\n%s:\n\n".formatted(title));
      of.stream().map(VersionTable::item).sorted().forEach(text::append);
    }
  }

  private static String item(VersionRow row) {
    return "- %s, %s, %s, %s, %s: %s\n"
        .formatted(
            row.link().text(),
            row.way().text(),
            row.versions(),
            row.family(),
            row.pinAll() ? "pin-all" : "dynamic",
            row.note().replace("|", "\\|"));
  }

  /** Those of one release first, and then by the order of numbers. */
  private static List<String> versions(Collection<VersionRow> rows) {
    List<String> single = new ArrayList<>();
    List<String> pairs = new ArrayList<>();
    rows.stream()
        .map(VersionRow::versions)
        .distinct()
        .sorted(Comparator.comparing(VersionTable::sortable))
        .forEach(version -> (version.contains(" ") ? pairs : single).add(version));
    return Stream.concat(single.stream(), pairs.stream()).toList();
  }

  private static String sortable(String versions) {
    return Stream.of(versions.split(" → "))
        .map(version -> "%8s".formatted(version))
        .collect(Collectors.joining());
  }

  private static String cell(List<VersionRow> rows) {
    if (rows.stream().allMatch(row -> row.result() == Result.IMPOSSIBLE)) {
      return "QEMU cannot";
    }
    long passed = rows.stream().filter(row -> row.result() == Result.PASSED).count();
    return "%d of %d".formatted(passed, rows.size());
  }
}
