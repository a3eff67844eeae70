// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Collects failures of steps that are all executed: the first one is thrown at the end. */
final class FirstFailure {
  private FirstFailure() {}

  /**
   * Adds a failure.
   *
   * @param first failure of the steps before, null if none failed
   * @return the first of both, with the other one suppressed
   */
  static Throwable of(@Nullable Throwable first, Throwable failure) {
    if (first == null) {
      return failure;
    }
    if (!first.equals(failure)) {
      first.addSuppressed(failure);
    }
    return first;
  }

  /**
   * Throws a failure unchanged, if there is one.
   *
   * @throws IllegalStateException if it is a checked exception other than {@link IOException}
   */
  static void rethrow(@Nullable Throwable failure) throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(failure);
    }
  }
}
