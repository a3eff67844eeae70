// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.wridscope.memory.NativeMemory;

/**
 * Fails a test class that leaves memory mapped, and waits until what it has begun to close is
 * closed: the next class in the same process compares what is mapped before and after its tests.
 */
public final class NothingMapped implements AfterAllCallback {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getRequiredTestClass().getEnclosingClass() == null) {
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (NativeMemory.mappedBytes() != 0 && System.nanoTime() - deadline < 0) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(NativeMemory.mappedBytes())
          .as("bytes that are mapped after %s", context.getDisplayName())
          .isZero();
    }
  }
}
