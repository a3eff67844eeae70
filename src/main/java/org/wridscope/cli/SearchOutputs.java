// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.WholeFile;

/**
 * The files that a search for a broken invariant writes.
 *
 * @param reduced for the scenario to which it was reduced; null if not requested
 * @param verdict null if not requested
 */
record SearchOutputs(@Nullable WholeFile reduced, @Nullable ReportFile verdict)
    implements AutoCloseable {
  static SearchOutputs create(ReductionOption reduction, VerdictOption verdict, ForceOption force)
      throws InputException, IOException {
    WholeFile reduced = reduction.create(force, verdict);
    try {
      return new SearchOutputs(reduced, verdict.create());
    } catch (InputException | IOException | RuntimeException e) {
      if (reduced != null) {
        reduced.close();
      }
      throw e;
    }
  }

  /** Writes the verdict, if it was requested. */
  void write(Object members, Terminal terminal) throws IOException {
    if (verdict != null) {
      verdict.write(ReportJson.GSON.toJson(members) + "\n");
      String displaced = verdict.displaced();
      if (displaced != null) {
        terminal.message(displaced);
      }
    }
  }

  /** Removes what is unfinished. */
  @Override
  public void close() {
    if (reduced != null) {
      reduced.close();
    }
    if (verdict != null) {
      verdict.close();
    }
  }
}
