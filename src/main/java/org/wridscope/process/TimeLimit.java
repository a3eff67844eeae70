// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends a process that takes too long. What is read of it meanwhile ends, or fails with an {@link
 * java.io.IOException}.
 */
public final class TimeLimit {
  private volatile boolean passed;

  /** Begins to count now. */
  public TimeLimit(Process process, Duration limit) {
    process
        .onExit()
        .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(_ -> {
          passed = true;
          process.destroyForcibly();
          return process;
        });
  }

  /** Whether the process was ended. */
  public boolean hasPassed() {
    return passed;
  }
}
