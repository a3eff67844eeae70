// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.wridscope.control.WholeFile;
import org.wridscope.export.Ends;
import org.wridscope.export.Export;
import org.wridscope.export.ExportCancelledException;
import org.wridscope.export.Progress;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.telemetry.Format;

/** Files that are to be written about a migration. They are made at the beginning. */
final class Exports implements AutoCloseable {
  private final List<Wanted> wanted = new ArrayList<>();

  private record Wanted(Export export, WholeFile file) {}

  /**
   * Makes one more file.
   *
   * @param option what the user calls it, for the message
   * @throws OutputException when it cannot be written as it was named
   */
  void add(String option, Path file, Export export) throws OutputException {
    wanted.add(
        new Wanted(export, WholeFile.create(Output.of(option, file, export.format().kind()))));
  }

  /**
   * Writes all of them, also when one of them cannot be written, and says where they are.
   *
   * @param goOn whether to, asked again and again
   * @return what could not be written, with a sentence for the user each
   * @throws ExportCancelledException when {@code goOn} said so
   */
  List<IOException> write(Ends ends, Terminal terminal, BooleanSupplier goOn)
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

  private static void write(Wanted each, Ends ends, Terminal terminal, BooleanSupplier goOn)
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

  /** Removes what was not finished. */
  @Override
  public void close() {
    for (Wanted each : wanted) {
      each.file.close();
    }
  }
}
