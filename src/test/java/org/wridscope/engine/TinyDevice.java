// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/**
 * Nothing goes wrong, but there is little of everything.
 *
 * @param workRequests that a queue holds
 * @param completions that a completion queue holds
 */
record TinyDevice(int workRequests, int completions) implements FaultPlan {
  @Override
  public Fault decide(
      int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId) {
    return Fault.PROCEED;
  }

  @Override
  public DeviceCapabilities capabilities(DeviceCapabilities most) {
    return new DeviceCapabilities(
        most.maxQueuePairs(),
        workRequests,
        completions,
        most.maxMemoryRegions(),
        most.maxMemoryRegionSize(),
        most.maxMessageSize());
  }
}
