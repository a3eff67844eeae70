// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.wridscope.verbs.Background;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.VerbsException;

/** Two connected ends on software devices, which it does not close. */
record SoftPair(Endpoint client, Endpoint server) implements AutoCloseable {
  static final InetSocketAddress ANYWHERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  static final ConnectionParameters ENDLESS = new ConnectionParameters(new byte[0], 5, 7);

  static SoftPair connect(SoftDevice from, SoftDevice to) throws Exception {
    return connect(from, to, new QueuePairCapacity(16, 16), 64);
  }

  static SoftPair connect(SoftDevice from, SoftDevice to, QueuePairCapacity capacity, int entries)
      throws Exception {
    try (ConnectionListener listener = to.listen(ANYWHERE, 1)) {
      Connection connection = from.resolve(listener.localAddress(), Endpoint.PATIENCE);
      var client = new Endpoint(from, connection, capacity, entries);
      var connected = connectInBackground(connection);
      ConnectionRequest request = Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE));
      var server = new Endpoint(to, request.connection(), capacity, entries);
      request.accept(ENDLESS, Endpoint.PATIENCE);
      connected.join();
      return new SoftPair(client, server);
    }
  }

  static CompletableFuture<byte[]> connectInBackground(Connection connection) {
    return Background.inBackground(() -> connection.connect(ENDLESS, Endpoint.PATIENCE));
  }

  @Override
  public void close() throws VerbsException {
    client.close();
    server.close();
  }
}
