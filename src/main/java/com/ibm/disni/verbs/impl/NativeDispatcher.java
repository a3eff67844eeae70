// SPDX-License-Identifier: Apache-2.0
package com.ibm.disni.verbs.impl;

import com.ibm.disni.verbs.IbvWC;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.rdma.ffm.DataPath;
import org.wridscope.verbs.rdma.ffm.Descriptors;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.NativeFunction;
import org.wridscope.verbs.rdma.ffm.Rdmacm;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * Stands in for DiSNI's class of this name, through which all of DiSNI's calls go: the same
 * methods, without DiSNI's native library. Names and results are DiSNI's to choose. Where DiSNI's
 * own gives -1 for a call that failed, this one gives the negative error number.
 */
@SuppressWarnings("MemberName")
public class NativeDispatcher {
  /** What DiSNI's own native library answers; it compares nothing with it. */
  private static final int VERSION = 32;

  /** {@code struct sockaddr_in6}, the larger of the two kinds of addresses. */
  private static final int SOCKET_ADDRESS_SIZE = 28;

  /** Scatter-gather elements for each request; DiSNI passes no number, and one is what we use. */
  private static final int MAX_ELEMENTS = 1;

  /** A single byte tells a peer how many reads may be under way. */
  private static final int MAX_READS = 255;

  static {
    SockAddrIn.CSIZE = SOCKET_ADDRESS_SIZE;
    NatIbvRecvWR.CSIZE = Struct.ReceiveRequest.SIZE;
    NatIbvSendWR.CSIZE = Struct.SendRequest.SIZE;
    NatIbvSendWR.REMOTEADDR_OFFSET = Struct.SendRequest.REMOTE_ADDR;
    NatIbvSendWR.RKEY_OFFSET = Struct.SendRequest.RKEY;
    NatIbvSge.CSIZE = Struct.ScatterGatherElement.SIZE;
    IbvWC.CSIZE = Struct.WorkCompletion.SIZE;
  }

  NativeDispatcher() {}

  /** 0, or the negative error number. */
  private static int succeeds(NativeFunction function, long... arguments) {
    try {
      return (int) function.call(arguments);
    } catch (NativeCallException e) {
      return -e.errno();
    }
  }

  public long _createEventChannel() throws IOException {
    long channel = Rdmacm.CREATE_EVENT_CHANNEL.call();
    Descriptors.setNonBlocking(Memory.getInt(channel + Struct.EventChannel.FD));
    return channel;
  }

  public long _createId(long channel, short portSpace) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      long id = arena.allocate(NativeFunction.POINTER).address();
      Rdmacm.CREATE_ID.call(channel, id, 0, Short.toUnsignedLong(portSpace));
      return Memory.getLong(id);
    }
  }

  public long _createQP(
      long id,
      long protectionDomain,
      long sendQueue,
      long receiveQueue,
      int type,
      int maxSendRequests,
      int maxReceiveRequests,
      int maxInlineData)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      long attributes = arena.allocate(Struct.QueuePairInitAttr.SIZE, Long.BYTES).address();
      Memory.putLong(attributes + Struct.QueuePairInitAttr.SEND_CQ, sendQueue);
      Memory.putLong(attributes + Struct.QueuePairInitAttr.RECV_CQ, receiveQueue);
      Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_SEND_WR, maxSendRequests);
      Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_RECV_WR, maxReceiveRequests);
      Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_SEND_SGE, MAX_ELEMENTS);
      Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_RECV_SGE, MAX_ELEMENTS);
      Memory.putInt(attributes + Struct.QueuePairInitAttr.MAX_INLINE_DATA, maxInlineData);
      Memory.putInt(attributes + Struct.QueuePairInitAttr.QP_TYPE, type);
      Rdmacm.CREATE_QP.call(id, protectionDomain, attributes);
      return Memory.getLong(id + Struct.ConnectionId.QP);
    }
  }

  public void _bindAddr(long id, long address) throws IOException {
    Rdmacm.BIND_ADDR.call(id, address);
  }

  public void _listen(long id, int backlog) throws IOException {
    Rdmacm.LISTEN.call(id, backlog);
  }

  public void _resolveAddr(long id, long source, long destination, int timeout) throws IOException {
    Rdmacm.RESOLVE_ADDR.call(id, source, destination, timeout);
  }

  public void _resolveRoute(long id, int timeout) throws IOException {
    Rdmacm.RESOLVE_ROUTE.call(id, timeout);
  }

  /** The kind of the next event, or -1; the ids it is about are written to the addresses. */
  public int _getCmEvent(long channel, long listenId, long clientId, int timeout) {
    try (Arena arena = Arena.ofConfined()) {
      if (!Descriptors.awaitReadable(Memory.getInt(channel + Struct.EventChannel.FD), timeout)) {
        return -1;
      }
      long holder = arena.allocate(NativeFunction.POINTER).address();
      Rdmacm.GET_CM_EVENT.call(channel, holder);
      long event = Memory.getLong(holder);
      long listener = Memory.getLong(event + Struct.ConnectionEvent.LISTEN_ID);
      long client = Memory.getLong(event + Struct.ConnectionEvent.ID);
      Memory.putLong(listenId, listener == 0 ? -1 : listener);
      Memory.putLong(clientId, client == 0 ? -1 : client);
      int type = Memory.getInt(event + Struct.ConnectionEvent.EVENT);
      Rdmacm.ACK_CM_EVENT.call(event);
      return type;
    } catch (NativeCallException e) {
      return -1;
    }
  }

  public void _connect(long id, int retries, int rnrRetries, long privateData, byte length)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Rdmacm.CONNECT.call(id, parameters(arena, id, retries, rnrRetries, privateData, length));
    }
  }

  public void _accept(long id, int retries, int rnrRetries) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Rdmacm.ACCEPT.call(id, parameters(arena, id, retries, rnrRetries, 0, (byte) 0));
    }
  }

  private static long parameters(
      Arena arena, long id, int retries, int rnrRetries, long privateData, byte length)
      throws NativeCallException {
    long device = arena.allocate(Struct.DeviceAttr.SIZE, Long.BYTES).address();
    Ibverbs.QUERY_DEVICE.call(Memory.getLong(id + Struct.ConnectionId.VERBS), device);
    byte reads =
        (byte) Math.min(MAX_READS, Memory.getInt(device + Struct.DeviceAttr.MAX_QP_RD_ATOM));
    MemorySegment parameters = arena.allocate(Struct.ConnectionParam.SIZE, Long.BYTES);
    long address = parameters.address();
    Memory.putLong(address + Struct.ConnectionParam.PRIVATE_DATA, privateData);
    Memory.putByte(address + Struct.ConnectionParam.PRIVATE_DATA_LEN, length);
    Memory.putByte(address + Struct.ConnectionParam.RESPONDER_RESOURCES, reads);
    Memory.putByte(address + Struct.ConnectionParam.INITIATOR_DEPTH, reads);
    Memory.putByte(address + Struct.ConnectionParam.RETRY_COUNT, (byte) retries);
    Memory.putByte(address + Struct.ConnectionParam.RNR_RETRY_COUNT, (byte) rnrRetries);
    return address;
  }

  /** Events are acknowledged where they are taken. */
  public int _ackCmEvent(int event) {
    return 0;
  }

  public int _disconnect(long id) {
    return succeeds(Rdmacm.DISCONNECT, id);
  }

  public int _destroyEventChannel(long channel) {
    return succeeds(Rdmacm.DESTROY_EVENT_CHANNEL, channel);
  }

  public int _destroyCmId(long id) {
    return succeeds(Rdmacm.DESTROY_ID, id);
  }

  public int _destroyQP(long id) {
    return Memory.getLong(id + Struct.ConnectionId.QP) == 0 ? -1 : succeeds(Rdmacm.DESTROY_QP, id);
  }

  public int _getSrcAddr(long id, long address) {
    Memory.copy(id + Struct.ConnectionId.SRC_ADDR, address, SOCKET_ADDRESS_SIZE);
    return 0;
  }

  public int _getDstAddr(long id, long address) {
    Memory.copy(id + Struct.ConnectionId.DST_ADDR, address, SOCKET_ADDRESS_SIZE);
    return 0;
  }

  public int _destroyEp(long id) {
    return succeeds(Rdmacm.DESTROY_EP, id);
  }

  public long _allocPd(long context) throws IOException {
    return Ibverbs.ALLOC_PD.call(context);
  }

  public long _createCompChannel(long context) throws IOException {
    long channel = Ibverbs.CREATE_COMP_CHANNEL.call(context);
    Descriptors.setNonBlocking(Memory.getInt(channel + Struct.CompletionChannel.FD));
    return channel;
  }

  public long _createCQ(long context, long channel, int entries, int vector) throws IOException {
    return Ibverbs.CREATE_CQ.call(context, entries, 0, channel, vector);
  }

  /** DiSNI passes attributes that it has not filled in. */
  public int _modifyQP(long queuePair, long attributes) throws IOException {
    throw new UnsupportedOperationException("DiSNI's modifyQP passes no attributes");
  }

  public long _regMr(
      long protectionDomain,
      long address,
      int length,
      int access,
      long localKey,
      long remoteKey,
      long handle)
      throws IOException {
    long region =
        Ibverbs.REG_MR.call(protectionDomain, address, Integer.toUnsignedLong(length), access);
    Memory.putInt(localKey, Memory.getInt(region + Struct.MemoryRegion.LKEY));
    Memory.putInt(remoteKey, Memory.getInt(region + Struct.MemoryRegion.RKEY));
    Memory.putInt(handle, Memory.getInt(region + Struct.MemoryRegion.HANDLE));
    return region;
  }

  public int _queryOdpSupport(long context) {
    return -1;
  }

  public int _expPrefetchMr(long region, long address, int length) throws IOException {
    return -1;
  }

  public void _deregMr(long region) throws IOException {
    Ibverbs.DEREG_MR.call(region);
  }

  public void _postSend(long queuePair, long requests) throws IOException {
    int errno = DataPath.postSend(queuePair, requests);
    if (errno != 0) {
      throw new NativeCallException("ibv_post_send", errno);
    }
  }

  public void _postRecv(long queuePair, long requests) throws IOException {
    int errno = DataPath.postReceive(queuePair, requests);
    if (errno != 0) {
      throw new NativeCallException("ibv_post_recv", errno);
    }
  }

  /** 0 when there was an event, else -1. */
  public int _getCqEvent(long channel, int timeout) throws IOException {
    int descriptor = Memory.getInt(channel + Struct.CompletionChannel.FD);
    if (!Descriptors.awaitReadable(descriptor, timeout)) {
      return -1;
    }
    try (Arena arena = Arena.ofConfined()) {
      long holder = arena.allocate(2L * Long.BYTES, Long.BYTES).address();
      return succeeds(Ibverbs.GET_CQ_EVENT, channel, holder, holder + Long.BYTES);
    }
  }

  public int _pollCQ(long queue, int count, long completions) throws IOException {
    return DataPath.poll(queue, count, completions);
  }

  public int _reqNotifyCQ(long queue, int solicitedOnly) throws IOException {
    return DataPath.requestNotification(queue, solicitedOnly != 0);
  }

  public int _ackCqEvent(long queue, int count) {
    return succeeds(Ibverbs.ACK_CQ_EVENTS, queue, count);
  }

  public int _destroyCompChannel(long channel) {
    return succeeds(Ibverbs.DESTROY_COMP_CHANNEL, channel);
  }

  public int _deallocPd(long protectionDomain) {
    return succeeds(Ibverbs.DEALLOC_PD, protectionDomain);
  }

  public int _destroyCQ(long queue) {
    return succeeds(Ibverbs.DESTROY_CQ, queue);
  }

  /** -1 when the id is not bound to a device. */
  public long _getContext(long id) throws IOException {
    long context = Memory.getLong(id + Struct.ConnectionId.VERBS);
    return context == 0 ? -1 : context;
  }

  public int _getQpNum(long queuePair) throws IOException {
    return Memory.getInt(queuePair + Struct.QueuePair.QP_NUM);
  }

  public int _getContextFd(long context) throws IOException {
    return Memory.getInt(context + Struct.Context.CMD_FD);
  }

  public int _getContextNumCompVectors(long context) throws IOException {
    return Memory.getInt(context + Struct.Context.NUM_COMP_VECTORS);
  }

  public int _getPdHandle(long protectionDomain) throws IOException {
    return Memory.getInt(protectionDomain + Struct.ProtectionDomain.HANDLE);
  }

  public int _getSockAddrInSize() {
    return SOCKET_ADDRESS_SIZE;
  }

  public int _getIbvRecvWRSize() {
    return Struct.ReceiveRequest.SIZE;
  }

  public int _getIbvSendWRSize() {
    return Struct.SendRequest.SIZE;
  }

  public int _getIbvSgeSize() {
    return Struct.ScatterGatherElement.SIZE;
  }

  public int _getIbvWCSize() {
    return Struct.WorkCompletion.SIZE;
  }

  public int _getRemoteAddressOffset() {
    return Struct.SendRequest.REMOTE_ADDR;
  }

  public int _getRKeyOffset() {
    return Struct.SendRequest.RKEY;
  }

  public int _getVersion() {
    return VERSION;
  }
}
