// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.files.WholeFile;

/** The file of a report or a verdict. */
final class ReportFile implements AutoCloseable {
  private final FileKind kind;
  private final WholeFile file;

  private ReportFile(FileKind kind, WholeFile file) {
    this.kind = kind;
    this.file = file;
  }

  /**
   * Creates the file.
   *
   * @param kind a report or a verdict
   * @param option name of the option, for the message
   * @throws OutputException if it cannot be written
   */
  static ReportFile create(FileKind kind, String option, Path path) throws OutputException {
    return new ReportFile(kind, WholeFile.create(Output.of(option, path, kind)));
  }

  /** Writes the text and gives the file its name. */
  void write(String text) throws IOException {
    try {
      file.write(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new IOException(
          "The %s could not be written to %s (%s); the migration itself is not affected."
              .formatted(kind.name().toLowerCase(Locale.ROOT), file.file(), Target.reason(e)),
          e);
    }
  }

  /** One sentence that says why the file got another name; null if it did not. */
  @Nullable String displaced() {
    return file.displaced();
  }

  /** Removes the file if it is unfinished. */
  @Override
  public void close() {
    file.close();
  }
}
