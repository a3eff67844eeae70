// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.wridscope.control.SessionPair;
import org.wridscope.export.Export;
import org.wridscope.export.ExportCancelledException;
import org.wridscope.export.Progress;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.WholeFile;
import org.wridscope.text.Format;

/** The exports of a migration. Their files are created before it begins. */
final class Exports implements AutoCloseable {
  private final List<Wanted> wanted = new ArrayList<>();

  private record Wanted(Export export, WholeFile file) {}

  /**
   * Creates the file of an export.
   *
   * @param option name of the option, for the message
   * @throws OutputException if it cannot be written
   */
  void add(String option, Path file, Export export) throws OutputException {
    wanted.add(
        new Wanted(export, WholeFile.create(Output.of(option, file, export.format().kind()))));
  }

  /**
   * Writes all exports, even if some of them fail, and prints where they are.
   *
   * @param goOn asked repeatedly; false cancels
   * @return the failures, each with a sentence for the user
   * @throws ExportCancelledException if {@code goOn} returned false
   */
  List<IOException> write(SessionPair ends, Terminal terminal, BooleanSupplier goOn)
      throws ExportCancelledException {
    var failures = new ArrayList<IOException>();
    for (Wanted each : wanted) {
      try {
        write(each, ends, terminal, goOn);
      } catch (ExportCancelledException e) {
        throw e;
      } catch (IOException e) {
        failures.add(e);
      }
    }
    return failures;
  }

  private static void write(Wanted each, SessionPair ends, Terminal terminal, BooleanSupplier goOn)
      throws IOException {
    Path file = each.file.file();
    Progress progress =
        share -> {
          if (terminal.redraws()) {
            terminal.redraw(List.of("writing %s: %s".formatted(file, Format.percent(share))));
          }
          return goOn.getAsBoolean();
        };
    each.export.write(ends, each.file, progress);
    Path written = each.file.file();
    terminal.message(
        "exported the %s to %s (%s)"
            .formatted(each.export.text(), written, Format.bytes(Files.size(written))));
    String displaced = each.file.displaced();
    if (displaced != null) {
      terminal.message(displaced);
    }
  }

  /** Removes unfinished files. */
  @Override
  public void close() {
    for (Wanted each : wanted) {
      each.file.close();
    }
  }
}
