// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Uninterrupted;

/** A listener on a TCP port. */
final class NetworkListener extends SoftListener implements NetworkThread.Selected {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkListener.class);

  private final NetworkManager manager;
  private final NetworkThread thread;
  private final ReentrantLock lock;
  private final ServerSocketChannel channel;
  private final InetSocketAddress address;
  private final Predicate<InetAddress> admitted;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * Peers that have connected but not sent a complete request yet, oldest first; belongs to the
   * device's thread.
   */
  private final SequencedSet<PendingPeer> pending = new LinkedHashSet<>();

  NetworkListener(
      NetworkManager manager,
      ServerSocketChannel channel,
      InetSocketAddress address,
      int backlog,
      Predicate<InetAddress> admitted) {
    super(manager, address, backlog);
    this.manager = manager;
    this.thread = manager.thread();
    this.lock = manager.lock();
    this.channel = channel;
    this.address = address;
    this.admitted = admitted;
  }

  /** Begins to accept TCP connections. On the device's thread. */
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
        accept(accepted);
      }
    } catch (IOException e) {
      // For example when this process can open no more files. Those that have sent no request have
      // one each, and the others are accepted later.
      thread
          .rejections()
          .add("a connection to %s cannot be accepted: %s".formatted(address, e.getMessage()));
      if (!pending.isEmpty()) {
        cutOff();
      }
      thread.pause(this);
    }
  }

  /** Accepts again after a pause, or pauses, in which the kernel lets peers wait. */
  void setAccepting(boolean accepting) {
    SelectionKey key = channel.keyFor(thread.selector());
    if (key != null && key.isValid()) {
      key.interestOps(accepting ? SelectionKey.OP_ACCEPT : 0);
    }
  }

  /** Cuts off a peer that has sent no request: the oldest of the address with the most of them. */
  private void cutOff() {
    Map<InetAddress, List<PendingPeer>> byAddress = new LinkedHashMap<>();
    List<PendingPeer> most = List.of();
    for (PendingPeer peer : pending) {
      List<PendingPeer> peers =
          byAddress.computeIfAbsent(peer.remote.getAddress(), _ -> new ArrayList<>());
      peers.add(peer);
      if (peers.size() > most.size()) {
        most = peers;
      }
    }
    PendingPeer leaving = most.getFirst();
    // Its request may have arrived without having been read.
    leaving.link.readNow();
    if (pending.contains(leaving)) {
      thread
          .rejections()
          .add(
              "%s sent no request while many others connected to %s"
                  .formatted(leaving.remote, address));
      leaving.link.abort();
    }
  }

  @Override
  public void failed(Throwable defect) {
    LOG.error("{} goes on listening", address);
  }

  private void accept(SocketChannel accepted) throws IOException {
    try {
      var remote = (InetSocketAddress) accepted.getRemoteAddress();
      if (!admitted.test(remote.getAddress())) {
        LOG.info("{} is not allowed to connect to {}; it was cut off", remote, address);
        accepted.close();
        return;
      }
      accepted.configureBlocking(false);
      NetworkManager.prepare(accepted);
      var peer = new PendingPeer(accepted);
      pending.add(peer);
      peer.link.register();
    } catch (IOException e) {
      accepted.close();
      return;
    }
    if (pending.size() > thread.limits().pendingPeers()) {
      cutOff();
    }
  }

  /** A peer that has connected but not sent a complete request yet. */
  private final class PendingPeer implements LinkUser {
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final NetworkLink link;

    PendingPeer(SocketChannel accepted) throws IOException {
      local = (InetSocketAddress) accepted.getLocalAddress();
      remote = (InetSocketAddress) accepted.getRemoteAddress();
      link = new NetworkLink(thread, accepted, remote, false, this);
    }

    @Override
    public void manage(Frame frame, byte[] privateData) throws BrokenStreamException {
      if (frame.type() != Frame.Type.REQUEST) {
        throw new BrokenStreamException(frame.type() + " came before REQUEST");
      }
      pending.remove(this);
      requested(this, frame.rnrRetries(), privateData);
    }

    @Override
    public void lost(Loss loss) {
      pending.remove(this);
      link.release();
    }
  }

  private void requested(PendingPeer peer, int rnrRetries, byte[] privateData) {
    lock.lock();
    try {
      if (!hasRoom()) {
        peer.link.reject(new byte[0]);
        return;
      }
      var connection =
          NetworkConnection.requested(
              manager, peer.local, peer.remote, peer.link, this, rnrRetries);
      peer.link.setUser(connection);
      try {
        manager.add(connection);
      } catch (VerbsException e) {
        peer.link.release();
        return;
      }
      add(new SoftConnectionRequest(privateData, connection));
    } finally {
      lock.unlock();
    }
  }

  /** A peer is gone: drops its request unless somebody took it. The lock is held. */
  void withdraw(NetworkConnection connection) {
    if (remove(connection)) {
      connection.abandon();
    }
  }

  @Override
  void stop() {
    thread.execute(this::closeChannel);
  }

  /** On the device's thread. */
  private void closeChannel() {
    try {
      channel.close();
      List.copyOf(pending).forEach(peer -> peer.link.abort());
      // The port is free only after this.
      thread.selectNow();
    } catch (IOException e) {
      LOG.warn("{} cannot be closed: {}", address, e.getMessage());
    } finally {
      stopped.countDown();
    }
  }

  @Override
  void awaitStopped() throws VerbsException {
    if (!Uninterrupted.await(stopped, manager.device().patience())) {
      throw manager.device().stuck("the port of " + address);
    }
  }
}
