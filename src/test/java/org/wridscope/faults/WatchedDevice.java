// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;

/**
 * A device that tells a watcher of each control message before and after it is posted, and whose
 * connections can be torn or fall silent. All else is another device's doing.
 */
final class WatchedDevice implements RdmaDevice {
  /** Where a control header has its type. */
  private static final int TYPE_OFFSET = 4;

  private static final ValueLayout.OfInt BIG_ENDIAN_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final RdmaDevice device;
  private final Watcher watcher;
  private final List<Connection> connections = new CopyOnWriteArrayList<>();

  /** Connections made so far have all fallen silent up to this number. */
  private volatile int silenced;

  /** Is told of control messages by the thread that posts them, which waits for it. */
  interface Watcher {
    void before(ControlType type);

    void after(ControlType type);
  }

  WatchedDevice(RdmaDevice device, Watcher watcher) {
    this.device = device;
    this.watcher = watcher;
  }

  /** Disconnects what is connected. */
  void tear() throws VerbsException {
    for (Connection connection : connections) {
      connection.disconnect();
    }
  }

  /** From now on nothing leaves that is posted on a connection that was made before. */
  void fallSilent() {
    silenced = connections.size();
  }

  private Connection watched(Connection connection) {
    connections.add(connection);
    int number = connections.size();
    return new WatchedConnection(connection, number);
  }

  @Override
  public ConnectionListener listen(
      InetSocketAddress address, int backlog, Predicate<InetAddress> admitted)
      throws VerbsException {
    return new WatchedListener(device.listen(address, backlog, admitted));
  }

  @Override
  public Connection resolve(InetSocketAddress destination, Duration timeout)
      throws VerbsException, InterruptedException {
    return watched(device.resolve(destination, timeout));
  }

  @Override
  public String name() {
    return device.name();
  }

  @Override
  public DeviceCapabilities capabilities() {
    return device.capabilities();
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    return device.allocateProtectionDomain();
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    return device.createCompletionChannel();
  }

  @Override
  public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel)
      throws VerbsException {
    return device.createCompletionQueue(entries, channel);
  }

  @Override
  public @Nullable AsyncEvent nextAsyncEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    return device.nextAsyncEvent(timeout);
  }

  @Override
  public void close() throws VerbsException {
    device.close();
  }

  private final class WatchedListener implements ConnectionListener {
    private final ConnectionListener listener;

    WatchedListener(ConnectionListener listener) {
      this.listener = listener;
    }

    @Override
    public InetSocketAddress localAddress() {
      return listener.localAddress();
    }

    @Override
    public @Nullable ConnectionRequest nextRequest(Duration timeout)
        throws VerbsException, InterruptedException {
      ConnectionRequest request = listener.nextRequest(timeout);
      return request == null ? null : new WatchedRequest(request, watched(request.connection()));
    }

    @Override
    public void close() throws VerbsException {
      listener.close();
    }
  }

  private record WatchedRequest(ConnectionRequest request, Connection connection)
      implements ConnectionRequest {
    @Override
    public byte[] privateData() {
      return request.privateData();
    }

    @Override
    public void accept(ConnectionParameters parameters, Duration timeout)
        throws VerbsException, InterruptedException {
      request.accept(parameters, timeout);
    }

    @Override
    public void reject(byte[] privateData) throws VerbsException {
      request.reject(privateData);
    }
  }

  private final class WatchedConnection implements Connection {
    private final Connection connection;
    private final int number;

    WatchedConnection(Connection connection, int number) {
      this.connection = connection;
      this.number = number;
    }

    @Override
    public InetSocketAddress localAddress() {
      return connection.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
      return connection.remoteAddress();
    }

    @Override
    public QueuePair createQueuePair(
        ProtectionDomain domain,
        CompletionQueue send,
        CompletionQueue receive,
        QueuePairCapacity capacity)
        throws VerbsException {
      return new WatchedQueuePair(
          connection.createQueuePair(domain, send, receive, capacity), number);
    }

    @Override
    public byte[] connect(ConnectionParameters parameters, Duration timeout)
        throws VerbsException, InterruptedException {
      return connection.connect(parameters, timeout);
    }

    @Override
    public @Nullable ConnectionEvent nextEvent(Duration timeout)
        throws VerbsException, InterruptedException {
      return connection.nextEvent(timeout);
    }

    @Override
    public void disconnect() throws VerbsException {
      if (number > silenced) {
        connection.disconnect();
      }
    }

    @Override
    public void close() throws VerbsException {
      connection.close();
    }
  }

  private final class WatchedQueuePair implements QueuePair {
    private final QueuePair queuePair;
    private final int connection;

    WatchedQueuePair(QueuePair queuePair, int connection) {
      this.queuePair = queuePair;
      this.connection = connection;
    }

    @Override
    public void postSend(SendRequest request) throws VerbsException {
      ControlType type = request.opcode() == SendRequest.Opcode.SEND ? typeOf(request) : null;
      if (type != null) {
        watcher.before(type);
      }
      if (connection > silenced) {
        queuePair.postSend(request);
      }
      if (type != null) {
        watcher.after(type);
      }
    }

    @SuppressWarnings("restricted")
    private static @Nullable ControlType typeOf(SendRequest request) {
      MemorySegment message =
          MemorySegment.ofAddress(request.address()).reinterpret(request.length());
      return ControlType.of(message.get(BIG_ENDIAN_INT, TYPE_OFFSET));
    }

    @Override
    public int number() {
      return queuePair.number();
    }

    @Override
    public QueuePairState state() {
      return queuePair.state();
    }

    @Override
    public QueuePairCapacity capacity() {
      return queuePair.capacity();
    }

    @Override
    public void postReceive(ReceiveRequest request) throws VerbsException {
      queuePair.postReceive(request);
    }

    @Override
    public void close() throws VerbsException {
      queuePair.close();
    }
  }
}
