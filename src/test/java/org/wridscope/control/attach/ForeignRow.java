// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What came of a {@link ForeignProgram}.
 *
 * @param name of the program, with its options
 * @param version of its package
 * @param commit of this program
 * @param date UTC, such as 2026-11-28
 * @param events that its own log and the attachment both have
 * @param differences events that only one of them has
 * @param note what is to be said of it; empty for nothing
 */
record ForeignRow(
    String name,
    String version,
    String commit,
    String date,
    long events,
    long differences,
    String note) {

  /** Whether both were equal and there was something. */
  boolean passed() {
    return events > 0 && differences == 0;
  }

  String line() {
    return String.join(
        "\t",
        name,
        version,
        commit,
        date,
        Long.toString(events),
        Long.toString(differences),
        note.replaceAll("[\\t\\n]", " "));
  }

  static ForeignRow parse(String line) {
    String[] cells = line.split("\t", -1);
    return new ForeignRow(
        cells[0],
        cells[1],
        cells[2],
        cells[3],
        Long.parseLong(cells[4]),
        Long.parseLong(cells[5]),
        cells[6]);
  }

  /** The last row of each program, by its name; none if there is no file. */
  static Map<String, ForeignRow> read(Path file) throws IOException {
    Map<String, ForeignRow> rows = new LinkedHashMap<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        ForeignRow row = parse(line);
        rows.put(row.name(), row);
      }
    }
    return rows;
  }
}
