// SPDX-License-Identifier: Apache-2.0
package org.wridscope.figures;

import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * One end of a migration at the moment that it shows, as far as figures are read from it.
 *
 * @param by how it is observed
 * @param metrics what was counted and measured
 * @param totalNanos how long the migration has taken so far, or took; 0 if that is not known
 */
public record Reading(
    Role role, MigrationStatus status, Observation by, Metrics metrics, long totalNanos) {
  /**
   * The share of RAM that has arrived, 0 to 1; it decreases when the guest writes again. Empty if
   * this end does not know it, as a destination, which never sees RDMA WRITEs.
   */
  public OptionalDouble arrived() {
    if (status == MigrationStatus.COMPLETED) {
      return OptionalDouble.of(1);
    }
    OptionalLong left = Figure.RAM_REMAINING.in(this);
    if (left.isEmpty()) {
      return OptionalDouble.empty();
    }
    double total = get(Metric.RAM_TOTAL);
    double share = 1 - left.getAsLong() / total;
    // In the first round each page is processed once, so what is processed has arrived, also where
    // a QEMU still counts it as left.
    boolean first = get(Metric.DIRTY_SYNC_COUNT) <= 1;
    return OptionalDouble.of(
        Math.clamp(first ? Math.max(share, get(Metric.RAM_PROCESSED) / total) : share, 0.0, 1.0));
  }

  /** The same values when the session has counted on. */
  public Reading still() {
    return new Reading(role, status, by, metrics.copy(), totalNanos);
  }

  long get(Metric metric) {
    return metrics.get(metric);
  }

  /** Time after the set-up, in nanoseconds; at most 0 before. */
  long activeNanos() {
    return totalNanos - get(Metric.SETUP_TIME);
  }
}
