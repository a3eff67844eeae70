// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.UserFiles;
import org.wridscope.files.OutputException;
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
   * @throws OutputException when it cannot be written as it was named
   */
  @Nullable ReportFile create() throws OutputException {
    return report == null ? null : ReportFile.create(NAME, report);
  }

  /**
   * Refuses to write the report into a file that is something else.
   *
   * @param what that file is, for the message
   */
  void refuseSame(String what, Path other) {
    if (report != null) {
      UserFiles.refuseSame(NAME, report, what, other);
    }
  }
}
