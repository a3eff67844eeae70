// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.common.PrivateData;
import org.wridscope.verbs.common.Timeout;

/**
 * One end of a connection over the network; guarded by the manager's lock. What it has to say it
 * has its link say, on the device's thread.
 */
final class NetworkConnection implements ServerEnd, Wiring, LinkUser {

  private enum State {
    /** A client that knows where to go. */
    RESOLVED,
    /** A client that waits for an answer. */
    CONNECTING,
    /** A server that owes an answer. */
    REQUESTED,
    /** A server whose answer is on its way. */
    ACCEPTED,
    /** Established, whatever the peer has done since. */
    CONNECTED,
    /** Was refused. */
    REJECTED,
    /** Was never established, and will not be. */
    FAILED,
    /** Was established, until this end disconnected or its device failed. */
    DISCONNECTED,
    CLOSED
  }

  private final NetworkManager manager;
  private final NetworkThread thread;
  private final SoftDevice device;
  private final ReentrantLock lock;
  private final Condition changed;
  private InetSocketAddress local;
  private final InetSocketAddress remote;

  /** Where the request waited, null for a client. */
  private final @Nullable NetworkListener listener;

  private NetworkLink link;

  private final Deque<ConnectionEvent> events = new ArrayDeque<>();
  private State state;
  private @Nullable SoftQueuePair queuePair;
  private @Nullable NetworkRequester requester;
  private @Nullable NetworkResponder responder;
  private @Nullable Loss loss;
  private boolean lossReported;

  /** What the peer said about messages that find no receive there. */
  private int rnrRetries;

  /** Private data of the answer. */
  private byte[] answer = new byte[0];

  private NetworkConnection(
      NetworkManager manager,
      InetSocketAddress local,
      InetSocketAddress remote,
      State state,
      @Nullable NetworkListener listener,
      Function<LinkUser, NetworkLink> link) {
    this.manager = manager;
    this.thread = manager.thread();
    this.device = manager.device();
    this.lock = manager.lock();
    this.changed = lock.newCondition();
    this.local = local;
    this.remote = remote;
    this.state = state;
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

  /** A server, whose client has asked. */
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

  /** Begins to listen to the peer. */
  void register() {
    thread.execute(link::register);
  }

  @Override
  public Requester requester(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var made = new NetworkRequester(owner, queue, completions);
    requester = made;
    return made;
  }

  @Override
  public Responder responder(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var made = new NetworkResponder(owner, queue, completions);
    responder = made;
    return made;
  }

  @Override
  public InetSocketAddress localAddress() {
    lock.lock();
    try {
      return local;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public QueuePair createQueuePair(
      ProtectionDomain domain,
      CompletionQueue send,
      CompletionQueue receive,
      QueuePairCapacity capacity)
      throws VerbsException {
    lock.lock();
    try {
      if (queuePair != null) {
        throw new VerbsException(Errno.EINVAL, "the connection already has its queue pair");
      }
      if (state != State.RESOLVED && state != State.REQUESTED) {
        throw wrongState("get a queue pair");
      }
      SoftQueuePair created = device.createQueuePair(this, domain, send, receive, capacity);
      queuePair = created;
      return created;
    } finally {
      lock.unlock();
    }
  }

  // ------------------------------------------------------------------------------- connecting

  @Override
  public byte[] connect(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    byte[] data = parameters.privateData();
    PrivateData.requireFitsConnect(data);
    lock.lock();
    try {
      if (state != State.RESOLVED) {
        throw wrongState("connect");
      }
      if (queuePair == null || queuePair.state() != QueuePairState.INIT) {
        throw new VerbsException(Errno.EINVAL, "the connection has no queue pair to connect");
      }
      device.checkAlive();
      try {
        if (loss != null) {
          reach(timeout);
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        state = State.CONNECTING;
        thread.execute(() -> link.request(parameters.rnrRetryCount(), data));
        awaitAnswer(timeout);
      } finally {
        if (state == State.RESOLVED || state == State.CONNECTING) {
          fail(State.FAILED);
        }
        if (state != State.CONNECTED) {
          thread.execute(link::release);
        }
      }
      return answer;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the TCP connection anew: a listener that many connect to cuts off whoever has not asked
   * for anything yet.
   */
  private void reach(Duration timeout) throws VerbsException, InterruptedException {
    Loss first = Objects.requireNonNull(loss);
    if (first.status() != -Errno.ECONNRESET.value()) {
      throw first.toException();
    }
    lock.unlock();
    SocketChannel channel;
    try {
      channel = NetworkManager.connect(remote, timeout);
    } finally {
      lock.lock();
    }
    try {
      if (state != State.RESOLVED) {
        throw wrongState("connect");
      }
      local = (InetSocketAddress) channel.getLocalAddress();
      loss = null;
      thread.execute(link::release);
      link = new NetworkLink(thread, channel, remote, true, this);
      register();
    } catch (IOException e) {
      NetworkManager.close(channel);
      throw e instanceof VerbsException known ? known : first.toException();
    }
  }

  private void awaitAnswer(Duration timeout) throws VerbsException, InterruptedException {
    long left = Timeout.nanos(timeout);
    while (state == State.CONNECTING && left > 0) {
      left = changed.awaitNanos(left);
    }
    switch (state) {
      case CONNECTED, DISCONNECTED -> {}
      case CONNECTING ->
          throw new VerbsException(
              Errno.ETIMEDOUT,
              "%s did not answer within %d ms"
                  .formatted(Addresses.text(remote), timeout.toMillis()));
      case REJECTED ->
          throw new ConnectionRejectedException(
              "%s refused the connection".formatted(Addresses.text(remote)), true, answer);
      default -> {
        device.checkAlive();
        throw loss == null ? wrongState("connect") : loss.toException();
      }
    }
  }

  @Override
  public void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    lock.lock();
    try {
      requireUnanswered("accept");
      device.checkAlive();
      SoftQueuePair own = queuePair;
      if (own == null) {
        throw new VerbsException(Errno.EINVAL, "the connection has no queue pair to accept with");
      }
      if (loss != null) {
        fail(State.FAILED);
        throw gaveUp();
      }
      if (own.state() != QueuePairState.INIT) {
        fail(State.FAILED);
        thread.execute(link::release);
        throw new VerbsException(
            Errno.EINVAL, "the queue pair of the connection failed or was destroyed before");
      }
      state = State.ACCEPTED;
      thread.execute(() -> link.accept(parameters.rnrRetryCount(), parameters.privateData()));
      try {
        awaitEstablished(timeout);
      } finally {
        if (state == State.ACCEPTED) {
          fail(State.FAILED);
          thread.execute(link::release);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitEstablished(Duration timeout) throws VerbsException, InterruptedException {
    long left = Timeout.nanos(timeout);
    while (state == State.ACCEPTED && left > 0) {
      left = changed.awaitNanos(left);
    }
    if (state == State.ACCEPTED) {
      throw new VerbsException(
          Errno.ETIMEDOUT,
          "%s did not confirm the connection within %d ms".formatted(remote, timeout.toMillis()));
    }
    if (state == State.FAILED) {
      device.checkAlive();
      throw gaveUp();
    }
  }

  private VerbsException gaveUp() {
    return new VerbsException(
        Errno.ETIMEDOUT, "%s gave up before its request was accepted".formatted(remote));
  }

  @Override
  public void reject(byte[] data) throws VerbsException {
    lock.lock();
    try {
      requireUnanswered("reject");
      refuse(data);
    } finally {
      lock.unlock();
    }
  }

  private void requireUnanswered(String what) throws VerbsException {
    if (state != State.REQUESTED) {
      throw new VerbsException(
          Errno.EINVAL, "cannot %s: the request has been answered already".formatted(what));
    }
  }

  private void refuse(byte[] data) {
    fail(State.REJECTED);
    thread.execute(() -> link.reject(data));
  }

  @Override
  public void abandon() {
    fail(State.FAILED);
    state = State.CLOSED;
    thread.execute(link::release);
    manager.remove(this);
  }

  private void fail(State now) {
    state = now;
    if (queuePair != null) {
      queuePair.enterError();
    }
    changed.signalAll();
  }

  private VerbsException wrongState(String what) {
    return new VerbsException(
        Errno.EINVAL, "cannot %s: the connection is %s".formatted(what, state));
  }

  // ----------------------------------------------------------------------- what the peer says

  @Override
  public void manage(Frame frame, byte[] privateData) throws BrokenStreamException {
    lock.lock();
    try {
      switch (frame.type()) {
        case ACCEPT -> {
          if (listener != null || state == State.CONNECTED || state == State.DISCONNECTED) {
            throw new BrokenStreamException("ACCEPT came although nothing was asked");
          }
          accepted(frame.rnrRetries(), privateData);
        }
        case REJECT -> {
          if (listener != null || state == State.CONNECTED || state == State.DISCONNECTED) {
            throw new BrokenStreamException("REJECT came although nothing was asked");
          }
          if (state == State.CONNECTING) {
            answer = privateData;
            fail(State.REJECTED);
          }
        }
        case ESTABLISHED -> {
          if (listener == null || state == State.REQUESTED || state == State.CONNECTED) {
            throw new BrokenStreamException("ESTABLISHED came although nothing was accepted");
          }
          if (state == State.ACCEPTED) {
            establish();
          }
        }
        default -> throw new BrokenStreamException(frame.type() + " came a second time");
      }
    } finally {
      lock.unlock();
    }
  }

  private void accepted(int rnrRetriesThere, byte[] privateData) {
    // Who has given up meanwhile, says so by closing.
    if (state == State.CONNECTING) {
      rnrRetries = rnrRetriesThere;
      answer = privateData;
      link.establish();
      establish();
    }
  }

  private void establish() {
    if (queuePair == null || requester == null || responder == null) {
      throw new IllegalStateException("a connection without a queue pair was established");
    }
    link.plug(queuePair, requester, responder);
    if (queuePair.connect(rnrRetries)) {
      state = State.CONNECTED;
      changed.signalAll();
    } else {
      // It was destroyed at this moment.
      fail(State.FAILED);
      link.release();
    }
  }

  @Override
  public void lost(Loss why) {
    lock.lock();
    try {
      loss = why;
      switch (state) {
        case CONNECTING, ACCEPTED -> fail(State.FAILED);
        case REQUESTED -> {
          if (listener != null) {
            listener.withdraw(this);
          }
        }
        case CONNECTED, DISCONNECTED -> reportLoss(why.type(), why.status());
        default -> {}
      }
    } finally {
      lock.unlock();
    }
  }

  // ----------------------------------------------------------------------------------- ending

  @Override
  public @Nullable ConnectionEvent nextEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    lock.lock();
    try {
      long left = Timeout.nanos(timeout);
      while (events.isEmpty() && state != State.CLOSED && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (state == State.CLOSED) {
        throw wrongState("have events");
      }
      return events.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Reports that the connection is gone, once. */
  private void reportLoss(ConnectionEvent.Type type, int status) {
    if (!lossReported) {
      lossReported = true;
      report(type, status);
    }
  }

  private void report(ConnectionEvent.Type type, int status) {
    events.add(new ConnectionEvent(type, status));
    changed.signalAll();
  }

  @Override
  public void disconnect() {
    lock.lock();
    try {
      if (state == State.CONNECTED) {
        fail(State.DISCONNECTED);
        thread.execute(link::disconnect);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cuts the cable; both ends hear of it. The lock is held. */
  void cut() {
    if (state == State.CONNECTED) {
      thread.execute(link::abort);
    }
  }

  /** The device failed. The lock is held. */
  void deviceFailed() {
    if (state == State.CLOSED) {
      return;
    }
    fail(state == State.CONNECTED ? State.DISCONNECTED : State.FAILED);
    lossReported = true;
    report(ConnectionEvent.Type.DEVICE_REMOVAL, 0);
    thread.execute(link::abort);
  }

  @Override
  public void close() throws VerbsException {
    SoftQueuePair toClose;
    lock.lock();
    try {
      switch (state) {
        case CONNECTED -> disconnect();
        case REQUESTED -> refuse(new byte[0]);
        case CONNECTING, ACCEPTED -> fail(State.FAILED);
        default -> {}
      }
      toClose = queuePair;
    } finally {
      lock.unlock();
    }
    if (toClose != null) {
      // Without the lock: this waits for the device's thread, which may want it.
      toClose.close();
    }
    lock.lock();
    try {
      if (state == State.CLOSED) {
        return;
      }
      state = State.CLOSED;
      changed.signalAll();
      thread.execute(link::release);
      manager.remove(this);
    } finally {
      lock.unlock();
    }
  }
}
