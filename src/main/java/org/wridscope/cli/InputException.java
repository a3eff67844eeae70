// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.files.TakenException;

/** What the user gave cannot be worked with; the message is one sentence that says what to do. */
final class InputException extends Exception {
  InputException(String message) {
    super(message);
  }

  /** Of what was found out elsewhere; its message is a sentence for the user. */
  static InputException of(Exception cause) {
    return new InputException(
        cause instanceof TakenException taken
            ? "%s: %s exists already; choose another name, or replace it with %s."
                .formatted(taken.output().field(), taken.file(), OutputOptions.FORCE)
            : String.valueOf(cause.getMessage()));
  }
}
