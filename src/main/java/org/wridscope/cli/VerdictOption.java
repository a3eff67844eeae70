// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.UserFiles;
import picocli.CommandLine.Option;

/** The option that requests the verdict on a scenario. */
final class VerdictOption {
  static final String NAME = "--verdict";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "Write as JSON whether each run ended as expected, and what was wrong"
              + " (docs/scenarios.md)")
  private @Nullable Path file;

  /** Creates the file; null if no verdict was requested. */
  @Nullable ReportFile create() throws InputException, IOException {
    Path named = file;
    return named == null
        ? null
        : InputException.checked(() -> ReportFile.create(FileKind.VERDICT, NAME, named));
  }

  /** Refuses to write the verdict to the same file as what a scenario writes besides. */
  void refuseSame(OutputOptions outputs) throws InputException, IOException {
    Path named = file;
    if (named != null) {
      InputException.checked(() -> {
        outputs.refuseSame("the verdict", named);
        return named;
      });
    }
  }

  /**
   * Refuses to write the verdict to the same file as something else.
   *
   * @param what the other file is, for the message
   */
  void refuseSame(String what, Path other) {
    if (file != null) {
      UserFiles.refuseSame(NAME, file, what, other);
    }
  }

  boolean isGiven() {
    return file != null;
  }
}
