// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.ArrayDeque;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Demonstrates the mistake that the Linux kernel's xprtrdma corrected with its send contexts
 * (commit ae72950a): what a request needs is released when the peer has answered, since the peer
 * has then executed it. But without its acknowledgement the device sends the request again, and
 * reads memory that is not registered any more, or that has been used for something else.
 * Completions that come later have nothing to release and are ignored.
 */
final class ReleaseOnReply implements ReleasePolicy {

  /** A request whose context was put back, and whose completion may still come. */
  private record Released(long workRequestId, boolean signaled) {}

  private final SendQueue queue;
  private final ArrayDeque<Released> released = new ArrayDeque<>();

  /** Number of requests posted up to the last message that the peer answers. */
  private long asked;

  private boolean failed;

  ReleaseOnReply(SendQueue queue) {
    this.queue = queue;
  }

  @Override
  public void asked() {
    asked = queue.posted();
  }

  @Override
  public void answered() throws IOException {
    queue.release(
        asked, context -> released.add(new Released(context.workRequestId(), context.signaled())));
  }

  @Override
  public boolean isHeld(WorkCompletion completion) {
    failed |= completion.status() != WorkCompletionStatus.SUCCESS;
    while (!released.isEmpty()) {
      Released oldest = released.remove();
      // A successful completion is that of the oldest signaled request, and covers those before.
      if (oldest.workRequestId == completion.workRequestId() && (failed || oldest.signaled)) {
        return false;
      }
    }
    return true;
  }
}
