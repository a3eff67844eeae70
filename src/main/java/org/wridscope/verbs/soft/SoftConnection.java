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
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
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

/**
 * One end of a connection of a software device: its states, its queue pair and its events. The two
 * subclasses know how to reach the peer.
 *
 * <p>Guarded by the connection manager's lock; methods that are not part of {@link Connection}
 * expect it to be held unless they say otherwise.
 */
abstract class SoftConnection implements Connection, QueuePairHalves {

  /** States of a connection. A client starts in RESOLVED, a server in REQUESTED. */
  enum State {
    /** Client: the address and route of the peer are known. */
    RESOLVED,
    /** Client: the request was sent and is not answered yet. */
    CONNECTING,
    /** Server: the request is not answered yet. */
    REQUESTED,
    /** Server: accepted, not confirmed by the client yet. */
    ACCEPTED,
    /** Established; stays so when the peer disconnects. */
    CONNECTED,
    /** The request was rejected. */
    REJECTED,
    /** Could not be established. */
    FAILED,
    /** Was established; then this end disconnected or its device failed. */
    DISCONNECTED,
    CLOSED
  }

  final SoftDevice device;
  private final ConnectionManager manager;
  private final ReentrantLock lock;
  private final Condition changed;
  private volatile InetSocketAddress local;
  private final InetSocketAddress remote;
  private final Deque<ConnectionEvent> events = new ArrayDeque<>();
  private State state;
  private @Nullable SoftQueuePair queuePair;
  private boolean lossReported;

  /** Private data of the peer's answer. */
  private byte[] answer = new byte[0];

  SoftConnection(
      ConnectionManager manager, InetSocketAddress local, InetSocketAddress remote, State state) {
    this.manager = manager;
    this.device = manager.device();
    this.lock = manager.lock();
    this.changed = lock.newCondition();
    this.local = local;
    this.remote = remote;
    this.state = state;
  }

  // --------------------------------------------------------------- depends on the way to the peer

  /**
   * Sends the connection request and enters {@link State#CONNECTING}.
   *
   * @throws VerbsException when that is impossible; the connection has failed then
   */
  abstract void request(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException;

  /** The request was not accepted: withdraws it. */
  abstract void withdrawRequest() throws VerbsException;

  /** Why {@link #connect} failed, when the peer neither answered nor the time ran out. */
  abstract VerbsException requestFailed();

  /**
   * Accepts the request, and enters {@link State#ACCEPTED} until the client confirms, or {@link
   * State#CONNECTED} if it need not.
   */
  abstract void establish(SoftQueuePair queuePair, ConnectionParameters parameters)
      throws VerbsException;

  /** The client did not confirm in time: the accepted connection is taken back. */
  abstract void takeBack();

  /** Sends a rejection to the client. */
  abstract void sendReject(byte[] privateData);

  /** Tells the peer that this end disconnected. */
  abstract void sendDisconnect();

  /** Cuts the cable of the established connection: both ends notice. */
  abstract void cutCable();

  /** The device failed; {@code established} is whether the connection was. The peer notices. */
  abstract void dropPeer(boolean established);

  /** The connection is closed: frees what it holds of the network. */
  abstract void release();

  // --------------------------------------------------------------------------------------- state

  final State state() {
    return state;
  }

  final @Nullable SoftQueuePair queuePair() {
    return queuePair;
  }

  final void enter(State now) {
    state = now;
    changed.signalAll();
  }

  /** Enters a state in which no message passes, and flushes the queue pair. */
  final void fail(State now) {
    enter(now);
    if (queuePair != null) {
      queuePair.enterError();
    }
  }

  /** The peer answered the request. */
  final void answered(byte[] privateData) {
    answer = privateData;
  }

  final VerbsException wrongState(String what) {
    return new VerbsException(
        Errno.EINVAL, "cannot %s: the connection is %s".formatted(what, state));
  }

  @Override
  public final InetSocketAddress localAddress() {
    return local;
  }

  final void setLocalAddress(InetSocketAddress address) {
    local = address;
  }

  @Override
  public final InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public final QueuePair createQueuePair(
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

  // ---------------------------------------------------------------------------------- connecting

  @Override
  public final byte[] connect(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    PrivateData.requireFitsConnect(parameters.privateData());
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
        request(parameters, timeout);
        awaitAnswer(timeout);
      } finally {
        if (state == State.RESOLVED || state == State.CONNECTING) {
          fail(State.FAILED);
        }
        if (state != State.CONNECTED) {
          withdrawRequest();
        }
      }
      return answer;
    } finally {
      lock.unlock();
    }
  }

  private void awaitAnswer(Duration timeout) throws VerbsException, InterruptedException {
    awaitEndOf(State.CONNECTING, timeout);
    switch (state) {
      case CONNECTED, DISCONNECTED -> {}
      case CONNECTING ->
          throw new VerbsException(
              Errno.ETIMEDOUT,
              "%s did not answer within %d ms".formatted(peer(), timeout.toMillis()));
      case REJECTED ->
          throw new ConnectionRejectedException(
              "%s refused the connection".formatted(peer()), true, answer);
      default -> {
        device.checkAlive();
        throw requestFailed();
      }
    }
  }

  /** Waits until the state changes or the time is over. */
  final void awaitEndOf(State present, Duration timeout) throws InterruptedException {
    boolean _ = Time.await(lock, changed, () -> state != present, Timeout.nanos(timeout));
  }

  /** Server: accepts the request and waits for the confirmation. Called without the lock. */
  final void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException {
    lock.lock();
    try {
      beginAccept(parameters);
      try {
        if (!awaitConfirmation(timeout)) {
          throw new VerbsException(
              Errno.ETIMEDOUT,
              "%s did not confirm the connection within %d ms"
                  .formatted(peer(), timeout.toMillis()));
        }
      } finally {
        if (state == State.ACCEPTED) {
          fail(State.FAILED);
          takeBack();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Server: accepts the request. Called with or without the lock. */
  final void beginAccept(ConnectionParameters parameters) throws VerbsException {
    lock.lock();
    try {
      requireUnanswered("accept");
      device.checkAlive();
      if (queuePair == null) {
        throw new VerbsException(Errno.EINVAL, "the connection has no queue pair to accept with");
      }
      establish(queuePair, parameters);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Server: waits for the client's confirmation. Called with or without the lock.
   *
   * @return false if it has not come
   */
  final boolean awaitConfirmation(Duration timeout) throws VerbsException, InterruptedException {
    lock.lock();
    try {
      if (state == State.ACCEPTED) {
        awaitEndOf(State.ACCEPTED, timeout);
      }
      if (state == State.FAILED) {
        device.checkAlive();
        throw gaveUp();
      }
      return state != State.ACCEPTED;
    } finally {
      lock.unlock();
    }
  }

  /** The client gave up: the connection has failed, and this is what to throw. */
  final VerbsException gaveUp() {
    fail(State.FAILED);
    return new VerbsException(
        Errno.ETIMEDOUT, "%s gave up before its request was accepted".formatted(peer()));
  }

  final String peer() {
    return Addresses.text(remote);
  }

  /**
   * Server: rejects the request. Called without the lock.
   *
   * @param privateData of the length that the transport carries
   */
  final void reject(byte[] privateData) throws VerbsException {
    lock.lock();
    try {
      requireUnanswered("reject");
      refuse(privateData);
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

  private void refuse(byte[] privateData) {
    fail(State.REJECTED);
    sendReject(privateData);
  }

  /** Server: the request is dropped before anybody took it; the client gets no answer. */
  final void abandon() {
    fail(State.FAILED);
    end();
  }

  // -------------------------------------------------------------------------------------- events

  @Override
  public final @Nullable ConnectionEvent nextEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    lock.lock();
    try {
      boolean _ =
          Time.await(
              lock,
              changed,
              () -> !events.isEmpty() || state == State.CLOSED,
              Timeout.nanos(timeout));
      if (state == State.CLOSED) {
        throw wrongState("have events");
      }
      return events.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Reports once that the established connection is gone. */
  final void reportLoss(ConnectionEvent.Type type, int status) {
    if (!lossReported && (state == State.CONNECTED || state == State.DISCONNECTED)) {
      report(type, status);
    }
  }

  private void report(ConnectionEvent.Type type, int status) {
    lossReported = true;
    events.add(new ConnectionEvent(type, status));
    changed.signalAll();
  }

  // -------------------------------------------------------------------------------------- ending

  @Override
  public final void disconnect() {
    lock.lock();
    try {
      if (state == State.CONNECTED) {
        fail(State.DISCONNECTED);
        sendDisconnect();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cuts the cable if the connection is established. May be called without the lock. */
  final void cut() {
    lock.lock();
    try {
      if (state == State.CONNECTED) {
        cutCable();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The device failed. */
  final void deviceFailed() {
    boolean established = state == State.CONNECTED;
    fail(established ? State.DISCONNECTED : State.FAILED);
    report(ConnectionEvent.Type.DEVICE_REMOVAL, 0);
    dropPeer(established);
  }

  @Override
  public final void close() throws VerbsException {
    SoftQueuePair toClose;
    lock.lock();
    try {
      switch (state) {
        case CONNECTED -> disconnect();
        case REQUESTED -> refuse(new byte[ConnectionRequest.MAX_REJECT_PRIVATE_DATA]);
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
      if (state != State.CLOSED) {
        end();
      }
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    enter(State.CLOSED);
    release();
    manager.remove(this);
  }
}
