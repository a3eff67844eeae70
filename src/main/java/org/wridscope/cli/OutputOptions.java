// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Parse;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.recording.Recorder;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options about files that a migration writes. No two of them are the same file. */
final class OutputOptions {
  static final String FORCE = "--force";
  static final String MODE = "--mode";

  @Mixin private final ReportOption report = new ReportOption();

  @Mixin private final RecordOption record = new RecordOption();

  @Mixin private final ExportOption export = new ExportOption();

  @Option(
      names = FORCE,
      description =
          "Replace files that exist already, if they are of the same kind: a captured guest by a"
              + " captured guest, RAM by RAM, a recording by a recording. Reports and exports"
              + " replace older ones without it")
  private boolean force;

  @Option(
      names = MODE,
      paramLabel = "MODE",
      description =
          "Who may read and write the guests' files and recordings made here, in octal, such as"
              + " 0640. Default: 0600, nobody else")
  private @Nullable String mode;

  /**
   * A file that is to get what is inside a guest.
   *
   * @throws IOException when it cannot be written as it was named, or a file is in the way
   * @throws IllegalArgumentException with one sentence for the user
   */
  Output output(String option, Path path, FileKind kind) throws IOException {
    Output output = Output.of(option, path, kind);
    if (force) {
      output = output.replacing();
    }
    if (mode != null) {
      output = output.withMode(Parse.fileMode(MODE, mode));
    }
    Target.of(output);
    return output;
  }

  /**
   * Refuses to write into a file that is something else.
   *
   * @param what that file is, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  void refuseSame(String what, Path other) {
    report.refuseSame(what, other);
    record.refuseSame(what, other);
    export.refuseSame(what, other);
  }

  /** Refuses to write two things into one file. */
  void refuseSame() {
    record.refuseSame(report);
    export.refuseSame(report, record);
  }

  /** Makes the file of the report; null when none was asked for. */
  @Nullable ReportFile report() throws OutputException {
    return report.create();
  }

  /** Makes the files of the exports. */
  Exports exports() throws IOException {
    return export.create();
  }

  boolean isRecordGiven() {
    return record.isGiven();
  }

  /** Begins the recording; null when none was asked for. */
  @Nullable Recorder recorder() throws IOException {
    Path file = record.file();
    return file == null
        ? null
        : Recorder.begin(output(RecordOption.NAME, file, FileKind.RECORDING));
  }
}
