// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.files.Output;
import picocli.CommandLine.Option;

/** The option that lets a command replace existing files. */
final class ForceOption {
  static final String NAME = "--force";

  @Option(
      names = NAME,
      description =
          "Replace existing files if they are of the same kind: a captured guest by a captured"
              + " guest, RAM by RAM, a recording by a recording. Older reports and exports are"
              + " replaced even without this option")
  private boolean force;

  /** A file that may be replaced, if the user said so. */
  Output of(Output output) {
    return force ? output.replacing() : output;
  }
}
