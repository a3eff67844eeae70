// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Addresses;
import org.wridscope.verbs.common.Checks;
import org.wridscope.verbs.common.PrivateData;
import org.wridscope.verbs.common.Timeout;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/** One end of a connection. Its lock guards its state and all calls on the native identifier. */
final class NativeConnection implements Connection {
  private enum State {
    /** Client: the address and route of the peer are not known yet. */
    UNRESOLVED,
    /** Client: the address and route of the peer are known. */
    RESOLVED,
    /** Client: the request was sent and is not answered yet. */
    CONNECTING,
    /** Server: the request is not answered yet. */
    REQUESTED,
    /** Server: accepted, not confirmed by the client yet. */
    ACCEPTING,
    /** Established; stays so when the peer disconnects. */
    CONNECTED,
    /** Server: rejected the request. */
    REJECTED,
    /** Could not be established. */
    FAILED,
    /** Was established; then this end disconnected. */
    DISCONNECTED,
    CLOSED
  }

  /** For which time at most the kernel waits for an address before it is asked again. */
  private static final int LONGEST_LOOK_MILLIS = 1000;

  private final NativeDevice device;
  private final ConnectionId id;
  private InetSocketAddress local;
  private InetSocketAddress remote;
  private State state;
  private @Nullable NativeQueuePair queuePair;

  /** The peer withdrew its request. */
  private boolean withdrawn;

  private NativeConnection(
      NativeDevice device,
      ConnectionId id,
      InetSocketAddress local,
      InetSocketAddress remote,
      State state) {
    this.device = device;
    this.id = id;
    this.local = local;
    this.remote = remote;
    this.state = state;
  }

  /** A client that has to be {@linkplain #resolve resolved}. */
  static NativeConnection unresolved(NativeDevice device, InetSocketAddress destination)
      throws VerbsException {
    return new NativeConnection(
        device, ConnectionId.create(), new InetSocketAddress(0), destination, State.UNRESOLVED);
  }

  /** A server's end of a connection request. */
  static NativeConnection requested(NativeDevice device, ConnectionId id) {
    return new NativeConnection(device, id, id.localAddress(), id.remoteAddress(), State.REQUESTED);
  }

  NativeDevice device() {
    return device;
  }

  @Override
  public synchronized InetSocketAddress localAddress() {
    return local;
  }

  @Override
  public synchronized InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public synchronized ConnectionRoute route() {
    return id.route();
  }

  private String peer() {
    return Addresses.text(remoteAddress());
  }

  // ----------------------------------------------------------------------------------- resolving

  void resolve(Duration duration) throws VerbsException, InterruptedException {
    Timeout timeout = new Timeout(duration);
    String peer = peer();
    try {
      synchronized (this) {
        bindSource();
      }
      resolveAddress(duration, timeout);
      synchronized (this) {
        if (id.context() != device.adapter().context()) {
          throw new VerbsException(
              Errno.ENETUNREACH,
              "the route to %s does not use the RDMA device %s; choose another device"
                  .formatted(peer, device.name()));
        }
        // No time left is an invalid argument for the kernel.
        id.resolveRoute(Math.max(1, timeout.millis(Integer.MAX_VALUE)));
      }
      require(await(timeout), CmEvent.Type.ROUTE_RESOLVED, duration);
      synchronized (this) {
        local = id.localAddress();
        remote = id.remoteAddress();
        state = State.RESOLVED;
      }
    } catch (NativeCallException e) {
      throw ConnectionFailures.noRoute(peer, e);
    } catch (IOException e) {
      throw Installation.wrap("finding the route to " + peer, e);
    }
  }

  /**
   * Asks for the address again every second. The kernel looks at the neighbour when it is asked and
   * when the neighbour answers ({@code NETEVENT_NEIGH_UPDATE}); an answer that comes before the
   * request is in its queue is missed ({@code rdma_resolve_ip} in drivers/infiniband/core/addr.c),
   * and it looks again only when all of the time is over.
   */
  private void resolveAddress(Duration duration, Timeout timeout)
      throws VerbsException, InterruptedException, NativeCallException {
    CmEvent event;
    do {
      synchronized (this) {
        id.resolveAddress(remote, timeout.millis(LONGEST_LOOK_MILLIS));
      }
      event = await(timeout);
    } while (event != null
        && event.type() == CmEvent.Type.ADDR_ERROR
        && -event.status() == Errno.ETIMEDOUT.value()
        && timeout.nanos() > 0);
    require(event, CmEvent.Type.ADDR_RESOLVED, duration);
  }

  private void bindSource() throws NativeCallException {
    Optional<InetAddress> source = SourceAddress.of(device.adapter(), remote.getAddress());
    if (source.isPresent()) {
      id.bind(new InetSocketAddress(source.get(), 0));
    }
  }

  private void require(@Nullable CmEvent event, CmEvent.Type expected, Duration duration)
      throws VerbsException {
    if (event == null) {
      throw new VerbsException(
          Errno.ETIMEDOUT,
          "found no route to %s within %d ms; check that the host is up and the address is right"
              .formatted(peer(), duration.toMillis()));
    }
    switch (event.type()) {
      case ADDR_ERROR, ROUTE_ERROR ->
          throw ConnectionFailures.noRoute(
              peer(), new NativeCallException("RDMA_CM_EVENT_" + event.type(), -event.status()));
      case DEVICE_REMOVAL -> throw ConnectionFailures.removed(device.name());
      default -> {
        if (event.type() != expected) {
          throw new IllegalStateException("%s came instead of %s".formatted(event, expected));
        }
      }
    }
  }

  /** The next event of the connection manager, or null when none arrived in time. */
  private @Nullable CmEvent await(Timeout timeout) throws VerbsException, InterruptedException {
    return id.next(Duration.ofNanos(timeout.nanos()), this::take);
  }

  private synchronized @Nullable CmEvent take() throws NativeCallException {
    return id.take();
  }

  // ---------------------------------------------------------------------------------- queue pair

  @Override
  public QueuePair createQueuePair(
      ProtectionDomain domain,
      CompletionQueue send,
      CompletionQueue receive,
      QueuePairCapacity capacity)
      throws VerbsException {
    if (!(domain instanceof NativeProtectionDomain ownDomain)
        || !(send instanceof NativeCompletionQueue ownSend)
        || !(receive instanceof NativeCompletionQueue ownReceive)
        || ownDomain.device() != device
        || ownSend.device() != device
        || ownReceive.device() != device) {
      throw Checks.foreignObjects();
    }
    try {
      return createQueuePair(
          new NewQueuePair(ownDomain, ownSend, ownReceive, capacity), NativeQueuePair::new);
    } catch (VerbsException e) {
      if (e.errno() == Errno.EINVAL && isWithdrawn()) {
        VerbsException gaveUp = ConnectionFailures.gaveUp(peer());
        gaveUp.addSuppressed(e);
        throw gaveUp;
      }
      throw e;
    }
  }

  /** Whether the peer has withdrawn its unanswered request. */
  private synchronized boolean isWithdrawn() {
    return state == State.REQUESTED && (withdrawn || id.isWithdrawn());
  }

  synchronized QueuePair createQueuePair(NewQueuePair wanted, NewQueuePair.Factory factory)
      throws VerbsException {
    if (queuePair != null) {
      throw new VerbsException(Errno.EINVAL, "the connection already has its queue pair");
    }
    if (state != State.RESOLVED && state != State.REQUESTED) {
      throw wrongState("get a queue pair");
    }
    Checks.requireDepths(wanted.capacity(), device.capabilities());
    NativeQueuePair created =
        device.make(
            "a queue pair", () -> device.adapter().create(() -> wanted.create(this, id, factory)));
    queuePair = created;
    boolean attached = false;
    try {
      created.attach();
      attached = true;
    } finally {
      if (!attached) {
        created.close();
        queuePair = null;
      }
    }
    return created;
  }

  /** Destroys the native queue pair; false when it was destroyed before. */
  synchronized boolean destroy(NativeQueuePair toDestroy) throws VerbsException {
    boolean destroyed = toDestroy.destroy();
    if (destroyed) {
      id.forgetQueuePair();
    }
    return destroyed;
  }

  // ---------------------------------------------------------------------------------- connecting

  @Override
  public byte[] connect(ConnectionParameters parameters, Duration duration)
      throws VerbsException, InterruptedException {
    PrivateData.requireFitsConnect(parameters.privateData());
    synchronized (this) {
      if (state != State.RESOLVED) {
        throw wrongState("connect");
      }
      if (queuePair == null || !queuePair.isOpen()) {
        throw new VerbsException(Errno.EINVAL, "the connection has no queue pair to connect");
      }
      device.checkAlive();
      state = State.CONNECTING;
    }
    boolean established = false;
    try {
      byte[] answer = awaitAnswer(parameters, duration);
      established();
      established = true;
      return answer;
    } finally {
      if (!established) {
        fail();
      }
    }
  }

  private byte[] awaitAnswer(ConnectionParameters parameters, Duration duration)
      throws VerbsException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Timeout timeout = new Timeout(duration);
    synchronized (this) {
      if (state != State.CONNECTING) {
        throw wrongState("connect");
      }
      try {
        id.connect(parameters);
      } catch (NativeCallException e) {
        throw Installation.failed("connecting to " + peer(), e);
      }
    }
    while (true) {
      CmEvent event = await(timeout);
      if (event == null) {
        throw new VerbsException(
            Errno.ETIMEDOUT,
            "%s did not answer within %d ms".formatted(peer(), duration.toMillis()));
      }
      switch (event.type()) {
        case ESTABLISHED -> {
          return event.privateData();
        }
        case REJECTED -> throw ConnectionFailures.rejected(peer(), event);
        case UNREACHABLE, CONNECT_ERROR, DISCONNECTED ->
            throw new VerbsException(
                Errno.ETIMEDOUT,
                "%s cannot be reached over RDMA (%s, status %d); check that its RDMA device is up"
                    .formatted(peer(), event.type(), event.status()));
        case DEVICE_REMOVAL -> throw ConnectionFailures.removed(device.name());
        default -> {}
      }
    }
  }

  // ----------------------------------------------------------------------------------- accepting

  /** Server: accepts the request, and waits for the confirmation. */
  void accept(ConnectionParameters parameters, Duration duration)
      throws VerbsException, InterruptedException {
    boolean established = false;
    try {
      beginAccept(parameters);
      if (!awaitConfirmation(duration)) {
        throw new VerbsException(
            Errno.ETIMEDOUT,
            "%s did not confirm the connection within %d ms"
                .formatted(peer(), duration.toMillis()));
      }
      established = true;
    } finally {
      if (!established) {
        fail();
      }
    }
  }

  /** Server: accepts the request. */
  synchronized void beginAccept(ConnectionParameters parameters) throws VerbsException {
    requireUnanswered("accept");
    device.checkAlive();
    if (queuePair == null || !queuePair.isOpen()) {
      throw new VerbsException(Errno.EINVAL, "the connection has no queue pair to accept with");
    }
    state = State.ACCEPTING;
    try {
      for (CmEvent event = id.take(); event != null; event = id.take()) {
        withdrawn |= event.type() == CmEvent.Type.REJECTED;
      }
      if (withdrawn) {
        throw ConnectionFailures.gaveUp(peer());
      }
      id.accept(parameters);
    } catch (NativeCallException e) {
      throw e.errno() == Errno.EINVAL.value() || e.errno() == Errno.ENOTCONN.value()
          ? ConnectionFailures.gaveUp(peer())
          : Installation.failed("accepting the connection of " + peer(), e);
    }
  }

  /** Server: waits for the client's confirmation; false if it has not come. */
  boolean awaitConfirmation(Duration duration) throws VerbsException, InterruptedException {
    Timeout timeout = new Timeout(duration);
    while (true) {
      CmEvent event = await(timeout);
      if (event == null) {
        return false;
      }
      switch (event.type()) {
        case ESTABLISHED -> {
          established();
          return true;
        }
        case REJECTED, UNREACHABLE, CONNECT_ERROR, DISCONNECTED ->
            throw ConnectionFailures.gaveUp(peer());
        case DEVICE_REMOVAL -> throw ConnectionFailures.removed(device.name());
        default -> {}
      }
    }
  }

  /** Server: rejects the request. */
  synchronized void reject(byte[] data) throws VerbsException {
    requireUnanswered("reject");
    refuse(data);
  }

  private void refuse(byte[] data) {
    state = State.REJECTED;
    try {
      id.reject(data);
    } catch (NativeCallException e) {
      // The peer has given up.
    }
  }

  private void requireUnanswered(String what) throws VerbsException {
    if (state != State.REQUESTED) {
      throw new VerbsException(
          Errno.EINVAL, "cannot %s: the request has been answered already".formatted(what));
    }
  }

  private synchronized void established() throws VerbsException {
    if (state != State.CONNECTING && state != State.ACCEPTING) {
      throw wrongState("be established");
    }
    state = State.CONNECTED;
    if (queuePair != null) {
      queuePair.connected();
    }
  }

  /** The connection failed: flushes its receives and withdraws its request. */
  private synchronized void fail() throws VerbsException {
    if (state == State.CONNECTING || state == State.ACCEPTING) {
      state = State.FAILED;
      if (queuePair != null) {
        queuePair.enterError();
      }
      id.destroy();
    }
  }

  private synchronized VerbsException wrongState(String what) {
    return new VerbsException(
        Errno.EINVAL, "cannot %s: the connection is %s".formatted(what, state));
  }

  /** A message arrived before the peer's confirmation. */
  synchronized void messageCame() {
    if (state == State.ACCEPTING) {
      id.messageCame();
    }
  }

  // -------------------------------------------------------------------------------------- events

  @Override
  public @Nullable ConnectionEvent nextEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    return id.next(timeout, this::takeEvent);
  }

  private synchronized @Nullable ConnectionEvent takeEvent() throws NativeCallException {
    CmEvent event = id.take();
    if (event == null) {
      return null;
    }
    ConnectionEvent.Type type =
        switch (event.type()) {
          case DISCONNECTED -> ConnectionEvent.Type.DISCONNECTED;
          case UNREACHABLE, CONNECT_ERROR -> ConnectionEvent.Type.UNREACHABLE;
          case DEVICE_REMOVAL -> ConnectionEvent.Type.DEVICE_REMOVAL;
          case TIMEWAIT_EXIT -> ConnectionEvent.Type.TIMEWAIT_EXIT;
          case REJECTED -> {
            withdrawn = true;
            yield null;
          }
          default -> null;
        };
    return type == null ? null : new ConnectionEvent(type, event.status());
  }

  // -------------------------------------------------------------------------------------- ending

  @Override
  public synchronized void disconnect() throws VerbsException {
    if (state != State.CONNECTED) {
      return;
    }
    state = State.DISCONNECTED;
    id.disconnect();
    if (queuePair != null) {
      // librdmacm has done this unless the connection was already gone.
      queuePair.enterError();
    }
  }

  @Override
  public void close() throws VerbsException {
    NativeQueuePair toClose;
    synchronized (this) {
      switch (state) {
        case CONNECTED -> disconnect();
        case REQUESTED -> refuse(new byte[0]);
        case CONNECTING, ACCEPTING -> fail();
        default -> {}
      }
      toClose = queuePair;
    }
    if (toClose != null) {
      // Without the lock: this may wait until an asynchronous event is acknowledged.
      toClose.close();
    }
    id.closeEvents();
    synchronized (this) {
      if (state == State.CLOSED) {
        return;
      }
      state = State.CLOSED;
      id.destroy();
      id.destroyChannel();
    }
    device.forget();
  }
}
