// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.VerbsException;

/** How a device finds its peers. */
interface ConnectionManager {

  /** Guards the state of listeners, requests and connections; taken before the device's. */
  ReentrantLock lock();

  /**
   * Listens.
   *
   * @param address one of this machine
   * @param backlog at least 1
   * @param admitted the peers that may connect
   */
  ConnectionListener listen(InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException;

  /**
   * Finds the way to a peer.
   *
   * @param destination with an address
   */
  Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException;

  /** Cuts all established connections of the device. The lock is held. */
  void cutAll();

  /** The device failed. The lock is held. */
  void fail();
}
