// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.TakenException;

/** The user's input cannot be used; the message is one sentence that says what to do. */
final class InputException extends Exception {
  InputException(String message) {
    super(message);
  }

  /** An exception whose message is a sentence for the user. */
  static InputException of(Exception cause) {
    return new InputException(
        cause instanceof TakenException taken
            ? "%s: %s exists already; choose another name, or replace it with %s."
                .formatted(taken.output().field(), taken.file(), ForceOption.NAME)
            : String.valueOf(cause.getMessage()));
  }

  /** Reads or checks the user's input. */
  @FunctionalInterface
  interface Check<T extends @Nullable Object> {
    T check() throws InputException, IOException;
  }

  /** Turns {@link IllegalArgumentException}s of a check, whose messages are for the user. */
  static <T extends @Nullable Object> T checked(Check<T> check) throws InputException, IOException {
    try {
      return check.check();
    } catch (IllegalArgumentException e) {
      throw of(e);
    }
  }
}
