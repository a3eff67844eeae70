// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.wridscope.guest.Guest;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;

/** A source and a destination on two software devices, each session on a thread of its own. */
final class Rig implements AutoCloseable {
  /** Longer than any wait of the engine that a test provokes. */
  private static final Duration END = Duration.ofSeconds(60);

  final SoftFabric fabric = new SoftFabric();
  final SoftDevice sourceDevice = fabric.open("source device");
  final SoftDevice destinationDevice = fabric.open("destination device");
  final InetSocketAddress address;
  private final ConnectionListener listener;

  Rig() throws IOException {
    listener =
        destinationDevice.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    address = listener.localAddress();
  }

  static MigrationParameters parameters(boolean pinAll, boolean extensions) {
    return new MigrationParameters(
        pinAll, extensions, Duration.ofSeconds(45), 0, Duration.ofMillis(300));
  }

  SourceSession source(Guest guest, MigrationParameters parameters) {
    return new SourceSession(
        sourceDevice, address, guest, parameters, new SessionTelemetry(Role.SOURCE, true));
  }

  DestinationSession destination(Guest guest, MigrationParameters parameters) {
    return new DestinationSession(
        destinationDevice,
        listener,
        guest,
        parameters,
        new SessionTelemetry(Role.DESTINATION, true));
  }

  /** Starts a session. */
  static Thread start(MigrationSession session) {
    return Thread.ofPlatform()
        .daemon()
        .name(session.telemetry().role().name().toLowerCase(java.util.Locale.ROOT))
        .start(session::run);
  }

  /** Waits for a session that was started. */
  static void join(Thread thread, MigrationSession session) throws InterruptedException {
    thread.join(END);
    if (thread.isAlive()) {
      var where = new StringBuilder();
      for (StackTraceElement frame : thread.getStackTrace()) {
        where.append("\n  ").append(frame);
      }
      assertThat(thread.isAlive())
          .as(
              "%s still runs, waiting for %s:%s",
              thread.getName(), session.telemetry().waitingFor(), where)
          .isFalse();
    }
  }

  /** Runs both to their ends. */
  static void run(SourceSession source, DestinationSession destination)
      throws InterruptedException {
    Thread there = start(destination);
    Thread here = start(source);
    join(here, source);
    join(there, destination);
  }

  /** Closes the devices, which fails when a session left something behind. */
  @Override
  public void close() throws IOException {
    listener.close();
    sourceDevice.close();
    destinationDevice.close();
  }
}
