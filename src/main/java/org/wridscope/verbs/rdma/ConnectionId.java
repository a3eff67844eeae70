// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.wridscope.verbs.rdma.ffm.NativeFunction.POINTER;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.impl.NatCmaIdPrivate;
import com.ibm.disni.verbs.impl.NatIbvQP;
import com.ibm.disni.verbs.impl.NatRdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRoute;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Rdmacm;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A connection identifier with its own event channel, so that a thread that waits for its events
 * gets no others. The owner calls it under a lock, except for {@link #next} and {@link
 * #closeEvents}, and not after {@link #destroy}.
 */
final class ConnectionId {
  // rdma_set_option(3)
  private static final int OPTION_ID = 0;
  private static final int OPTION_ID_ACK_TIMEOUT = 3;

  /**
   * 4.096 us x 2^17 = 0.54 s until an unanswered packet is repeated (IBTA 9.7.6.1.3). librdmacm
   * uses 2.1 s on Ethernet; with 5 retries a lost peer would be noticed after 12 s.
   */
  private static final byte ACK_TIMEOUT = 17;

  /**
   * Outstanding RDMA READs in each direction. This program issues none, but some devices require at
   * least one.
   */
  private static final byte READS = 1;

  /** {@code IBV_EVENT_COMM_EST}. */
  private static final int COMMUNICATION_ESTABLISHED = 4;

  /** {@code IBV_QPS_INIT}. */
  private static final int STATE_INIT = 1;

  private final RdmaEventChannel channel;
  private final RdmaCmId id;
  private final long address;
  private final EventSource source;
  private boolean destroyed;

  private ConnectionId(RdmaEventChannel channel, RdmaCmId id) {
    this.channel = channel;
    this.id = id;
    address = ((NatCmaIdPrivate) id).getObjId();
    source = source(channel);
  }

  private static EventSource source(RdmaEventChannel channel) {
    long address = ((NatRdmaEventChannel) channel).getObjId();
    return new EventSource(
        Memory.getInt(address + Struct.EventChannel.FD), "the RDMA connection or listener");
  }

  /** Checks that connections are possible at all. */
  static void tryOut() throws VerbsException {
    destroy(createChannel());
  }

  private static RdmaEventChannel createChannel() throws VerbsException {
    try {
      return RdmaEventChannel.createEventChannel();
    } catch (NativeCallException e) {
      throw Installation.noEventChannel(e);
    } catch (IOException e) {
      throw Installation.wrap("creating an RDMA event channel", e);
    }
  }

  private static void destroy(RdmaEventChannel channel) throws VerbsException {
    try {
      Installation.check("destroying an RDMA event channel", channel.destroyEventChannel());
    } catch (IOException e) {
      throw Installation.wrap("destroying an RDMA event channel", e);
    }
  }

  static ConnectionId create() throws VerbsException {
    RdmaEventChannel channel = createChannel();
    try {
      return new ConnectionId(channel, channel.createId(RdmaCm.RDMA_PS_TCP));
    } catch (IOException e) {
      destroy(channel);
      throw Installation.wrap("creating an RDMA connection identifier", e);
    }
  }

  /**
   * Takes over the identifier of a connection request whose event was acknowledged. If that fails,
   * the identifier is destroyed, which rejects the request.
   */
  static ConnectionId ofRequest(long address) throws VerbsException {
    @Nullable RdmaEventChannel channel = null;
    try {
      channel = createChannel();
      Rdmacm.MIGRATE_ID.call(address, ((NatRdmaEventChannel) channel).getObjId());
      return new ConnectionId(channel, new NatCmaIdPrivate(address, channel, null));
    } catch (IOException e) {
      destroyUnowned(address);
      if (channel != null) {
        destroy(channel);
      }
      throw Installation.wrap("taking an RDMA connection request", e);
    }
  }

  /** Destroys the identifier of a connection request, which rejects it. */
  static void destroyUnowned(long address) throws VerbsException {
    try {
      Rdmacm.DESTROY_ID.call(address);
    } catch (NativeCallException e) {
      throw Installation.failed("destroying an RDMA connection identifier", e);
    }
  }

  /** The context of the device that an identifier is bound to, 0 when there is none. */
  static long contextOf(long id) {
    return Memory.getLong(id + Struct.ConnectionId.VERBS);
  }

  long context() {
    return contextOf(address);
  }

  /** {@link EventSource#next}. */
  <T> @Nullable T next(Duration timeout, EventSource.Taker<T> taker)
      throws VerbsException, InterruptedException {
    return source.next(timeout, taker);
  }

  /** The next event, acknowledged, or null when there is none. */
  @Nullable CmEvent take() throws NativeCallException {
    if (destroyed) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      long holder = arena.allocate(POINTER).address();
      try {
        Rdmacm.GET_CM_EVENT.call(((NatRdmaEventChannel) channel).getObjId(), holder);
      } catch (NativeCallException e) {
        if (e.errno() == Errno.EAGAIN.value()) {
          return null;
        }
        throw e;
      }
      long event = Memory.getLong(holder);
      try {
        return CmEvent.read(event);
      } finally {
        Rdmacm.ACK_CM_EVENT.call(event);
      }
    }
  }

  void bind(InetSocketAddress local) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      Rdmacm.BIND_ADDR.call(address, SocketAddresses.write(local, arena));
    }
  }

  void listen(int backlog) throws IOException {
    id.listen(backlog);
  }

  void resolveAddress(InetSocketAddress destination, int millis) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      Rdmacm.RESOLVE_ADDR.call(address, 0, SocketAddresses.write(destination, arena), millis);
    }
  }

  void resolveRoute(int millis) throws IOException {
    id.resolveRoute(millis);
  }

  InetSocketAddress localAddress() {
    return SocketAddresses.read(address + Struct.ConnectionId.SRC_ADDR);
  }

  InetSocketAddress remoteAddress() {
    return peerOf(address);
  }

  /** The port and the global identifiers, which are known once the route is. */
  ConnectionRoute route() {
    return new ConnectionRoute(
        Query.linkLayer(context(), Memory.getUnsignedByte(address + Struct.ConnectionId.PORT_NUM)),
        Query.gid(Memory.getBytes(address + Struct.ConnectionId.SGID, Struct.Gid.SIZE)),
        Query.gid(Memory.getBytes(address + Struct.ConnectionId.DGID, Struct.Gid.SIZE)));
  }

  /** The peer of an identifier. */
  static InetSocketAddress peerOf(long id) {
    return SocketAddresses.read(id + Struct.ConnectionId.DST_ADDR);
  }

  /** Creates the queue pair and returns its address. */
  long createQueuePair(IbvPd domain, IbvQPInitAttr attributes) throws IOException {
    return ((NatIbvQP) id.createQP(domain, attributes)).getObjId();
  }

  /**
   * Whether the peer has withdrawn its unanswered request. The kernel sends no event for that, but
   * then it has no attributes for the queue pair (ib_cm_init_qp_attr).
   */
  boolean isWithdrawn() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(Struct.QueuePairAttr.SIZE, Long.BYTES);
      Memory.putInt(attributes.address() + Struct.QueuePairAttr.QP_STATE, STATE_INIT);
      MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
      Rdmacm.INIT_QP_ATTR.call(address, attributes.address(), mask.address());
      return false;
    } catch (NativeCallException e) {
      return e.errno() == Errno.EINVAL.value();
    }
  }

  /** The queue pair was destroyed: librdmacm must not access it when an event arrives. */
  void forgetQueuePair() {
    if (!destroyed) {
      Memory.putLong(address + Struct.ConnectionId.QP, 0);
    }
  }

  void connect(ConnectionParameters parameters) throws NativeCallException {
    shortenAckTimeout();
    try (Arena arena = Arena.ofConfined()) {
      Rdmacm.CONNECT.call(address, write(parameters, arena));
    }
  }

  void accept(ConnectionParameters parameters) throws NativeCallException {
    shortenAckTimeout();
    try (Arena arena = Arena.ofConfined()) {
      Rdmacm.ACCEPT.call(address, write(parameters, arena));
    }
  }

  private void shortenAckTimeout() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_BYTE, ACK_TIMEOUT);
      Rdmacm.SET_OPTION.call(address, OPTION_ID, OPTION_ID_ACK_TIMEOUT, value.address(), 1);
    } catch (NativeCallException e) {
      // Not supported before Linux 5.1; then a lost peer is noticed later.
    }
  }

  /**
   * Writes {@code struct rdma_conn_param}. Each end's RNR count applies to the other end's sends.
   */
  private static long write(ConnectionParameters parameters, Arena arena) {
    byte[] data = parameters.privateData();
    long address = arena.allocate(Struct.ConnectionParam.SIZE, Long.BYTES).address();
    if (data.length > 0) {
      Memory.putLong(
          address + Struct.ConnectionParam.PRIVATE_DATA,
          arena.allocateFrom(ValueLayout.JAVA_BYTE, data).address());
    }
    Memory.putByte(address + Struct.ConnectionParam.PRIVATE_DATA_LEN, (byte) data.length);
    Memory.putByte(address + Struct.ConnectionParam.RESPONDER_RESOURCES, READS);
    Memory.putByte(address + Struct.ConnectionParam.INITIATOR_DEPTH, READS);
    Memory.putByte(address + Struct.ConnectionParam.RETRY_COUNT, (byte) parameters.retryCount());
    Memory.putByte(
        address + Struct.ConnectionParam.RNR_RETRY_COUNT, (byte) parameters.rnrRetryCount());
    return address;
  }

  void reject(byte[] privateData) throws NativeCallException {
    try (Arena arena = Arena.ofConfined()) {
      long data =
          privateData.length == 0
              ? 0
              : arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData).address();
      Rdmacm.REJECT.call(address, data, privateData.length);
    }
  }

  /** A message arrived before the confirmation of our accept; see rdma_notify(3). */
  void messageCame() {
    try {
      Rdmacm.NOTIFY.call(address, COMMUNICATION_ESTABLISHED);
    } catch (NativeCallException e) {
      // The confirmation has arrived meanwhile, or will.
    }
  }

  void disconnect() throws VerbsException {
    try {
      int result = id.disconnect();
      // The peer or the device may be gone already.
      if (result != 0 && result != -Errno.EINVAL.value() && result != -Errno.ENODEV.value()) {
        Installation.check("disconnecting", result);
      }
    } catch (IOException e) {
      throw Installation.wrap("disconnecting", e);
    }
  }

  /** Destroys the identifier, which withdraws an unanswered request. A second call does nothing. */
  void destroy() throws VerbsException {
    if (destroyed) {
      return;
    }
    destroyed = true;
    try {
      Installation.check("destroying an RDMA connection identifier", id.destroyId());
    } catch (IOException e) {
      throw Installation.wrap("destroying an RDMA connection identifier", e);
    }
  }

  /** Ends all waits for events. Called without the owner's lock, which waiting threads need. */
  void closeEvents() {
    source.close();
  }

  /** Destroys the channel. The identifier is destroyed and the events are closed. */
  void destroyChannel() throws VerbsException {
    destroy(channel);
  }
}
