// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.UserFiles;
import picocli.CommandLine.Option;

/** The option that asks for a recording, and what files must not be the same. */
final class RecordOption {
  static final String NAME = "--record";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "Record all events in a trace file, which the window, 'wridscope replay' and 'wridscope"
              + " trace' open")
  private @Nullable Path file;

  boolean isGiven() {
    return file != null;
  }

  /** Null when no recording was asked for. */
  @Nullable Path file() {
    return file;
  }

  /**
   * Refuses to record into a file that is something else.
   *
   * @param what that file is, for the message
   */
  void refuseSame(String what, Path other) {
    if (file != null) {
      UserFiles.refuseSame(NAME, file, what, other);
    }
  }

  /** Refuses to record into the file that gets the report. */
  void refuseSame(ReportOption report) {
    if (file != null) {
      report.refuseSame("the recording", file);
    }
  }
}
