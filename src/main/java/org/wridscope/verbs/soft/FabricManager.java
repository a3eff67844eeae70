// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Predicate;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Undo;

/** The connection manager of a device on a fabric; its state is guarded by the fabric's lock. */
final class FabricManager extends ConnectionManager {
  private final SoftFabric fabric;

  FabricManager(SoftFabric fabric, SoftDevice device) {
    super(device, fabric.lock());
    this.fabric = fabric;
  }

  SoftFabric fabric() {
    return fabric;
  }

  @Override
  ConnectionListener listen(InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    var undo = new Undo();
    lock().lock();
    try (undo) {
      device().checkAlive();
      int port = takePort(address.getPort(), undo);
      var listener =
          new LocalListener(
              this, new InetSocketAddress(address.getAddress(), port), backlog, admitted);
      add(listener);
      fabric.addListener(port, listener);
      undo.forget();
      return listener;
    } finally {
      lock().unlock();
    }
  }

  @Override
  Connection resolve(InetSocketAddress destination, Duration timeout) throws VerbsException {
    if (!LocalAddresses.contain(destination)) {
      throw new VerbsException(
          Errno.ENETUNREACH,
          "the software device %s reaches only this machine, not %s"
              .formatted(device().name(), destination.getHostString()));
    }
    var undo = new Undo();
    lock().lock();
    try (undo) {
      device().checkAlive();
      int port = takePort(0, undo);
      var local = new InetSocketAddress(LocalAddresses.reachable(destination), port);
      var connection = LocalConnection.resolved(this, local, destination);
      add(connection);
      undo.forget();
      return connection;
    } finally {
      lock().unlock();
    }
  }

  private int takePort(int wanted, Undo undo) throws VerbsException {
    int port = fabric.takePort(wanted);
    undo.add(() -> fabric.freePort(port));
    return port;
  }
}
