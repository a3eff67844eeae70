// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.impl.NatIbvCompChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Checks;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A completion channel. Its lock guards which queues use it and how many of their events are
 * unacknowledged: destroying a queue with unacknowledged events would block forever.
 */
final class NativeCompletionChannel implements CompletionChannel {
  private final NativeDevice device;
  private final IbvCompChannel channel;
  private final long address;
  private final EventSource source;
  private final Map<Long, NativeCompletionQueue> queues = new HashMap<>();

  /** Output of ibv_get_cq_event: the queue, and its context, which is not used. */
  private final MemorySegment taken = Arena.ofAuto().allocate(2L * Long.BYTES, Long.BYTES);

  private boolean closed;

  NativeCompletionChannel(NativeDevice device, IbvCompChannel channel) {
    this.device = device;
    this.channel = channel;
    address = ((NatIbvCompChannel) channel).getObjId();
    source =
        new EventSource(
            Memory.getInt(address + Struct.CompletionChannel.FD), "the completion channel");
  }

  NativeDevice device() {
    return device;
  }

  long address() {
    return address;
  }

  /** The channel to create a queue with. The lock is held. */
  IbvCompChannel openChannel() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, "the completion channel was destroyed");
    }
    return channel;
  }

  /** Adds a queue that was created with this channel. The lock is held. */
  void attach(NativeCompletionQueue queue) {
    queues.put(queue.address(), queue);
  }

  /** Destroys a queue with {@code destroy} and removes it. */
  synchronized void detach(NativeCompletionQueue queue, NativeCompletionQueue.Destroyer destroy)
      throws VerbsException {
    Checks.requireAcknowledged(queue.eventsUnacknowledged);
    destroy.destroy();
    queues.remove(queue.address());
  }

  @Override
  public @Nullable CompletionQueue getEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    return source.next(timeout, this::take);
  }

  private synchronized @Nullable CompletionQueue take() throws NativeCallException {
    try {
      Ibverbs.GET_CQ_EVENT.call(address, taken.address(), taken.address() + Long.BYTES);
    } catch (NativeCallException e) {
      if (e.errno() == Errno.EAGAIN.value()) {
        return null;
      }
      throw e;
    }
    NativeCompletionQueue queue = queues.get(Memory.getLong(taken.address()));
    if (queue == null) {
      throw new IllegalStateException("an event of a completion queue that is not on this channel");
    }
    queue.eventsUnacknowledged++;
    return queue;
  }

  synchronized void acknowledge(NativeCompletionQueue queue, int count) {
    Checks.requireTaken(count, queue.eventsUnacknowledged);
    if (count == 0) {
      return;
    }
    try {
      queue.queue().ackEvents(count);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    queue.eventsUnacknowledged -= count;
  }

  @Override
  public void close() throws VerbsException {
    synchronized (this) {
      if (closed) {
        return;
      }
      Checks.requireNoQueues(queues.size());
      closed = true;
    }
    // Without the lock, which waiting threads need to return.
    source.close();
    try {
      Installation.check("destroying the completion channel", channel.destroyCompChannel());
    } catch (IOException e) {
      throw Installation.wrap("destroying the completion channel", e);
    } finally {
      device.forget();
    }
  }
}
