// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.UserFiles;
import picocli.CommandLine.Option;

/** The option that requests a recording. */
final class RecordOption {
  static final String NAME = "--record";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "Record all events in a file, for the window, 'wridscope replay', 'wridscope trace' and"
              + " 'wridscope export'")
  private @Nullable Path file;

  boolean isGiven() {
    return file != null;
  }

  /** Null if no recording was requested. */
  @Nullable Path file() {
    return file;
  }

  /**
   * Refuses to record to the same file as something else.
   *
   * @param what the other file is, for the message
   */
  void refuseSame(String what, Path other) {
    if (file != null) {
      UserFiles.refuseSame(NAME, file, what, other);
    }
  }

  /** Refuses to record to the file of the report. */
  void refuseSame(ReportOption report) {
    if (file != null) {
      report.refuseSame("the recording", file);
    }
  }
}
