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
 * Who asks to connect to a destination that waits. The newest is served first: of many that ask and
 * then never confirm, each costs a wait, and whoever waits behind all of them would have given up.
 */
final class Callers implements AutoCloseable {
  /** How many may wait; the oldest ones beyond are told to come again. */
  private static final int MOST = 1024;

  private final ConnectionListener listener;
  private final Deque<ConnectionRequest> waiting = new ArrayDeque<>();

  Callers(ConnectionListener listener) {
    this.listener = listener;
  }

  /**
   * The newest of those who wait.
   *
   * @param patience how long to wait when there is nobody
   * @return null when nobody came
   */
  @Nullable ConnectionRequest next(Duration patience) throws IOException, InterruptedException {
    ConnectionRequest came = listener.nextRequest(waiting.isEmpty() ? patience : Duration.ZERO);
    while (came != null) {
      waiting.addLast(came);
      if (waiting.size() > MOST) {
        DestinationSession.reject(
            waiting.removeFirst(), "Too many want to connect here; try again later.");
      }
      came = listener.nextRequest(Duration.ZERO);
    }
    return waiting.pollLast();
  }

  /** Turns away whoever still waits. */
  @Override
  public void close() {
    waiting.forEach(request -> DestinationSession.reject(request, DestinationSession.BUSY));
    waiting.clear();
  }
}
