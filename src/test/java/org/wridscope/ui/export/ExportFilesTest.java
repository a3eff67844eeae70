// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExportFilesTest {
  @TempDir Path directory;

  @Test
  void theEndOfTheName_isAddedWhenItIsMissing_andReplacesNothingUnasked() throws IOException {
    Path whole = directory.resolve("a.html");
    assertThat(ExportFiles.withSuffix(whole, ".html")).isEqualTo(whole);
    assertThat(ExportFiles.withSuffix(directory.resolve("a"), ".html")).isEqualTo(whole);
    Files.createFile(whole);
    assertThat(ExportFiles.withSuffix(whole, ".html")).isEqualTo(whole);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ExportFiles.withSuffix(directory.resolve("a"), ".html"))
        .withMessage("%s exists already; choose it by its whole name to replace it.", whole);
  }

  @Test
  void aNameOfAPeer_isNoPath() {
    assertThat(ExportFiles.legal("../lab 1/\0:x")).isEqualTo("..-lab-1-x");
  }
}
