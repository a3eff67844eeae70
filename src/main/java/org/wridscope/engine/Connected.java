// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.RdmaDevice;

/** What a session has while it is connected. */
record Connected(Endpoint endpoint, CompletionPoller poller, ControlChannel control)
    implements AutoCloseable {

  /**
   * Takes over a connection; its receives are posted when this returns.
   *
   * @param sharedQueue whether send and receive queue complete in one queue
   */
  static Connected open(
      RdmaDevice device,
      Connection connection,
      boolean sharedQueue,
      SessionTelemetry telemetry,
      Cancellation cancellation,
      Limits limits)
      throws IOException {
    var endpoint = new Endpoint(device, connection, sharedQueue);
    try {
      var poller = new CompletionPoller(endpoint, telemetry, cancellation, limits);
      return new Connected(endpoint, poller, new ControlChannel(endpoint, poller, telemetry));
    } catch (Throwable e) {
      try {
        endpoint.close();
      } catch (MigrationException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Disconnects, and releases everything whatever fails. A second time does nothing. */
  @Override
  public void close() throws IOException {
    try {
      try (endpoint) {
        endpoint.connection().disconnect();
        poller.drain();
      }
    } finally {
      endpoint.sendQueue().settle();
    }
  }
}
