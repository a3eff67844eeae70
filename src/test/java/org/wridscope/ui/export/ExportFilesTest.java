// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.WholeFile;

final class ExportFilesTest {
  @TempDir Path directory;

  private static void write(Output output) throws IOException {
    try (WholeFile file = WholeFile.create(output)) {
      file.write(out -> out.write("end,number,time_s,utc,kind,wrid".getBytes(US_ASCII)));
    }
  }

  @Test
  void theEndOfTheName_isAddedWhenItIsMissing_andReplacesNothingUnasked() throws IOException {
    Path whole = directory.resolve("a.csv");
    Output completed = ExportFiles.output(directory.resolve("a"), ".csv", FileKind.CSV);
    assertThat(completed.path()).isEqualTo(whole);
    write(completed);
    assertThat(whole).isNotEmptyFile();
    assertThatThrownBy(() -> write(completed))
        .isInstanceOf(OutputException.class)
        .hasMessageContaining("a.csv exists already; choose another name.");
    // The file chooser has asked whether to replace this file.
    write(ExportFiles.output(whole, ".csv", FileKind.CSV));
  }

  @Test
  void aNameOfAPeer_isNoPath() {
    assertThat(ExportFiles.legal("../lab 1/\0:x")).isEqualTo("..-lab-1-x");
  }
}
