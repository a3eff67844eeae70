// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Timeout;

/**
 * A listener of a software device and the requests that wait to be taken. Guarded by the connection
 * manager's lock; methods that are not part of {@link ConnectionListener} expect it to be held.
 */
abstract class SoftListener implements ConnectionListener {
  private final ConnectionManager manager;
  private final ReentrantLock lock;
  private final InetSocketAddress address;
  private final int backlog;
  private final Deque<SoftConnectionRequest> waiting = new ArrayDeque<>();
  private final Condition changed;
  private boolean listening = true;
  private boolean closed;

  SoftListener(ConnectionManager manager, InetSocketAddress address, int backlog) {
    this.manager = manager;
    this.lock = manager.lock();
    this.address = address;
    this.backlog = backlog;
    changed = lock.newCondition();
  }

  /** Stops listening. Called once. */
  abstract void stop();

  /** Waits until the port is free again, after {@link #stop} and without the lock. */
  abstract void awaitStopped() throws VerbsException;

  @Override
  public final InetSocketAddress localAddress() {
    return address;
  }

  /** Whether another request may wait here. */
  final boolean hasRoom() {
    return listening && waiting.size() < backlog;
  }

  final void add(SoftConnectionRequest request) {
    waiting.add(request);
    changed.signal();
  }

  /** Removes the request of a peer that gave up; false if the request was taken before. */
  @SuppressWarnings("ReferenceEquality") // a connection is equal to itself only
  final boolean remove(SoftConnection server) {
    return waiting.removeIf(request -> request.connection() == server);
  }

  @Override
  public final @Nullable ConnectionRequest nextRequest(Duration timeout)
      throws VerbsException, InterruptedException {
    lock.lock();
    try {
      boolean _ =
          Time.await(lock, changed, () -> !waiting.isEmpty() || !listening, Timeout.nanos(timeout));
      if (closed) {
        throw new VerbsException(Errno.EINVAL, "the listener was closed");
      }
      if (!listening) {
        throw new VerbsException(Errno.ENODEV, "the device failed and does not listen any more");
      }
      return waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  /** The device failed: no request is answered any more. */
  final void fail() {
    stopListening();
    SoftConnectionRequest request;
    while ((request = waiting.poll()) != null) {
      request.abandon();
    }
  }

  private void stopListening() {
    if (listening) {
      listening = false;
      changed.signalAll();
      stop();
    }
  }

  @Override
  public final void close() throws VerbsException {
    lock.lock();
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
    } finally {
      lock.unlock();
    }
    try {
      awaitStopped();
    } finally {
      lock.lock();
      try {
        manager.remove(this);
      } finally {
        lock.unlock();
      }
    }
  }
}
