// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;

/** There is a file of the same kind already, which is replaced only when the user agrees. */
public final class TakenException extends OutputException {
  private final transient Output output;
  private final transient Path file;

  TakenException(Output output, Path file) {
    super("%s: %s exists already; choose another name.".formatted(output.field(), file));
    this.output = output;
    this.file = file;
  }

  /** What was to be written. */
  public Output output() {
    return output;
  }

  /** The file that is in the way, without links. */
  public Path file() {
    return file;
  }
}
