// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.concurrent.TimeUnit;
import org.wridscope.time.Time;

/** Paces a loop to fifty rounds a second. For one thread. */
public final class Ticker {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private long next = Time.nanos();

  /** Waits for the next round, or until the thread is unparked. A late round is not made up for. */
  public void await() {
    next += INTERVAL_NANOS;
    long rest = next - Time.nanos();
    if (rest > 0) {
      Time.park(this, rest);
    } else {
      next = Time.nanos();
    }
  }
}
