// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import picocli.CommandLine.Mixin;

/** The options for the files that a search for a broken invariant writes. */
final class SearchOptions {
  @Mixin private final VerdictOption verdict = new VerdictOption();

  @Mixin private final ReductionOption reduction = new ReductionOption();

  @Mixin private final ForceOption force = new ForceOption();

  /** Creates the files that were requested. */
  SearchOutputs create() throws InputException, IOException {
    return SearchOutputs.create(reduction, verdict, force);
  }
}
