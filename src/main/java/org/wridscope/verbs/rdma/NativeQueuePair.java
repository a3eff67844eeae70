// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.DataPath;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A queue pair. Its lock keeps it from being destroyed while requests are posted, and is taken
 * after the connection's lock.
 */
final class NativeQueuePair implements QueuePair {
  static final byte TYPE_RELIABLE_CONNECTED = 2;

  // enum ibv_qp_attr_mask
  private static final int MASK_STATE = 1;
  private static final int MASK_MIN_RNR_TIMER = 1 << 15;
  private static final int MASK_CAPACITY = 1 << 19;

  private static final int STATE_ERROR = 6;

  /**
   * 0.64 ms (IBTA table 45). librdmacm leaves 0, which means 655 ms: a message that arrives just
   * before its receive is posted would be delayed that long.
   */
  private static final byte MIN_RNR_TIMER = 12;

  /** In the order of enum ibv_qp_state. */
  private static final QueuePairState[] STATES = {
    QueuePairState.RESET,
    QueuePairState.INIT,
    QueuePairState.RTR,
    QueuePairState.RTS,
    QueuePairState.SQD,
    QueuePairState.SQE,
    QueuePairState.ERROR
  };

  private final NativeDevice device;
  private final NativeConnection connection;
  private final NativeProtectionDomain domain;
  private final NativeCompletionQueue sendQueue;
  private final NativeCompletionQueue receiveQueue;
  private final long address;
  private final int number;
  private final QueuePairCapacity capacity;
  private final long maxMessageSize;
  private final NativeWorkRequest sendRequest = NativeWorkRequest.forSending();
  private final NativeWorkRequest receiveRequest = NativeWorkRequest.forReceiving();

  // Guarded by this object's lock.
  private boolean sendable;
  private boolean failed;
  private boolean closed;

  /**
   * @param address of the native object. Once created, this object owns it, and one use of the
   *     domain and of each queue
   */
  NativeQueuePair(
      NativeConnection connection,
      NativeProtectionDomain domain,
      NativeCompletionQueue sendQueue,
      NativeCompletionQueue receiveQueue,
      long address)
      throws NativeCallException {
    this.device = connection.device();
    this.connection = connection;
    this.domain = domain;
    this.sendQueue = sendQueue;
    this.receiveQueue = receiveQueue;
    this.address = address;
    maxMessageSize = device.capabilities().maxMessageSize();
    number = Memory.getInt(address + Struct.QueuePair.QP_NUM);
    LayoutCheck.expect(
        "ibv_qp.context",
        device.adapter().context(),
        Memory.getLong(address + Struct.QueuePair.CONTEXT));
    LayoutCheck.expect(
        "ibv_qp.send_cq", sendQueue.address(), Memory.getLong(address + Struct.QueuePair.SEND_CQ));
    LayoutCheck.expect(
        "ibv_qp.recv_cq",
        receiveQueue.address(),
        Memory.getLong(address + Struct.QueuePair.RECV_CQ));
    LayoutCheck.expect(
        "ibv_qp.qp_type",
        TYPE_RELIABLE_CONNECTED,
        Memory.getInt(address + Struct.QueuePair.QP_TYPE));
    try (Arena arena = Arena.ofConfined()) {
      long attributes = query(MASK_CAPACITY, arena);
      capacity =
          new QueuePairCapacity(
              Memory.getInt(attributes + Struct.QueuePairAttr.MAX_SEND_WR),
              Memory.getInt(attributes + Struct.QueuePairAttr.MAX_RECV_WR));
    }
  }

  /** Starts the delivery of asynchronous events to this queue pair. */
  void listen() {
    device.events().add(this);
    device.adapter().enter(address, this);
  }

  /** Starts the delivery of the events of its completion queues. */
  void attach() {
    sendQueue.attach(this);
    receiveQueue.attach(this);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public QueuePairCapacity capacity() {
    return capacity;
  }

  synchronized boolean isOpen() {
    return !closed;
  }

  @Override
  public synchronized QueuePairState state() {
    if (closed) {
      return QueuePairState.RESET;
    }
    try (Arena arena = Arena.ofConfined()) {
      int state = Memory.getInt(query(MASK_STATE, arena) + Struct.QueuePairAttr.QP_STATE);
      return state >= 0 && state < STATES.length ? STATES[state] : QueuePairState.ERROR;
    } catch (NativeCallException e) {
      // The device is gone.
      return QueuePairState.ERROR;
    }
  }

  /** Attributes of the native object. */
  private long query(int mask, Arena arena) throws NativeCallException {
    long attributes = arena.allocate(Struct.QueuePairAttr.SIZE, Long.BYTES).address();
    long initial = arena.allocate(Struct.QueuePairInitAttr.SIZE, Long.BYTES).address();
    Ibverbs.QUERY_QP.call(address, attributes, mask, initial);
    return attributes;
  }

  @Override
  public synchronized void postSend(SendRequest request) throws VerbsException {
    if (closed || !sendable) {
      throw new VerbsException(
          Errno.EINVAL,
          "cannot send: queue pair %d %s"
              .formatted(number, closed ? "was destroyed" : "is not connected yet"));
    }
    if (request.length() > maxMessageSize) {
      throw new VerbsException(
          Errno.EINVAL,
          "a message of %d bytes, the device sends at most %d"
              .formatted(request.length(), maxMessageSize));
    }
    sendRequest.fill(request);
    int errno = DataPath.postSend(address, sendRequest.address());
    if (errno != 0) {
      throw refused("send", "ibv_post_send", errno);
    }
  }

  @Override
  public synchronized void postReceive(ReceiveRequest request) throws VerbsException {
    if (closed) {
      throw new VerbsException(
          Errno.EINVAL, "cannot receive: queue pair %d was destroyed".formatted(number));
    }
    receiveRequest.fill(request);
    int errno = DataPath.postReceive(address, receiveRequest.address());
    if (errno != 0) {
      throw refused("receive", "ibv_post_recv", errno);
    }
    if (failed) {
      // Soft-RoCE flushes receives only when the error state is entered.
      enterError();
    }
  }

  private VerbsException refused(String queue, String function, int errno) {
    return errno == Errno.ENOMEM.value()
        ? new VerbsException(
            Errno.ENOMEM, "the %s queue of queue pair %d is full".formatted(queue, number))
        : Installation.failed(
            "posting to the %s queue of queue pair %d".formatted(queue, number),
            new NativeCallException(function, errno));
  }

  /** The connection was established. */
  synchronized void connected() {
    sendable = true;
    if (!closed) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment attributes = arena.allocate(Struct.QueuePairAttr.SIZE, Long.BYTES);
        Memory.putByte(attributes.address() + Struct.QueuePairAttr.MIN_RNR_TIMER, MIN_RNR_TIMER);
        Ibverbs.MODIFY_QP.call(address, attributes.address(), MASK_MIN_RNR_TIMER);
      } catch (NativeCallException e) {
        // A device may refuse; then a receive that is posted late takes longer.
      }
    }
  }

  /** Enters the error state, in which requests are flushed. */
  synchronized void enterError() {
    sendable = true;
    failed = true;
    if (!closed) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment attributes = arena.allocate(Struct.QueuePairAttr.SIZE, Long.BYTES);
        Memory.putInt(attributes.address() + Struct.QueuePairAttr.QP_STATE, STATE_ERROR);
        Ibverbs.MODIFY_QP.call(address, attributes.address(), MASK_STATE);
      } catch (NativeCallException e) {
        // The device is gone, and the queue pair with it.
      }
    }
  }

  /** An asynchronous event named this queue pair. */
  void happened(AsyncEventType type) {
    device.events().raise(type, this, number);
    if (type == AsyncEventType.COMM_EST) {
      connection.messageCame();
    }
  }

  @Override
  public void close() throws VerbsException {
    // First, since the kernel may reuse the number as soon as the queue pair is destroyed.
    device.events().retireQueuePair(this);
    if (destroyed()) {
      sendQueue.detach(this);
      receiveQueue.detach(this);
      sendQueue.release();
      receiveQueue.release();
      domain.release();
      device.forget();
    }
  }

  /** Destroys the native object through the connection; false when it was destroyed before. */
  private boolean destroyed() throws VerbsException {
    try {
      return connection.destroy(this);
    } catch (VerbsException e) {
      device.events().add(this);
      throw e;
    }
  }

  /**
   * Destroys the native object. Called by the connection, which holds its lock.
   *
   * @return false when it was destroyed before
   */
  synchronized boolean destroy() throws VerbsException {
    if (closed) {
      return false;
    }
    device.adapter().forgetQueuePair(address);
    try {
      Ibverbs.DESTROY_QP.call(address);
    } catch (NativeCallException e) {
      device.adapter().enter(address, this);
      throw Installation.failed("destroying queue pair " + number, e);
    }
    closed = true;
    return true;
  }
}
