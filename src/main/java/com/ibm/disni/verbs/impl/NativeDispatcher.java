// SPDX-License-Identifier: Apache-2.0
package com.ibm.disni.verbs.impl;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.wridscope.verbs.rdma.ffm.Descriptors;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.NativeFunction;
import org.wridscope.verbs.rdma.ffm.Rdmacm;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * Takes the place of DiSNI's class of this name, through which all native calls of DiSNI go. It has
 * the methods that are called, with DiSNI's names and results, and needs no native library of
 * DiSNI's. Where the original returns -1 for a call that failed, this returns the negative error
 * number.
 */
@SuppressWarnings("MemberName")
public class NativeDispatcher {
  /** Scatter/gather elements per request, which DiSNI does not pass. */
  private static final int MAX_ELEMENTS = 1;

  NativeDispatcher() {}

  /** Calls a function: returns 0, or the negative error number. */
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

  public void _listen(long id, int backlog) throws IOException {
    Rdmacm.LISTEN.call(id, backlog);
  }

  public void _resolveRoute(long id, int timeout) throws IOException {
    Rdmacm.RESOLVE_ROUTE.call(id, timeout);
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

  public int _ackCqEvent(long queue, int count) {
    return succeeds(Ibverbs.ACK_CQ_EVENTS, queue, count);
  }

  public int _destroyCompChannel(long channel) {
    return succeeds(Ibverbs.DESTROY_COMP_CHANNEL, channel);
  }

  public int _deallocPd(long protectionDomain) {
    return succeeds(Ibverbs.DEALLOC_PD, protectionDomain);
  }

  public int _getPdHandle(long protectionDomain) throws IOException {
    return Memory.getInt(protectionDomain + Struct.ProtectionDomain.HANDLE);
  }

  public int _destroyCQ(long queue) {
    return succeeds(Ibverbs.DESTROY_CQ, queue);
  }
}
