// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.wridscope.account.Account;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.RdmaDevice;

/** Both ends of a connection, without sessions. */
final class ConnectedPair implements AutoCloseable {
  final Rig rig;
  final SessionTelemetry sourceTelemetry = new SessionTelemetry(Role.SOURCE, false, Account::new);
  final SessionTelemetry destinationTelemetry =
      new SessionTelemetry(Role.DESTINATION, false, Account::new);
  final Cancellation cancellation = new Cancellation(Duration.ZERO);
  final Connected source;
  final Connected destination;
  private final Limits limits;

  ConnectedPair() throws IOException, InterruptedException {
    this(Limits.DEFAULT);
  }

  ConnectedPair(Limits limits) throws IOException, InterruptedException {
    this.limits = limits;
    rig = new Rig();
    try {
      var accepted = CompletableFuture.supplyAsync(this::accept);
      Connection connection = rig.sourceDevice.resolve(rig.address(), Rig.END);
      source = open(rig.sourceDevice, connection, Role.SOURCE, sourceTelemetry);
      connection.connect(Endpoint.connectionParameters(new byte[8]), Rig.END);
      destination = accepted.join();
    } catch (IOException | InterruptedException | CompletionException e) {
      rig.close();
      throw e;
    }
  }

  private Connected open(
      RdmaDevice device, Connection connection, Role role, SessionTelemetry telemetry)
      throws IOException {
    return Connected.open(
        device, connection, role, false, telemetry, cancellation, limits, MessageMemory::single);
  }

  private Connected accept() {
    try {
      ConnectionRequest request = Objects.requireNonNull(rig.listener().nextRequest(Rig.END));
      Connected peer =
          open(rig.destinationDevice, request.connection(), Role.DESTINATION, destinationTelemetry);
      request.accept(Endpoint.connectionParameters(new byte[8]), Rig.END);
      return peer;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    try (rig) {
      try (destination) {
        source.close();
      }
    }
  }
}
