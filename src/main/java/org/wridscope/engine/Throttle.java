// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** Spreads RDMA WRITEs over time, so that a second carries no more than the bandwidth limit. */
final class Throttle {
  /** What may be made up for after a wait that lasted too long. */
  private static final double BURST_SECONDS = 0.01;

  private final MigrationParameters parameters;
  private double debt;
  private long settled = System.nanoTime();

  Throttle(MigrationParameters parameters) {
    this.parameters = parameters;
  }

  /** Whether the next write may be posted; follows a changed limit at once. */
  boolean isOpen() {
    long limit = parameters.bandwidthLimit();
    long now = System.nanoTime();
    debt = limit == 0 ? 0 : Math.max(-BURST_SECONDS * limit, debt - (now - settled) * 1e-9 * limit);
    settled = now;
    return debt <= 0;
  }

  /** Notes that a write is posted. */
  void charge(int bytes) {
    debt += bytes;
  }
}
