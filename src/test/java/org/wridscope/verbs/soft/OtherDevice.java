// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.Objects;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.QueuePairCapacity;

/**
 * A device in a separate process: prints the port that it listens on, accepts one connection,
 * receives one message, and runs until it is killed or its input ends.
 */
final class OtherDevice {
  private OtherDevice() {}

  public static void main(String[] arguments) throws Exception {
    try (SoftDevice device = SoftNetwork.open("other");
        ConnectionListener listener = device.listen(SoftPair.ANYWHERE, 1)) {
      System.out.println(listener.localAddress().getPort());
      ConnectionRequest request = Objects.requireNonNull(listener.nextRequest(Endpoint.PATIENCE));
      try (var server =
          new Endpoint(device, request.connection(), new QueuePairCapacity(4, 4), 16)) {
        server.receive(1, 0, 8);
        request.accept(SoftPair.ENDLESS, Endpoint.PATIENCE);
        server.received();
        System.in.read();
      }
    }
  }
}
