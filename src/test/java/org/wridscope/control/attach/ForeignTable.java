// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import org.wridscope.DocumentPart;

/**
 * Writes the table of {@code docs/attach.md} from the rows of {@link ForeignPrograms}. Arguments:
 * the document and the file of rows.
 */
public final class ForeignTable {
  private static final DocumentPart PART =
      new DocumentPart(
          "<!-- programs: written by lab/nightly --programs -->\n",
          "<!-- end of the programs -->\n");

  private ForeignTable() {}

  public static void main(String[] arguments) throws IOException {
    PART.write(Path.of(arguments[0]), text(ForeignRow.read(Path.of(arguments[1])).values()));
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
