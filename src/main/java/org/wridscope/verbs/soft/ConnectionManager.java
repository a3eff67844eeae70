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
import org.wridscope.verbs.VerbsException;

/** A device's connections and listeners. The subclasses know how to reach peers. */
abstract class ConnectionManager {
  private final SoftDevice device;
  private final ReentrantLock lock;
  private final Set<SoftConnection> connections = new LinkedHashSet<>();
  private final Set<SoftListener> listeners = new LinkedHashSet<>();

  ConnectionManager(SoftDevice device, ReentrantLock lock) {
    this.device = device;
    this.lock = lock;
  }

  final SoftDevice device() {
    return device;
  }

  /** Guards the state of listeners, requests and connections; taken before the device's lock. */
  final ReentrantLock lock() {
    return lock;
  }

  /**
   * Listens.
   *
   * @param address one of this machine
   * @param backlog at least 1
   * @param admitted the peers that may connect
   */
  abstract ConnectionListener listen(
      InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException;

  /**
   * Finds the way to a peer.
   *
   * @param destination with an address
   */
  abstract Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException;

  // The remaining methods are called with the lock held.

  /** Cuts all established connections of the device. */
  final void cutAll() {
    connections.forEach(SoftConnection::cut);
  }

  /** The device failed. */
  final void fail() {
    List.copyOf(listeners).forEach(SoftListener::fail);
    List.copyOf(connections).forEach(SoftConnection::deviceFailed);
  }

  final void add(SoftConnection connection) throws VerbsException {
    device.add(SoftResource.CONNECTION);
    connections.add(connection);
  }

  final void add(SoftListener listener) throws VerbsException {
    device.add(SoftResource.LISTENER);
    listeners.add(listener);
  }

  final void remove(SoftConnection connection) {
    if (connections.remove(connection)) {
      device.remove(SoftResource.CONNECTION);
    }
  }

  final void remove(SoftListener listener) {
    if (listeners.remove(listener)) {
      device.remove(SoftResource.LISTENER);
    }
  }
}
