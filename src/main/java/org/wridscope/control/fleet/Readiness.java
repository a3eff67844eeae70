// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.util.List;
import org.wridscope.control.doctor.Level;

/**
 * Whether two hosts can migrate domains over RDMA.
 *
 * @param checks of both, in the order in which problems should be fixed
 * @param rdmaUri where the destination can be reached over RDMA, {@code rdma://ADDRESS}; empty if
 *     that is not known
 */
public record Readiness(List<FleetCheck> checks, String rdmaUri) {
  public Readiness {
    checks = List.copyOf(checks);
  }

  /** Whether nothing is known that prevents it, and both have a device. */
  public boolean rdma() {
    return !rdmaUri.isEmpty()
        && checks.stream().noneMatch(check -> check.result().level().compareTo(Level.WARNING) >= 0);
  }
}
