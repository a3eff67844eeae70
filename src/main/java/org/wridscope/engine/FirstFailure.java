// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** For steps that are all taken, whatever fails: the first failure is thrown at the end. */
final class FirstFailure {
  private FirstFailure() {}

  /**
   * Adds a failure.
   *
   * @param first of the steps before, null when none failed
   * @return the first of both
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
   * Throws a failure as it is, if there is one.
   *
   * @throws IllegalStateException for a failure that is checked and no {@link IOException}
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
