// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.wridscope.memory.NativeMemory;

/**
 * Fails a test class that leaves memory mapped, and waits until what it has begun to close is
 * closed: the next class in the same process compares what is mapped before and after its tests.
 */
public final class NothingMapped implements AfterAllCallback {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** What a class has left that has failed for it. */
  private static long left;

  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    if (context.getRequiredTestClass().getEnclosingClass() == null) {
      var limit = new TimeLimit(LIMIT);
      boolean lasts = true;
      while (lasts && NativeMemory.mappedBytes() > left) {
        lasts = limit.lasts();
      }
      long before = left;
      left = NativeMemory.mappedBytes();
      assertThat(left)
          .as("bytes that are mapped after %s", context.getDisplayName())
          .isLessThanOrEqualTo(before);
    }
  }
}
