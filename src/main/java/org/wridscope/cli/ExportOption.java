// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.wridscope.control.UserFiles;
import org.wridscope.export.Export;
import org.wridscope.export.ExportFormat;
import org.wridscope.files.OutputException;
import picocli.CommandLine.Option;

/** The option that asks for exports at the end, and what files must not be the same. */
final class ExportOption {
  private static final String NAME = "--export";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "At the end, write what happened to a file: an HTML report (.html), a JSON document"
              + " (.json) or all events as CSV (.csv). May be given more than once; 'wridscope"
              + " export' writes the same, and other tables, from a recording")
  private List<Path> files = new ArrayList<>();

  /**
   * Makes the files.
   *
   * @throws IllegalArgumentException when a name does not say what to write, with one sentence for
   *     the user
   * @throws OutputException when one cannot be written as it was named
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
   * Refuses to export into a file that is something else.
   *
   * @param what that file is, for the message
   */
  void refuseSame(String what, Path other) {
    for (Path file : files) {
      UserFiles.refuseSame(NAME, file, what, other);
    }
  }

  /** Refuses to export into the file that gets the report or the recording, or twice into one. */
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
