// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;

/**
 * Connection requests at a destination that waits for its source. The newest is served first: each
 * of many sources that never confirm costs a wait, and a source behind all of them would have given
 * up.
 */
final class Callers implements AutoCloseable {
  /** Most requests that wait; the oldest ones beyond are rejected. */
  private static final int MOST = 1024;

  private final ConnectionListener listener;
  private final Deque<ConnectionRequest> waiting = new ArrayDeque<>();

  Callers(ConnectionListener listener) {
    this.listener = listener;
  }

  /**
   * Takes the newest request.
   *
   * @param patience how long to wait for one if there is none
   * @return null if none came
   */
  @Nullable ConnectionRequest next(Duration patience) throws IOException, InterruptedException {
    ConnectionRequest came = listener.nextRequest(waiting.isEmpty() ? patience : Duration.ZERO);
    while (came != null) {
      waiting.addLast(came);
      if (waiting.size() > MOST) {
        reject(waiting.removeFirst(), "Too many sources want to connect here; try again later.");
      }
      came = listener.nextRequest(Duration.ZERO);
    }
    return waiting.pollLast();
  }

  /** Rejects the requests that still wait. */
  @Override
  public void close() {
    waiting.forEach(request -> reject(request, DestinationSession.BUSY));
    waiting.clear();
  }

  private static void reject(ConnectionRequest request, String sentence) {
    new IncomingRequest(request).reject(sentence);
  }
}
