// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending or receiving half of a queue pair, with its work queue and completion queue. */
abstract class QueuePairHalf {
  final SoftQueuePair owner;
  final SoftDevice device;
  final WorkQueue queue;
  private final SoftCompletionQueue completions;

  QueuePairHalf(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    this.owner = owner;
    this.device = owner.device();
    this.queue = queue;
    this.completions = completions;
  }

  /** Completes the request with this ordinal. */
  final void complete(
      long ordinal,
      WorkCompletionStatus status,
      WorkCompletionOpcode opcode,
      int byteLength,
      int vendorError) {
    completions.add(
        owner,
        queue,
        ordinal,
        queue.workRequestId(queue.slot(ordinal)),
        status,
        opcode,
        byteLength,
        vendorError);
  }
}
