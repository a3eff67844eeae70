// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.function.UnaryOperator;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;

/**
 * Nothing goes wrong, but there is little of something.
 *
 * @param limits makes what the device has of what it might have
 */
public record TinyDevice(UnaryOperator<DeviceCapabilities> limits) implements FaultPlan {

  /** A device with at most this many work requests per queue and entries per completion queue. */
  public static TinyDevice queues(int workRequests, int completions) {
    return new TinyDevice(most ->
        new DeviceCapabilities(
            most.maxQueuePairs(),
            workRequests,
            completions,
            most.maxMemoryRegions(),
            most.maxMemoryRegionSize(),
            most.maxMessageSize()));
  }

  /** A device with at most this many memory regions. */
  static TinyDevice regions(int memoryRegions) {
    return new TinyDevice(most ->
        new DeviceCapabilities(
            most.maxQueuePairs(),
            most.maxQueuePairWorkRequests(),
            most.maxCompletionQueueEntries(),
            memoryRegions,
            most.maxMemoryRegionSize(),
            most.maxMessageSize()));
  }

  @Override
  public Fault decide(
      int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId) {
    return Fault.PROCEED;
  }

  @Override
  public DeviceCapabilities capabilities(DeviceCapabilities most) {
    return limits.apply(most);
  }
}
