// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Closes resources in the reverse order of their creation, all of them, whatever fails. */
final class Closer implements AutoCloseable {
  private final ArrayDeque<AutoCloseable> opened = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T resource) {
    opened.push(resource);
    return resource;
  }

  /** Closes everything, then throws the first failure. Does nothing the second time. */
  @Override
  public void close() throws MigrationException {
    Throwable failure = null;
    while (!opened.isEmpty()) {
      failure = close(opened.pop(), failure);
    }
    if (failure != null) {
      throw new MigrationException("Cleaning up failed: " + failure.getMessage(), failure);
    }
  }

  private static @Nullable Throwable close(AutoCloseable resource, @Nullable Throwable failure) {
    try {
      resource.close();
      return failure;
    } catch (Exception | Error e) {
      return FirstFailure.of(failure, e);
    }
  }
}
