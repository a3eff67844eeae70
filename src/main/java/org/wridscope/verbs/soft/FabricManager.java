// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/** The connection manager of a device on a fabric; its state is guarded by the fabric's lock. */
final class FabricManager implements ConnectionManager {
  private final SoftFabric fabric;
  private final SoftDevice device;
  private final Set<SoftConnection> connections = new LinkedHashSet<>();
  private final Set<SoftListener> listeners = new LinkedHashSet<>();

  FabricManager(SoftFabric fabric, SoftDevice device) {
    this.fabric = fabric;
    this.device = device;
  }

  SoftFabric fabric() {
    return fabric;
  }

  SoftDevice device() {
    return device;
  }

  @Override
  public ReentrantLock lock() {
    return fabric.lock();
  }

  @Override
  public ConnectionListener listen(
      InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    lock().lock();
    try {
      device.adopt(SoftResource.LISTENER);
      int port;
      try {
        port = fabric.takePort(address.getPort());
      } catch (VerbsException e) {
        device.forget(SoftResource.LISTENER);
        throw e;
      }
      var listener =
          new SoftListener(
              this, new InetSocketAddress(address.getAddress(), port), backlog, admitted);
      fabric.addListener(port, listener);
      listeners.add(listener);
      return listener;
    } finally {
      lock().unlock();
    }
  }

  @Override
  public Connection resolve(InetSocketAddress destination, Duration timeout) throws VerbsException {
    if (!LocalAddresses.contain(destination)) {
      throw new VerbsException(
          Errno.ENETUNREACH,
          "the software device %s reaches only this machine, not %s"
              .formatted(device.name(), destination.getHostString()));
    }
    lock().lock();
    try {
      device.checkAlive();
      int port = fabric.takePort(0);
      var local = new InetSocketAddress(LocalAddresses.reachable(destination), port);
      var connection = SoftConnection.resolved(this, local, destination);
      add(connection);
      return connection;
    } finally {
      lock().unlock();
    }
  }

  @Override
  public void cutAll() {
    connections.forEach(SoftConnection::cut);
  }

  @Override
  public void fail() {
    listeners.forEach(SoftListener::fail);
    List.copyOf(connections).forEach(SoftConnection::deviceFailed);
  }

  /** Enters a connection of this device. The lock is held. */
  void add(SoftConnection connection) throws VerbsException {
    device.adopt(SoftResource.CONNECTION);
    connections.add(connection);
  }

  void remove(SoftConnection connection) {
    if (connections.remove(connection)) {
      device.forget(SoftResource.CONNECTION);
    }
  }

  void remove(SoftListener listener) {
    if (listeners.remove(listener)) {
      device.forget(SoftResource.LISTENER);
    }
  }
}
