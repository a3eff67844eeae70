// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.Set;
import org.wridscope.telemetry.MigrationStatus;

/**
 * How the source of a scenario is to end.
 *
 * @param statuses any of these
 * @param says what its outcome contains when it did not complete; may be empty
 */
public record Expectation(Set<MigrationStatus> statuses, String says) {
  public Expectation {
    statuses = Set.copyOf(statuses);
  }
}
