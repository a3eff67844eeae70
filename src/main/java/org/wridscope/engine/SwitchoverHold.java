// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;

/**
 * Holds a source that could switch over until somebody permits it. As long as it is held its guest
 * runs on, and what the guest dirties is sent again, so that little remains when the permission
 * comes. (In QEMU the guest stands still meanwhile, so that its owner can see its last state before
 * the devices and disks change hands; here nothing is touched before the permission.)
 */
final class SwitchoverHold {

  /** Between two rounds; shorter than a wait that is explained as a long one. */
  private static final Duration REST = Duration.ofMillis(500);

  private final SessionTelemetry telemetry;
  private final Cancellation cancellation;
  private volatile boolean permitted;
  private long begin;

  /**
   * @param wanted whether the switch-over has to be permitted
   * @param cancellation its deadline is put off by the time for which the source is held
   */
  SwitchoverHold(boolean wanted, SessionTelemetry telemetry, Cancellation cancellation) {
    permitted = !wanted;
    this.telemetry = telemetry;
    this.cancellation = cancellation;
  }

  /** Permits the switch-over if the source is held for that; from any thread. */
  void permit() {
    if (isHeld()) {
      permitted = true;
    }
  }

  boolean isHeld() {
    return telemetry.status() == MigrationStatus.PRE_SWITCHOVER;
  }

  /** Whether a source that could switch over now may do so; if not, it is held from now on. */
  boolean permits() {
    if (!permitted && !isHeld()) {
      begin = Time.nanos();
      cancellation.suspend(begin);
      telemetry.beginPhase(Phase.Kind.HELD);
      telemetry.setStatus(MigrationStatus.PRE_SWITCHOVER);
    }
    boolean now = permitted;
    if (now) {
      end();
    }
    return now;
  }

  /** It is not held any more; its deadline counts again. */
  private void end() {
    if (isHeld()) {
      long now = Time.nanos();
      telemetry.metrics().set(Metric.HELD_TIME, now - begin);
      cancellation.resume(now);
      telemetry.setStatus(MigrationStatus.ACTIVE);
    }
  }

  /**
   * Waits between two rounds while the source is held, and does nothing otherwise.
   *
   * @param urgent whether the next round must not wait
   */
  void rest(CompletionPoller poller, BooleanSupplier urgent)
      throws IOException, InterruptedException {
    if (!isHeld()) {
      return;
    }
    long end = Time.nanos() + REST.toNanos();
    try {
      poller.await(
          () -> permitted || urgent.getAsBoolean() || Time.nanos() - end >= 0,
          new Wait(Wait.Kind.PERMISSION),
          Limits.OWN);
    } finally {
      telemetry.metrics().set(Metric.HELD_TIME, Time.nanos() - begin);
    }
    if (permitted) {
      end();
    }
  }
}
