// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/**
 * Depths of a queue pair's queues; see {@code struct ibv_qp_cap}.
 *
 * @param maxSendRequests requests outstanding on the send queue, at least 1
 * @param maxReceiveRequests requests outstanding on the receive queue, at least 1
 */
public record QueuePairCapacity(int maxSendRequests, int maxReceiveRequests) {}
