// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/** A listener on a fabric. */
final class LocalListener extends SoftListener {
  private final FabricManager manager;
  private final Predicate<InetAddress> admitted;

  LocalListener(
      FabricManager manager,
      InetSocketAddress address,
      int backlog,
      Predicate<InetAddress> admitted) {
    super(manager, address, backlog);
    this.manager = manager;
    this.admitted = admitted;
  }

  FabricManager manager() {
    return manager;
  }

  /** Whether a request of this peer may wait here. */
  boolean takes(InetSocketAddress peer) {
    return hasRoom() && admitted.test(peer.getAddress());
  }

  @Override
  void stop() {
    int port = localAddress().getPort();
    manager.fabric().removeListener(port);
    manager.fabric().freePort(port);
  }

  @Override
  void awaitStopped() {
    // The port is free as soon as stop returns.
  }
}
