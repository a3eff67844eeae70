// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.wridscope.telemetry.EventKind;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;

/** Takes completions in batches from a queue for sends and another one for receives. */
final class SeparateQueues implements CompletionPolicy {
  private static final int BATCH = 32;

  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final WorkCompletion[] completions = WorkCompletion.array(BATCH);

  SeparateQueues(Endpoint endpoint) {
    sends = endpoint.sendCompletions();
    receives = endpoint.receiveCompletions();
  }

  @Override
  public boolean take(Handler handler) throws IOException {
    // Receives last: what the peer sent before it disconnected still counts.
    boolean any = take(sends, EventKind.COMPLETION_SEND_QUEUE, handler);
    return take(receives, EventKind.COMPLETION_RECEIVE_QUEUE, handler) || any;
  }

  private boolean take(CompletionQueue queue, EventKind kind, Handler handler) throws IOException {
    boolean any = false;
    int taken;
    do {
      taken = queue.poll(completions);
      Throwable failure = null;
      for (int i = 0; i < taken; i++) {
        try {
          handler.completed(completions[i], kind);
        } catch (IOException | RuntimeException | Error e) {
          // The rest of the batch is in no queue any more, so it is handled first.
          failure = FirstFailure.of(failure, e);
        }
      }
      FirstFailure.rethrow(failure);
      any |= taken > 0;
    } while (taken == BATCH);
    return any;
  }

  @Override
  public void requestNotification() throws VerbsException {
    sends.requestNotification();
    receives.requestNotification();
  }
}
