// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.impl.NatIbvCQ;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.common.Checks;
import org.wridscope.verbs.rdma.ffm.DataPath;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/** A completion queue. Its lock keeps it from being destroyed while it is polled. */
final class NativeCompletionQueue implements CompletionQueue {
  /** Completions taken from the device in one call. */
  private static final int BATCH = 32;

  private static final WorkCompletionOpcode[] OPCODES = WorkCompletionOpcode.values();

  private final NativeDevice device;
  private final NativeCompletionChannel channel;
  private final IbvCQ queue;
  private final long address;
  private final int entries;
  private final MemorySegment batch =
      Arena.ofAuto().allocate((long) BATCH * Struct.WorkCompletion.SIZE, Long.BYTES);

  /** Events that were taken but not acknowledged; guarded by the channel's lock. */
  int eventsUnacknowledged;

  // Guarded by this object's lock.
  private int users;
  private final Set<NativeQueuePair> queuePairs = new LinkedHashSet<>();
  private boolean overflowed;
  private boolean closed;

  /** The channel's lock is held. */
  NativeCompletionQueue(NativeDevice device, NativeCompletionChannel channel, IbvCQ queue) {
    this.device = device;
    this.channel = channel;
    this.queue = queue;
    address = ((NatIbvCQ) queue).getObjId();
    entries = Memory.getInt(address + Struct.CompletionQueue.CQE);
    LayoutCheck.expect(
        "ibv_cq.channel",
        channel.address(),
        Memory.getLong(address + Struct.CompletionQueue.CHANNEL));
    channel.attach(this);
    device.events().add(this);
    device.adapter().enter(address, this);
  }

  NativeDevice device() {
    return device;
  }

  long address() {
    return address;
  }

  /** DiSNI's object. Only for queue pairs that {@linkplain #use use} it, and for the channel. */
  IbvCQ queue() {
    return queue;
  }

  @Override
  public int entries() {
    return entries;
  }

  @Override
  public synchronized int poll(WorkCompletion[] into) throws VerbsException {
    requireOpen();
    int taken = 0;
    while (taken < into.length) {
      int wanted = Math.min(BATCH, into.length - taken);
      int count = DataPath.poll(address, wanted, batch.address());
      if (count < 0 && taken > 0) {
        // Returns the completions that were taken; the next poll fails again.
        return taken;
      }
      if (count < 0) {
        throw Installation.failed(
            "polling the completion queue", new NativeCallException("ibv_poll_cq", -count));
      }
      for (int i = 0; i < count; i++) {
        read(batch.address() + (long) i * Struct.WorkCompletion.SIZE, into[taken + i]);
      }
      taken += count;
      if (count < wanted) {
        break;
      }
    }
    return taken;
  }

  /** After an error only id, status, vendor error and queue pair number are defined. */
  private static void read(long from, WorkCompletion into) {
    var status = WorkCompletionStatus.of(Memory.getInt(from + Struct.WorkCompletion.STATUS));
    int vendorError = Memory.getInt(from + Struct.WorkCompletion.VENDOR_ERR);
    WorkCompletionOpcode opcode = WorkCompletionOpcode.SEND;
    int byteLength = 0;
    if (status == WorkCompletionStatus.SUCCESS) {
      vendorError = 0;
      byteLength = Memory.getInt(from + Struct.WorkCompletion.BYTE_LEN);
      int value = Memory.getInt(from + Struct.WorkCompletion.OPCODE);
      WorkCompletionOpcode known = opcode(value);
      if (known == null) {
        // A write with immediate data, which uses up a receive without filling it.
        status = WorkCompletionStatus.GENERAL_ERR;
        vendorError = value;
      } else {
        opcode = known;
      }
    }
    into.set(
        Memory.getLong(from + Struct.WorkCompletion.WR_ID),
        status,
        opcode,
        byteLength,
        vendorError,
        Memory.getInt(from + Struct.WorkCompletion.QP_NUM));
  }

  private static @Nullable WorkCompletionOpcode opcode(int value) {
    for (WorkCompletionOpcode opcode : OPCODES) {
      if (opcode.value() == value) {
        return opcode;
      }
    }
    return null;
  }

  @Override
  public synchronized void requestNotification() throws VerbsException {
    requireOpen();
    int errno = DataPath.requestNotification(address);
    if (errno != 0) {
      throw Installation.failed(
          "asking for a completion event", new NativeCallException("ibv_req_notify_cq", errno));
    }
  }

  private void requireOpen() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, "the completion queue was destroyed");
    }
  }

  @Override
  public void acknowledgeEvents(int count) {
    channel.acknowledge(this, count);
  }

  /** Keeps the queue from being closed. */
  synchronized void use() throws VerbsException {
    requireOpen();
    users++;
  }

  synchronized void release() {
    users--;
  }

  /** Adds a queue pair that uses this queue and fails when it overflows. */
  synchronized void attach(NativeQueuePair queuePair) {
    queuePairs.add(queuePair);
  }

  synchronized void detach(NativeQueuePair queuePair) {
    queuePairs.remove(queuePair);
  }

  /**
   * Completions were lost, which is fatal for every queue pair that uses the queue (IBTA 11.6.3).
   * Not every device fails these queue pairs itself, and soft-RoCE reports every lost completion.
   */
  void overflowed() {
    List<NativeQueuePair> victims;
    synchronized (this) {
      if (overflowed || closed) {
        return;
      }
      overflowed = true;
      victims = List.copyOf(queuePairs);
    }
    device.events().raise(AsyncEventType.CQ_ERR, this, 0);
    victims.forEach(NativeQueuePair::enterError);
  }

  /** Destroys a native object. */
  interface Destroyer {
    void destroy() throws VerbsException;
  }

  @Override
  public synchronized void close() throws VerbsException {
    if (closed) {
      return;
    }
    Checks.requireUnused(this, users > 0, device.events());
    channel.detach(this, this::destroy);
    closed = true;
    device.events().retire(this, Duration.ZERO);
    device.forget();
  }

  private void destroy() throws VerbsException {
    device.adapter().forgetCompletionQueue(address);
    try {
      Installation.check("destroying the completion queue", queue.destroyCQ());
    } catch (IOException e) {
      throw Installation.wrap("destroying the completion queue", e);
    }
  }
}
