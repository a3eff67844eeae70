// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The receiving half of a queue pair (IBTA 9.9.3). */
abstract class Responder {
  final SoftQueuePair owner;
  final SoftDevice device;
  final WorkQueue queue;
  private final SoftCompletionQueue completions;

  Responder(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    this.owner = owner;
    this.device = owner.device();
    this.queue = queue;
    this.completions = completions;
  }

  /** Whether there are receives that {@link #flush} would complete now. */
  abstract boolean canFlush();

  /** In the error state: completes all receives as flushed, in order, unless a message comes in. */
  final void flush() {
    while (canFlush()) {
      complete(WorkCompletionStatus.WR_FLUSH_ERR, 0, VendorError.NONE);
    }
  }

  /**
   * Waits until no message is coming in. The queue pair is in a state that lets none begin.
   *
   * @return false when one still does after so many nanoseconds
   */
  abstract boolean awaitIdle(long nanos);

  /** No receive takes part in a WRITE, so that an event has to tell of the failure. */
  final Response refuse(Response response, AsyncEventType type) {
    if (owner.enterError()) {
      device.events().raise(type, owner, owner.number());
    }
    return response;
  }

  /** Fails the receive that a message met. */
  final Response refuse(Response response, WorkCompletionStatus status, VendorError error) {
    owner.enterError();
    complete(status, 0, error);
    return response;
  }

  /** A message has come in whole. */
  final void succeed(int length) {
    complete(WorkCompletionStatus.SUCCESS, length, VendorError.NONE);
  }

  private void complete(WorkCompletionStatus status, int length, VendorError error) {
    int slot = queue.slot();
    long ordinal = queue.ordinal();
    queue.take();
    completions.add(
        owner,
        queue,
        ordinal,
        queue.workRequestId(slot),
        status,
        WorkCompletionOpcode.RECEIVE,
        length,
        error.code());
  }
}
