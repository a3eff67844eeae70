// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Writes the table of {@code docs/attach.md} from the rows of {@link ForeignPrograms}. Arguments:
 * the document and the file of rows.
 */
public final class ForeignTable {
  private static final String BEGIN = "<!-- programs: written by lab/nightly --programs -->\n";
  private static final String END = "<!-- end of the programs -->\n";

  private ForeignTable() {}

  public static void main(String[] arguments) throws IOException {
    Path document = Path.of(arguments[0]);
    String before = Files.readString(document);
    int begin = before.indexOf(BEGIN);
    int end = before.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException("%s has no place for the table".formatted(document));
    }
    Files.writeString(
        document,
        before.substring(0, begin + BEGIN.length())
            + text(ForeignRow.read(Path.of(arguments[1])).values())
            + before.substring(end));
  }

  static String text(Collection<ForeignRow> rows) {
    var text = new StringBuilder("\n| program | version | events | differences | run |\n");
    text.append("| --- | --- | ---: | ---: | --- |\n");
    for (ForeignRow row : rows) {
      text.append(
          "| `%s`%s | %s | %,d | %,d | %s at %s |%n"
              .formatted(
                  row.name(),
                  row.note().isEmpty() ? "" : ": " + row.note().replace("|", "\\|"),
                  row.version(),
                  row.events(),
                  row.differences(),
                  row.date(),
                  row.commit()));
    }
    return text.append('\n').toString();
  }
}
