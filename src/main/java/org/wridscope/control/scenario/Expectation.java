// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.Set;
import org.wridscope.telemetry.MigrationStatus;

/**
 * The expected end of a scenario's source.
 *
 * @param statuses the allowed statuses
 * @param says text that the outcome must contain, may be empty; if both success and failure are
 *     allowed, it applies to failures only
 * @param virtio text that the result of the check of the guest's virtio requests must contain;
 *     empty if the check must find nothing
 * @param driver text that must be contained in what a driver of the guest then meets; empty if a
 *     driver need not meet anything, and must not if the check finds nothing
 * @param sentAgain text that the result of the check of requests that were sent again must contain;
 *     empty if the check must find nothing
 * @param queuePair number of the source's queue pair, 0 if any will do
 * @param hang whether the migration may instead fail because a wait dropped a completion
 */
public record Expectation(
    Set<MigrationStatus> statuses,
    String says,
    String virtio,
    String driver,
    String sentAgain,
    int queuePair,
    Hang hang) {

  /** Whether a migration may fail because a wait dropped a completion. */
  public enum Hang {
    /** Only with a shared completion queue, where the order of events is another than in turn. */
    BY_ORDER,
    /** It may. */
    ALLOWED,
    /** It must not, in any order. */
    FORBIDDEN
  }

  /** That it completes, and that nothing is found. */
  static final Expectation COMPLETED =
      new Expectation(Set.of(MigrationStatus.COMPLETED), "", "", "", "", 0, Hang.BY_ORDER);

  public Expectation {
    statuses = Set.copyOf(statuses);
  }

  /** Any end; what is expected to be found may be found. */
  Expectation orAnyEnd() {
    return new Expectation(MigrationStatus.ends(), "", virtio, driver, sentAgain, 0, Hang.BY_ORDER);
  }

  /** Whether it may end in any way: then what is to be found may also be missing or be another. */
  boolean isAnyEnd() {
    return statuses.equals(MigrationStatus.ends());
  }

  /** Whether nothing but a success is allowed. */
  public boolean isCompletionOnly() {
    return statuses.equals(Set.of(MigrationStatus.COMPLETED));
  }

  /** The same, or a hang unless that is forbidden. */
  Expectation orHang() {
    return hang == Hang.FORBIDDEN ? this : with(Hang.ALLOWED);
  }

  /** The same, but for a hang. */
  Expectation with(Hang other) {
    return new Expectation(statuses, says, virtio, driver, sentAgain, queuePair, other);
  }
}
