// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.Set;
import org.wridscope.telemetry.MigrationStatus;

/**
 * How the source of a scenario is to end.
 *
 * @param statuses any of these
 * @param says a part of its outcome, which may be empty; when it may complete or not, of one that
 *     did not
 * @param virtio what the guest's check of its virtio requests finds after it moved, a part of the
 *     sentence; empty when it must find nothing
 */
public record Expectation(Set<MigrationStatus> statuses, String says, String virtio) {
  public Expectation {
    statuses = Set.copyOf(statuses);
  }
}
