// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Timeout;

/** A listener on a TCP port; guarded by the manager's lock. */
final class NetworkListener implements ConnectionListener, NetworkThread.Selected {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkListener.class);

  private final NetworkManager manager;
  private final NetworkThread thread;
  private final ReentrantLock lock;
  private final ServerSocketChannel channel;
  private final InetSocketAddress address;
  private final int backlog;
  private final Predicate<InetAddress> admitted;
  private final Deque<SoftConnectionRequest> waiting = new ArrayDeque<>();
  private final Condition changed;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private boolean listening = true;
  private boolean closed;

  /** Who connected and has not yet said what for, oldest first; belongs to the device's thread. */
  private final SequencedSet<Stranger> strangers = new LinkedHashSet<>();

  NetworkListener(
      NetworkManager manager,
      ServerSocketChannel channel,
      InetSocketAddress address,
      int backlog,
      Predicate<InetAddress> admitted) {
    this.manager = manager;
    this.thread = manager.thread();
    this.lock = manager.lock();
    this.channel = channel;
    this.address = address;
    this.backlog = backlog;
    this.admitted = admitted;
    changed = lock.newCondition();
  }

  @Override
  public InetSocketAddress localAddress() {
    return address;
  }

  /** Begins to take TCP connections. On the device's thread. */
  void register() {
    if (!channel.isOpen()) {
      return;
    }
    try {
      channel.register(thread.selector(), SelectionKey.OP_ACCEPT, this);
    } catch (IOException e) {
      LOG.error("nobody can connect to {}", address, e);
    }
  }

  @Override
  public void ready() {
    try {
      SocketChannel accepted;
      while (channel.isOpen() && (accepted = channel.accept()) != null) {
        welcome(accepted);
      }
    } catch (IOException e) {
      // As when this process can open no more files: those who wait may come later.
      LOG.warn("a connection to {} cannot be taken: {}", address, e.getMessage());
    }
  }

  @Override
  public void failed(Throwable defect) {
    LOG.error("{} goes on listening", address);
  }

  private void welcome(SocketChannel accepted) throws IOException {
    try {
      var peer = (InetSocketAddress) accepted.getRemoteAddress();
      if (!admitted.test(peer.getAddress())) {
        LOG.info("{} may not connect to {}; it was cut off", peer, address);
        accepted.close();
        return;
      }
      accepted.configureBlocking(false);
      NetworkManager.prepare(accepted);
      var stranger = new Stranger(accepted);
      strangers.add(stranger);
      stranger.link.register();
    } catch (IOException e) {
      accepted.close();
      return;
    }
    if (strangers.size() > thread.limits().strangers()) {
      Stranger oldest = strangers.getFirst();
      // What it has said may not have been read yet.
      oldest.link.readNow();
      if (strangers.contains(oldest)) {
        LOG.info("too many connect to {} and ask for nothing; the oldest was cut off", address);
        oldest.link.abort();
      }
    }
  }

  /** Somebody connected. */
  private final class Stranger implements LinkUser {
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final NetworkLink link;

    Stranger(SocketChannel accepted) throws IOException {
      local = (InetSocketAddress) accepted.getLocalAddress();
      remote = (InetSocketAddress) accepted.getRemoteAddress();
      link = new NetworkLink(thread, accepted, remote, false, this);
    }

    @Override
    public void manage(Frame frame, byte[] privateData) throws BrokenStreamException {
      if (frame.type() != Frame.Type.REQUEST) {
        throw new BrokenStreamException(frame.type() + " came before REQUEST");
      }
      strangers.remove(this);
      requested(this, frame.rnrRetries(), privateData);
    }

    @Override
    public void lost(Loss loss) {
      strangers.remove(this);
      link.release();
    }
  }

  private void requested(Stranger stranger, int rnrRetries, byte[] privateData) {
    lock.lock();
    try {
      if (!listening || waiting.size() >= backlog) {
        stranger.link.reject(new byte[0]);
        return;
      }
      var connection =
          NetworkConnection.requested(
              manager, stranger.local, stranger.remote, stranger.link, this, rnrRetries);
      stranger.link.setUser(connection);
      try {
        manager.add(connection);
      } catch (VerbsException e) {
        stranger.link.release();
        return;
      }
      waiting.add(new SoftConnectionRequest(privateData, connection));
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** A peer has gone; its request is, too, unless somebody took it. The lock is held. */
  void withdraw(NetworkConnection connection) {
    if (waiting.removeIf(request -> request.connection() == connection)) {
      connection.abandon();
    }
  }

  @Override
  public @Nullable ConnectionRequest nextRequest(Duration timeout)
      throws VerbsException, InterruptedException {
    lock.lock();
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
      lock.unlock();
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
      changed.signalAll();
      thread.execute(this::stop);
    }
  }

  /** On the device's thread. */
  private void stop() {
    try {
      channel.close();
      List.copyOf(strangers).forEach(stranger -> stranger.link.abort());
      // Only now is the port free again.
      thread.selectNow();
    } catch (IOException e) {
      LOG.warn("{} cannot be closed: {}", address, e.getMessage());
    } finally {
      stopped.countDown();
    }
  }

  @Override
  public void close() throws VerbsException {
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
    // Without the lock: the device's thread may want it.
    boolean inTime = Latches.await(stopped, manager.device().patience());
    lock.lock();
    try {
      manager.remove(this);
    } finally {
      lock.unlock();
    }
    if (!inTime) {
      throw manager.device().stuck("the port of " + address);
    }
  }
}
