// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.MigrationId;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftNetwork;

/** A peer over loopback TCP that sends one message and disconnects. */
public final class HostilePeer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final SoftDevice device;
  private final ConnectionListener listener;

  public HostilePeer() throws IOException {
    device = SoftNetwork.open("hostile");
    listener = device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
  }

  /** Address that it listens on. */
  public int port() {
    return listener.localAddress().getPort();
  }

  /** Rejects the next source. */
  public void reject(byte[] reason) throws IOException, InterruptedException {
    next().reject(reason);
  }

  /** Accepts the next source, and then sends ERROR. */
  public void error(String reason) throws Exception {
    ConnectionRequest request = next();
    try (var peer = new TestPeer(device, request.connection())) {
      var granted = Capabilities.of(Capabilities.WRIDSCOPE);
      request.accept(new ConnectionParameters(granted.toBytes(), 5, 5), PATIENCE);
      peer.send(error(reason.getBytes(StandardCharsets.UTF_8)));
      peer.awaitDisconnect();
    }
  }

  /** Connects to a destination like a source, and then sends ERROR. */
  public void error(int port, String reason) throws Exception {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try (var peer = new TestPeer(device, device.resolve(address, PATIENCE))) {
      byte[] wanted = Capabilities.of(Capabilities.WRIDSCOPE).toBytes(new MigrationId(1, 2));
      peer.connection.connect(new ConnectionParameters(wanted, 5, 5), PATIENCE);
      peer.receive();
      peer.send(error(reason.getBytes(StandardCharsets.UTF_8)));
      peer.awaitDisconnect();
    }
  }

  private static byte[] error(byte[] reason) {
    return TestPeer.message(ControlType.ERROR, 1, payload -> payload.put(reason));
  }

  private ConnectionRequest next() throws IOException, InterruptedException {
    return Objects.requireNonNull(listener.nextRequest(PATIENCE), "nobody came");
  }

  @Override
  public void close() throws IOException {
    listener.close();
    device.close();
  }
}
