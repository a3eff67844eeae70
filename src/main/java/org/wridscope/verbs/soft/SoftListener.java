// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Timeout;

/** A listener on a fabric; guarded by the fabric's lock. */
final class SoftListener implements ConnectionListener {
  private final FabricManager manager;
  private final SoftFabric fabric;
  private final InetSocketAddress address;
  private final int backlog;
  private final Predicate<InetAddress> admitted;
  private final Deque<SoftConnectionRequest> waiting = new ArrayDeque<>();
  private final Condition changed;
  private boolean listening = true;
  private boolean closed;

  SoftListener(
      FabricManager manager,
      InetSocketAddress address,
      int backlog,
      Predicate<InetAddress> admitted) {
    this.manager = manager;
    this.fabric = manager.fabric();
    this.address = address;
    this.backlog = backlog;
    this.admitted = admitted;
    changed = fabric.lock().newCondition();
  }

  FabricManager manager() {
    return manager;
  }

  @Override
  public InetSocketAddress localAddress() {
    return address;
  }

  /** Whether a request may wait here to be taken. */
  boolean takes(InetSocketAddress peer) {
    return waiting.size() < backlog && admitted.test(peer.getAddress());
  }

  void add(SoftConnectionRequest request) {
    waiting.add(request);
    changed.signal();
  }

  /** The peer has given up before anybody took its request. */
  boolean remove(SoftConnectionRequest request) {
    return waiting.remove(request);
  }

  @Override
  public @Nullable ConnectionRequest nextRequest(Duration timeout)
      throws VerbsException, InterruptedException {
    fabric.lock().lock();
    try {
      long left = Timeout.nanos(timeout);
      while (waiting.isEmpty() && listening && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (closed) {
        throw new VerbsException(Errno.EINVAL, "the listener was closed");
      }
      if (!listening) {
        throw new VerbsException(Errno.ENODEV, "the device failed and listens no more");
      }
      return waiting.poll();
    } finally {
      fabric.lock().unlock();
    }
  }

  /** The device failed: nobody answers here any more. The lock is held. */
  void fail() {
    stopListening();
    SoftConnectionRequest request;
    while ((request = waiting.poll()) != null) {
      request.abandon();
    }
  }

  private void stopListening() {
    if (listening) {
      listening = false;
      fabric.removeListener(address.getPort());
      fabric.freePort(address.getPort());
      changed.signalAll();
    }
  }

  @Override
  public void close() throws VerbsException {
    fabric.lock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      stopListening();
      SoftConnectionRequest request;
      while ((request = waiting.poll()) != null) {
        request.reject(new byte[0]);
      }
      manager.remove(this);
    } finally {
      fabric.lock().unlock();
    }
  }
}
