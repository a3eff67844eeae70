// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.FileMode;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.recording.Recorder;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for files that a migration writes; all of them must be different files. */
final class OutputOptions {
  static final String MODE = "--mode";

  @Mixin private final ReportOption report = new ReportOption();

  @Mixin private final RecordOption record = new RecordOption();

  @Mixin private final ExportOption export = new ExportOption();

  @Mixin private final MetricsOptions metrics = new MetricsOptions();

  @Mixin private final ForceOption force = new ForceOption();

  @Option(
      names = MODE,
      paramLabel = "MODE",
      description =
          "Permissions of new guest files and recordings, in octal, such as 0640. Default: 0600,"
              + " only you")
  private @Nullable String mode;

  /**
   * A file for the content of a guest.
   *
   * @throws IOException if it cannot be written, or exists and must not be replaced
   * @throws IllegalArgumentException with one sentence for the user
   */
  Output output(String option, Path path, FileKind kind) throws IOException {
    Output output = force.of(Output.of(option, path, kind));
    if (mode != null) {
      output = output.withMode(FileMode.parse(MODE, mode));
    }
    Target.of(output);
    return output;
  }

  /**
   * Refuses to write a report, recording, export or metrics to the same file as something else.
   *
   * @param what the other file is, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  void refuseSame(String what, Path other) {
    report.refuseSame(what, other);
    record.refuseSame(what, other);
    export.refuseSame(what, other);
    metrics.refuseSame(what, other);
  }

  /**
   * Refuses to write a report, recording, export or metrics to the same file as another of them.
   */
  void refuseSame() {
    record.refuseSame(report);
    export.refuseSame(report, record);
    metrics.refuseSame(report, record, export);
  }

  /** Creates the file of the report; null if none was requested. */
  @Nullable ReportFile report() throws OutputException {
    return report.create();
  }

  /** Creates the files of the exports. */
  Exports exports() throws IOException {
    return export.create();
  }

  /** Begins to serve metrics, and creates their file, as requested. */
  MetricsOutput metrics(Terminal terminal) throws InputException, IOException {
    return metrics.open(terminal);
  }

  boolean isRecordGiven() {
    return record.isGiven();
  }

  /** Begins the recording; null if none was requested. */
  @Nullable Recorder recorder() throws IOException {
    Path file = record.file();
    return file == null
        ? null
        : Recorder.begin(output(RecordOption.NAME, file, FileKind.RECORDING));
  }
}
