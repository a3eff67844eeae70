// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.wridscope.export.Export;
import org.wridscope.export.ExportFormat;
import org.wridscope.files.OutputException;
import org.wridscope.files.UserFiles;
import picocli.CommandLine.Option;

/** The option that requests exports at the end. */
final class ExportOption {
  private static final String NAME = "--export";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "At the end, export the migration: as an HTML report (.html), a JSON document (.json), a"
              + " trace for Perfetto (.perfetto.json), or all events as CSV (.csv). May be given"
              + " more than once. 'wridscope export' writes the same, and other tables, from a"
              + " recording")
  private List<Path> files = new ArrayList<>();

  /**
   * Creates the files.
   *
   * @throws IllegalArgumentException if a name has an unknown extension, with one sentence for the
   *     user
   * @throws OutputException if a file cannot be written
   */
  Exports create() throws IOException {
    var formats = files.stream().map(file -> ExportFormat.of(NAME, file)).toList();
    var exports = new Exports();
    try {
      for (int i = 0; i < files.size(); i++) {
        exports.add(NAME, files.get(i), Export.of(formats.get(i), Set.of()));
      }
      return exports;
    } catch (OutputException e) {
      exports.close();
      throw e;
    }
  }

  /**
   * Refuses to export to the same file as something else.
   *
   * @param what the other file is, for the message
   */
  void refuseSame(String what, Path other) {
    for (Path file : files) {
      UserFiles.refuseSame(NAME, file, what, other);
    }
  }

  /** Refuses to export to the file of the report or the recording, or twice to the same file. */
  void refuseSame(ReportOption report, RecordOption record) {
    for (int i = 0; i < files.size(); i++) {
      report.refuseSame("an export", files.get(i));
      record.refuseSame("an export", files.get(i));
      for (Path other : files.subList(0, i)) {
        UserFiles.refuseSame(NAME, files.get(i), "another export", other);
      }
    }
  }
}
