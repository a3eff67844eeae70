// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import org.wridscope.verbs.DeviceCapabilities;

/**
 * What the device of one end has less of than it might; 0 means that it has as much as it might.
 *
 * @param workRequests {@code max_qp_wr}, how many requests a send or receive queue holds
 * @param completions {@code max_cqe}, how many entries a completion queue has
 * @param memoryRegions {@code max_mr}, how many memory regions there can be
 */
public record DeviceLimits(int workRequests, int completions, int memoryRegions) {

  /** As much as the device might have. */
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
