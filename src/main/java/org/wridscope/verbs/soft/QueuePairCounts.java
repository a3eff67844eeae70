// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.Map;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * What a queue pair of a software device has counted until it was destroyed. A program that keeps
 * an account of its requests must have the same.
 *
 * @param device the name of the device
 * @param number of the queue pair
 * @param sends SENDs that were posted
 * @param writes RDMA WRITEs that were posted
 * @param signaledWrites those of them that are signaled
 * @param receives receives that were posted
 * @param bytes of SENDs and RDMA WRITEs that have succeeded, as far as polled completions show
 * @param sendCompletions polled completions of the send queue, by status; without those of none
 * @param receiveCompletions the same of the receive queue
 */
public record QueuePairCounts(
    String device,
    int number,
    long sends,
    long writes,
    long signaledWrites,
    long receives,
    long bytes,
    Map<WorkCompletionStatus, Long> sendCompletions,
    Map<WorkCompletionStatus, Long> receiveCompletions) {

  public QueuePairCounts {
    sendCompletions = Map.copyOf(sendCompletions);
    receiveCompletions = Map.copyOf(receiveCompletions);
  }
}
