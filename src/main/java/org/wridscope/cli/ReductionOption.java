// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.Target;
import org.wridscope.files.WholeFile;
import picocli.CommandLine.Option;

/** The option that requests the scenario to which a broken invariant was reduced. */
final class ReductionOption {
  static final String NAME = "--reduce-to";

  @Option(
      names = NAME,
      paramLabel = "FILE",
      description =
          "Write the first run that breaks an invariant, reduced to"
              + " the fewest faults and choices, as a scenario, which 'wridscope lab FILE' runs")
  private @Nullable Path file;

  /**
   * Creates the file; null if none was requested.
   *
   * @param verdict which must be another file
   */
  @Nullable WholeFile create(ForceOption force, VerdictOption verdict)
      throws InputException, IOException {
    Path named = file;
    if (named == null) {
      return null;
    }
    return InputException.checked(() -> {
      verdict.refuseSame("the reduced scenario", named);
      Output output = force.of(Output.of(NAME, named, FileKind.SCENARIO));
      Target.of(output);
      return WholeFile.create(output);
    });
  }
}
