// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.common.PrivateData;
import org.wridscope.verbs.common.Timeout;

/** One end of a connection; guarded by the fabric's lock. */
final class SoftConnection implements ServerEnd, Wiring {

  private enum State {
    /** A client that knows where to go. */
    RESOLVED,
    /** A client that waits for an answer. */
    CONNECTING,
    /** A server that owes an answer. */
    REQUESTED,
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

  private final FabricManager manager;
  private final SoftDevice device;
  private final SoftFabric fabric;
  private final ReentrantLock lock;
  private final Condition changed;
  private final InetSocketAddress local;
  private final InetSocketAddress remote;

  /** The port that this end holds, 0 when it is the listener's. */
  private final int port;

  private final Deque<ConnectionEvent> events = new ArrayDeque<>();
  private State state;
  private @Nullable SoftConnection peer;
  private @Nullable SoftQueuePair queuePair;
  private @Nullable LocalRequester requester;
  private @Nullable LocalResponder responder;
  private boolean lossReported;

  /** What connect or accept said about messages that find no receive here. */
  private int rnrRetriesOfPeer;

  /** Private data of the answer. */
  private byte[] answer = new byte[0];

  private SoftConnection(
      FabricManager manager,
      InetSocketAddress local,
      InetSocketAddress remote,
      int port,
      State state) {
    this.manager = manager;
    this.device = manager.device();
    this.fabric = manager.fabric();
    this.lock = fabric.lock();
    this.changed = lock.newCondition();
    this.local = local;
    this.remote = remote;
    this.port = port;
    this.state = state;
  }

  /** A client with a port of its own. The lock is held. */
  static SoftConnection resolved(
      FabricManager manager, InetSocketAddress local, InetSocketAddress remote) {
    return new SoftConnection(manager, local, remote, local.getPort(), State.RESOLVED);
  }

  SoftFabric fabric() {
    return fabric;
  }

  @Override
  public Requester requester(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var made = new LocalRequester(this, owner, queue, completions);
    requester = made;
    return made;
  }

  @Override
  public Responder responder(
      SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    var made = new LocalResponder(owner, queue, completions);
    responder = made;
    return made;
  }

  @Override
  public InetSocketAddress localAddress() {
    return local;
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
      rnrRetriesOfPeer = parameters.rnrRetryCount();
      SoftListener listener = fabric.listener(remote.getPort());
      if (listener == null) {
        fail(State.FAILED);
        throw new ConnectionRejectedException(
            "nobody listens on %s; start the other side first".formatted(Addresses.text(remote)),
            false,
            new byte[0]);
      }
      if (!listener.takes(local)) {
        fail(State.REJECTED);
        throw new ConnectionRejectedException(
            "%s has more requests waiting than it takes; try again later".formatted(remote),
            true,
            new byte[ConnectionRequest.MAX_REJECT_PRIVATE_DATA]);
      }
      var server =
          new SoftConnection(
              listener.manager(), listener.localAddress(), local, 0, State.REQUESTED);
      listener.manager().add(server);
      server.peer = this;
      peer = server;
      state = State.CONNECTING;
      var request =
          new SoftConnectionRequest(
              Arrays.copyOf(data, ConnectionParameters.MAX_CONNECT_PRIVATE_DATA), server);
      listener.add(request);
      awaitAnswer(listener, request, timeout);
      return answer;
    } finally {
      lock.unlock();
    }
  }

  private void awaitAnswer(SoftListener listener, SoftConnectionRequest request, Duration timeout)
      throws VerbsException, InterruptedException {
    try {
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
          throw wrongState("connect");
        }
      }
    } finally {
      if (state == State.CONNECTING) {
        fail(State.FAILED);
        if (listener.remove(request)) {
          request.cancel();
        }
      }
    }
  }

  @Override
  public void accept(ConnectionParameters parameters, Duration timeout) throws VerbsException {
    lock.lock();
    try {
      requireUnanswered("accept");
      device.checkAlive();
      SoftQueuePair own = queuePair;
      if (own == null) {
        throw new VerbsException(Errno.EINVAL, "the connection has no queue pair to accept with");
      }
      SoftConnection client = peer;
      SoftQueuePair other = client == null ? null : client.queuePair;
      if (client == null || other == null || client.state != State.CONNECTING) {
        fail(State.FAILED);
        throw new VerbsException(
            Errno.ETIMEDOUT, "%s gave up before its request was accepted".formatted(remote));
      }
      rnrRetriesOfPeer = parameters.rnrRetryCount();
      plug(client);
      client.plug(this);
      if (!own.connect(client.rnrRetriesOfPeer) || !other.connect(rnrRetriesOfPeer)) {
        fail(State.FAILED);
        client.fail(State.FAILED);
        throw new VerbsException(
            Errno.EINVAL, "a queue pair of the connection failed or was destroyed before");
      }
      state = State.CONNECTED;
      client.answer =
          Arrays.copyOf(parameters.privateData(), ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA);
      client.state = State.CONNECTED;
      client.changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void plug(SoftConnection other) {
    if (requester != null && other.responder != null) {
      requester.plug(other.responder);
    }
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
    SoftConnection client = peer;
    if (client != null && client.state == State.CONNECTING) {
      client.answer = data;
      client.fail(State.REJECTED);
    }
  }

  @Override
  public void abandon() {
    fail(State.FAILED);
    queuePair = null;
    state = State.CLOSED;
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

  private void report(ConnectionEvent.Type type) {
    if (state == State.CLOSED) {
      return;
    }
    events.add(new ConnectionEvent(type, 0));
    changed.signalAll();
  }

  /** Reports that the connection is gone, once. */
  private void reportLoss() {
    if (!lossReported && (state == State.CONNECTED || state == State.DISCONNECTED)) {
      lossReported = true;
      report(ConnectionEvent.Type.DISCONNECTED);
    }
  }

  @Override
  public void disconnect() {
    lock.lock();
    try {
      if (state != State.CONNECTED) {
        return;
      }
      fail(State.DISCONNECTED);
      if (peer != null) {
        peer.reportLoss();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cuts the cable; both ends hear of it. */
  void cut() {
    lock.lock();
    try {
      if (state != State.CONNECTED) {
        return;
      }
      sever();
      reportLoss();
      if (peer != null) {
        peer.sever();
        peer.reportLoss();
      }
    } finally {
      lock.unlock();
    }
  }

  private void sever() {
    if (requester != null) {
      requester.cut();
    }
  }

  /** The device failed. The lock is held. */
  void deviceFailed() {
    boolean wasConnected = state == State.CONNECTED;
    fail(wasConnected ? State.DISCONNECTED : State.FAILED);
    report(ConnectionEvent.Type.DEVICE_REMOVAL);
    if (wasConnected && peer != null) {
      peer.reportLoss();
    }
  }

  @Override
  public void close() throws VerbsException {
    SoftQueuePair toClose;
    lock.lock();
    try {
      switch (state) {
        case CONNECTED -> disconnect();
        case REQUESTED -> refuse(new byte[ConnectionRequest.MAX_REJECT_PRIVATE_DATA]);
        case CONNECTING -> fail(State.FAILED);
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
      if (port != 0) {
        fabric.freePort(port);
      }
      manager.remove(this);
    } finally {
      lock.unlock();
    }
  }
}
