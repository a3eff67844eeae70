// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.VerbsException;

/**
 * One end of a connection over the network; guarded by the manager's lock. Sends through its link,
 * which only the device's thread uses.
 */
final class NetworkConnection extends SoftConnection implements LinkUser {
  private final NetworkThread thread;
  private final ReentrantLock lock;

  /** Where the request waited, null for a client. */
  private final @Nullable NetworkListener listener;

  private NetworkLink link;
  private @Nullable NetworkRequester requester;
  private @Nullable NetworkResponder responder;
  private @Nullable Loss loss;

  /** How often to repeat a message that finds no receive at the peer. */
  private int rnrRetries;

  private NetworkConnection(
      NetworkManager manager,
      InetSocketAddress local,
      InetSocketAddress remote,
      State state,
      @Nullable NetworkListener listener,
      Function<LinkUser, NetworkLink> link) {
    super(manager, local, remote, state);
    this.thread = manager.thread();
    this.lock = manager.lock();
    this.listener = listener;
    this.link = link.apply(this);
  }

  /** A client, whose channel is connected and does not block. */
  static NetworkConnection resolved(
      NetworkManager manager,
      InetSocketAddress local,
      InetSocketAddress remote,
      SocketChannel channel) {
    return new NetworkConnection(
        manager,
        local,
        remote,
        State.RESOLVED,
        null,
        user -> new NetworkLink(manager.thread(), channel, remote, true, user));
  }

  /** A server, whose client has sent its request. */
  static NetworkConnection requested(
      NetworkManager manager,
      InetSocketAddress local,
      InetSocketAddress remote,
      NetworkLink link,
      NetworkListener listener,
      int rnrRetries) {
    var connection =
        new NetworkConnection(manager, local, remote, State.REQUESTED, listener, user -> link);
    connection.rnrRetries = rnrRetries;
    return connection;
  }

  /** Begins to receive from the peer. */
  void register() {
    thread.execute(link::register);
  }

  @Override
  public Requester requester(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var created = new NetworkRequester(owner, queue, completions);
    requester = created;
    return created;
  }

  @Override
  public Responder responder(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var created = new NetworkResponder(owner, queue, completions);
    responder = created;
    return created;
  }

  // ---------------------------------------------------------------------------------- connecting

  @Override
  void request(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    if (loss != null) {
      reconnect(loss, timeout);
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    enter(State.CONNECTING);
    thread.execute(() -> link.request(parameters.rnrRetryCount(), parameters.privateData()));
  }

  /**
   * Makes a new TCP connection: a listener with too many TCP connections cuts off the oldest that
   * has sent no request.
   */
  private void reconnect(Loss first, Duration timeout) throws VerbsException, InterruptedException {
    if (first.status() != -Errno.ECONNRESET.value()) {
      throw first.toException();
    }
    lock.unlock();
    SocketChannel channel;
    try {
      channel = NetworkManager.connect(remoteAddress(), timeout);
    } finally {
      lock.lock();
    }
    try {
      if (state() != State.RESOLVED) {
        throw wrongState("connect");
      }
      setLocalAddress((InetSocketAddress) channel.getLocalAddress());
      loss = null;
      thread.execute(link::release);
      link = new NetworkLink(thread, channel, remoteAddress(), true, this);
      register();
    } catch (IOException e) {
      NetworkManager.close(channel);
      throw e instanceof VerbsException known ? known : first.toException();
    }
  }

  @Override
  void withdrawRequest() {
    thread.execute(link::release);
  }

  @Override
  VerbsException requestFailed() {
    return loss == null ? wrongState("connect") : loss.toException();
  }

  @Override
  void establish(SoftQueuePair own, ConnectionParameters parameters) throws VerbsException {
    if (loss != null) {
      throw gaveUp();
    }
    if (own.state() != QueuePairState.INIT) {
      fail(State.FAILED);
      thread.execute(link::release);
      throw new VerbsException(
          Errno.EINVAL, "the queue pair of the connection failed or was destroyed before");
    }
    enter(State.ACCEPTED);
    thread.execute(() -> link.accept(parameters.rnrRetryCount(), parameters.privateData()));
  }

  @Override
  void takeBack() {
    thread.execute(link::release);
  }

  @Override
  void sendReject(byte[] privateData) {
    thread.execute(() -> link.reject(privateData));
  }

  @Override
  void sendDisconnect() {
    thread.execute(link::disconnect);
  }

  @Override
  void cutCable() {
    thread.execute(link::abort);
  }

  @Override
  void dropPeer(boolean established) {
    thread.execute(link::abort);
  }

  @Override
  void release() {
    thread.execute(link::release);
  }

  // ------------------------------------------------------------------------------ from the link

  @Override
  public void manage(Frame frame, byte[] privateData) throws BrokenStreamException {
    lock.lock();
    try {
      switch (frame.type()) {
        case ACCEPT -> {
          requireAsked(frame);
          accepted(frame.rnrRetries(), privateData);
        }
        case REJECT -> {
          requireAsked(frame);
          if (state() == State.CONNECTING) {
            answered(privateData);
            fail(State.REJECTED);
          }
        }
        case ESTABLISHED -> {
          if (listener == null || state() == State.REQUESTED || state() == State.CONNECTED) {
            throw new BrokenStreamException("ESTABLISHED came although nothing was accepted");
          }
          if (state() == State.ACCEPTED) {
            establish();
          }
        }
        default -> throw new BrokenStreamException(frame.type() + " came a second time");
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireAsked(Frame frame) throws BrokenStreamException {
    if (listener != null || state() == State.CONNECTED || state() == State.DISCONNECTED) {
      throw new BrokenStreamException(frame.type() + " came although nothing was asked");
    }
  }

  private void accepted(int rnrRetriesThere, byte[] privateData) {
    // If this end has given up meanwhile, closing the link tells the peer.
    if (state() == State.CONNECTING) {
      rnrRetries = rnrRetriesThere;
      answered(privateData);
      link.establish();
      establish();
    }
  }

  private void establish() {
    SoftQueuePair own = queuePair();
    if (own == null || requester == null || responder == null) {
      throw new IllegalStateException("a connection without a queue pair was established");
    }
    link.attach(requester, responder);
    if (own.connect(rnrRetries)) {
      enter(State.CONNECTED);
    } else {
      // The queue pair was destroyed meanwhile.
      fail(State.FAILED);
      link.release();
    }
  }

  @Override
  public void lost(Loss why) {
    lock.lock();
    try {
      loss = why;
      switch (state()) {
        case CONNECTING, ACCEPTED -> fail(State.FAILED);
        case REQUESTED -> {
          if (listener != null) {
            listener.withdraw(this);
          }
        }
        default -> reportLoss(why.type(), why.status());
      }
    } finally {
      lock.unlock();
    }
  }
}
