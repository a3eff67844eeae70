// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.analysis.EventText;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.RdmaDevice;

/** The parts of a session that exist while it is connected. */
record Connected(Endpoint endpoint, CompletionPoller poller, ControlChannel control)
    implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connected.class);

  /**
   * Takes over a connection as {@link Endpoint} does, and posts its receives.
   *
   * @param sharedQueue whether sends and receives complete in one queue
   */
  static Connected open(
      RdmaDevice device,
      Connection connection,
      Role role,
      boolean sharedQueue,
      SessionTelemetry telemetry,
      Cancellation cancellation,
      Limits limits,
      Endpoint.Buffers memory)
      throws IOException {
    var endpoint =
        new Endpoint(device, connection, sharedQueue, QueuePairWatch.of(telemetry), memory);
    try {
      var banner = new Banner(Time.nanos(), device.identity(), connection.route());
      telemetry.opened(banner);
      LOG.debug("{}", EventText.banner(banner));
      var poller = new CompletionPoller(endpoint, telemetry, cancellation, limits);
      return new Connected(endpoint, poller, new ControlChannel(endpoint, poller, role, telemetry));
    } catch (Throwable e) {
      try {
        endpoint.close();
      } catch (MigrationException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /**
   * The connection is that of a session from now on.
   *
   * @param notes the telemetry that it was opened with
   */
  void belongTo(SessionTelemetry session, SessionTelemetry notes, Cancellation cancellation) {
    session.adopt(notes);
    belongTo(session, cancellation);
  }

  /** What happens to the connection is noted here from now on. */
  void belongTo(SessionTelemetry session, Cancellation cancellation) {
    endpoint.setWatch(QueuePairWatch.of(session));
    poller.belongTo(session, cancellation);
    control.setTelemetry(session);
  }

  /**
   * As {@link #close}, without waiting for outstanding requests, whose completions are not needed.
   */
  void abandon() throws IOException {
    try (endpoint) {
      endpoint.connection().disconnect();
    } finally {
      endpoint.sendQueue().settle();
    }
  }

  /** Disconnects and releases everything, whatever fails. Does nothing the second time. */
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
