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
 * @param virtio text that the result of the guest's check of its virtio requests must contain;
 *     empty if the check must find nothing
 */
public record Expectation(Set<MigrationStatus> statuses, String says, String virtio) {
  public Expectation {
    statuses = Set.copyOf(statuses);
  }
}
