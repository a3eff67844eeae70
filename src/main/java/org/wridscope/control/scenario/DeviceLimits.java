// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import org.wridscope.verbs.DeviceCapabilities;

/**
 * Reduced limits of a device; 0 leaves a limit as it is.
 *
 * @param workRequests {@code max_qp_wr}, number of requests that a send or receive queue holds
 * @param completions {@code max_cqe}, number of entries that a completion queue holds
 * @param memoryRegions {@code max_mr}, number of memory regions
 */
public record DeviceLimits(int workRequests, int completions, int memoryRegions) {

  /** No reduced limits. */
  public static final DeviceLimits NONE = new DeviceLimits(0, 0, 0);

  DeviceCapabilities of(DeviceCapabilities most) {
    return equals(NONE)
        ? most
        : new DeviceCapabilities(
            most.maxQueuePairs(),
            least(workRequests, most.maxQueuePairWorkRequests()),
            least(completions, most.maxCompletionQueueEntries()),
            least(memoryRegions, most.maxMemoryRegions()),
            most.maxMemoryRegionSize(),
            most.maxMessageSize());
  }

  private static int least(int limit, int most) {
    return limit == 0 ? most : Math.min(limit, most);
  }
}
