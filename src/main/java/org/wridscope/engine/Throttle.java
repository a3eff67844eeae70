// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.function.LongSupplier;
import org.wridscope.time.Time;

/** Spreads RDMA WRITEs over time, so that a second carries no more than the bandwidth limit. */
final class Throttle {
  /** Time that can be made up for after a wait that took too long. */
  private static final double BURST_SECONDS = 0.01;

  private final MigrationParameters parameters;
  private final LongSupplier nanoClock;
  private double debt;
  private long settled;

  Throttle(MigrationParameters parameters) {
    this(parameters, Time::nanos);
  }

  Throttle(MigrationParameters parameters, LongSupplier nanoClock) {
    this.parameters = parameters;
    this.nanoClock = nanoClock;
    settled = nanoClock.getAsLong();
  }

  /** Whether the next RDMA WRITE may be posted; a changed limit applies immediately. */
  boolean isOpen() {
    long limit = parameters.bandwidthLimit();
    long now = nanoClock.getAsLong();
    debt = limit == 0 ? 0 : Math.max(-BURST_SECONDS * limit, debt - (now - settled) * 1e-9 * limit);
    settled = now;
    return debt <= 0;
  }

  /** Notes that an RDMA WRITE is posted. */
  void charge(int bytes) {
    debt += bytes;
  }
}
