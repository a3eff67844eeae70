// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.wridscope.time.Time;

/**
 * Harm to a request of a virtio device that was predicted, and that the driver, whose guest goes on
 * running after the migration, has still to meet.
 */
public final class PredictedHarm {
  /** A driver with the usual load meets it in less than a second. */
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration FRAME = Duration.ofMillis(20);

  private PredictedHarm() {}

  /** Whether a driver at this end will meet harm, but has not yet. */
  public static boolean isPending(Session session) {
    return session.guestRunning()
        && session
            .virtio()
            .filter(virtio -> virtio.predicted().isPresent() && virtio.observed().isEmpty())
            .isPresent();
  }

  /**
   * Waits until the drivers at these ends have met what was predicted, for {@link #PATIENCE} at
   * most. Returns at once if nothing was predicted.
   *
   * @param goOn called repeatedly during the wait; returns whether to continue
   */
  public static void await(List<Session> ends, BooleanSupplier goOn) throws InterruptedException {
    long begin = Time.nanos();
    while (ends.stream().anyMatch(PredictedHarm::isPending)
        && Time.nanos() - begin < PATIENCE.toNanos()
        && goOn.getAsBoolean()) {
      Time.sleep(FRAME);
    }
  }
}
