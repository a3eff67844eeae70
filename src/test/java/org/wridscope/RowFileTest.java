// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RowFileTest {
  @TempDir private Path directory;

  @Test
  void aRowThatWasCutShort_isLeftOut_andTheNextOneReplacesIt() throws IOException {
    Path file = directory.resolve("rows");
    assertThat(RowFile.read(file)).isEmpty();
    append(file, "first\tä");
    Files.writeString(file, Files.readString(file) + "sec");
    assertThat(RowFile.read(file)).containsExactly("first\tä");
    append(file, "third");
    assertThat(file).content().isEqualTo("first\tä\nthird\n");
  }

  private static void append(Path file, String row) throws IOException {
    try (PrintStream out = RowFile.append(file)) {
      out.println(row);
    }
  }
}
