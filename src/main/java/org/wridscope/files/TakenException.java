// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.nio.file.Path;

/** A file of the same kind exists, which is replaced only if the user agrees. */
public final class TakenException extends OutputException {
  private final transient Output output;
  private final transient Path file;

  TakenException(Output output, Path file) {
    super("%s: %s exists already; choose another name.".formatted(output.field(), file));
    this.output = output;
    this.file = file;
  }

  /** The requested output. */
  public Output output() {
    return output;
  }

  /** The existing file, without symbolic links. */
  public Path file() {
    return file;
  }
}
