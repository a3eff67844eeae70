// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The receiving half of a queue pair (IBTA 9.9.3). */
abstract class Responder extends QueuePairHalf {

  Responder(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    super(owner, queue, completions);
  }

  /** Whether there are receives that {@link #flush} would complete now. */
  abstract boolean canFlush();

  /** In the error state: completes all receives as flushed, in order, unless a message arrives. */
  final void flush() {
    while (canFlush()) {
      complete(WorkCompletionStatus.WR_FLUSH_ERR, 0, VendorError.NONE);
    }
  }

  /**
   * Waits until no message is arriving. The queue pair is in a state that lets none begin.
   *
   * @return false when one still arrives after this many nanoseconds
   */
  abstract boolean awaitIdle(long nanos);

  /** Fails the queue pair with an event: no receive takes part in a WRITE, so none completes. */
  final Response refuse(Response response, AsyncEventType type) {
    owner.fail(type);
    return response;
  }

  /** Fails the receive that the message was for. */
  final Response refuse(Response response, WorkCompletionStatus status, VendorError error) {
    owner.enterError();
    complete(status, 0, error);
    return response;
  }

  /** The whole message has arrived. */
  final void succeed(int length) {
    complete(WorkCompletionStatus.SUCCESS, length, VendorError.NONE);
  }

  private void complete(WorkCompletionStatus status, int length, VendorError error) {
    long ordinal = queue.ordinal();
    queue.take();
    complete(ordinal, status, WorkCompletionOpcode.RECEIVE, length, error.code());
  }
}
