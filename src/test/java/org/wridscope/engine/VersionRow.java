// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;
import java.util.Locale;
import org.wridscope.engine.VersionCell.Link;
import org.wridscope.engine.VersionCell.Way;

/**
 * What came of a {@link VersionCell}; a line in a file of rows.
 *
 * @param name of the cell
 * @param commit of this program; ends with {@code +} if its files were changed since
 * @param note figures, or why it failed; one line
 */
record VersionRow(String name, Result result, String commit, String date, String note) {
  /** How it ended. */
  enum Result {
    PASSED,
    /** QEMU failed without this program: it cannot do this itself. */
    IMPOSSIBLE,
    FAILED
  }

  /** The parts of the name of a cell, see {@link VersionCell#name}. */
  private static final int PARTS = 6;

  VersionRow {
    note = note.strip().replaceAll("\\s+", " ");
    if (name.split(" ", -1).length != PARTS) {
      throw new IllegalArgumentException("no cell has the name '%s'".formatted(name));
    }
  }

  static VersionRow parse(String line) {
    List<String> fields = List.of(line.split("\t", -1));
    if (fields.size() != 5) {
      throw new IllegalArgumentException("not a row: " + line);
    }
    return new VersionRow(
        fields.get(0), Result.valueOf(fields.get(1)), fields.get(2), fields.get(3), fields.get(4));
  }

  String line() {
    return String.join("\t", name, result.toString(), commit, date, note);
  }

  private String part(int index) {
    return name.split(" ", -1)[index];
  }

  Link link() {
    return Link.valueOf(part(0).toUpperCase(Locale.ROOT));
  }

  Way way() {
    return Way.valueOf(part(1).toUpperCase(Locale.ROOT));
  }

  /** The versions, for example {@code 7.2 → 10.0}, or {@code 10.0} if both are the same. */
  String versions() {
    return part(2).equals(part(3)) ? part(2) : part(2) + " → " + part(3);
  }

  String family() {
    return part(4);
  }

  boolean pinAll() {
    return part(5).equals("pin-all");
  }

  /** Whether the cell need not be run again. */
  boolean stands(String now, boolean older) {
    return result != Result.FAILED && (older || (commit.equals(now) && !now.endsWith("+")));
  }
}
