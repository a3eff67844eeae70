// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.wridscope.control.UserFiles;
import org.wridscope.control.WholeFile;

/** The file that gets the report. */
final class ReportFile implements AutoCloseable {
  private final WholeFile file;

  private ReportFile(WholeFile file) {
    this.file = file;
  }

  /**
   * Makes the file.
   *
   * @param option what the user calls it, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  static ReportFile create(String option, Path path) {
    return new ReportFile(WholeFile.create(option, path));
  }

  /** Writes all of it and gives it its name, in the place of what had it before. */
  void write(String text) throws IOException {
    try {
      file.write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new IOException(
          "The report could not be written to %s (%s); the migration itself is not affected."
              .formatted(file.file(), UserFiles.reason(e)),
          e);
    }
  }

  /** Removes what was not finished. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
