// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.UserFiles;
import picocli.CommandLine.Option;

/** The option that asks for a report, and what files must not be the same. */
final class ReportOption {
  private static final String NAME = "--report";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description = "Write a report as JSON, with the member names of QEMU's query-migrate")
  private @Nullable Path report;

  /**
   * Makes the file; null when none was asked for.
   *
   * @throws IllegalArgumentException when it cannot be made, with one sentence for the user
   */
  @Nullable ReportFile create() {
    return report == null ? null : ReportFile.create(NAME, report);
  }

  /**
   * Refuses to write the report into a file that is something else.
   *
   * @param what that file is, for the message
   */
  void refuseSame(String what, Path other) throws InputException {
    if (report != null) {
      refuseSame(NAME, report, what, other);
    }
  }

  /** Refuses one file as two things, of which this option writes one. */
  static void refuseSame(String option, Path path, String what, Path other) throws InputException {
    try {
      if (path.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize())
          || (Files.exists(path) && Files.exists(other) && Files.isSameFile(path, other))) {
        throw new InputException(
            "%s: %s is %s itself; name another file.".formatted(option, path, what));
      }
    } catch (IOException e) {
      throw UserFiles.unwritable(option, path, e);
    }
  }
}
