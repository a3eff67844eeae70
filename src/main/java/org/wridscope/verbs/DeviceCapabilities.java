// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/**
 * Limits of a device; see {@code ibv_query_device(3)}.
 *
 * @param maxQueuePairs queue pairs at the same time
 * @param maxQueuePairWorkRequests work requests in one send or receive queue
 * @param maxCompletionQueueEntries entries in one completion queue
 * @param maxMemoryRegions memory regions at the same time
 * @param maxMemoryRegionSize length of one memory region in bytes
 * @param maxMessageSize length of one message (SEND or RDMA WRITE) in bytes
 */
public record DeviceCapabilities(
    int maxQueuePairs,
    int maxQueuePairWorkRequests,
    int maxCompletionQueueEntries,
    int maxMemoryRegions,
    long maxMemoryRegionSize,
    long maxMessageSize) {}
