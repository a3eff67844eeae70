// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.OutputException;
import org.wridscope.files.UserFiles;
import picocli.CommandLine.Option;

/** The option that requests a report. */
final class ReportOption {
  private static final String NAME = "--report";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description = "Write a report as JSON, with the member names of QEMU's query-migrate")
  private @Nullable Path report;

  /**
   * Creates the file; null if no report was requested.
   *
   * @throws OutputException if it cannot be written
   */
  @Nullable ReportFile create() throws OutputException {
    return report == null ? null : ReportFile.create(FileKind.REPORT, NAME, report);
  }

  /**
   * Refuses to write the report to the same file as something else.
   *
   * @param what the other file is, for the message
   */
  void refuseSame(String what, Path other) {
    if (report != null) {
      UserFiles.refuseSame(NAME, report, what, other);
    }
  }
}
