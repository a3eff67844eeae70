// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.common.Checks;

/**
 * A completion queue: a ring that device threads fill and the owner empties. Each end has its own
 * lock, so that polling never waits for a device thread.
 *
 * <p>Completions of a destroyed queue pair stay until they are polled.
 */
final class SoftCompletionQueue implements CompletionQueue {
  private static final WorkCompletionStatus[] STATUSES = WorkCompletionStatus.values();
  private static final WorkCompletionOpcode[] OPCODES = WorkCompletionOpcode.values();

  private final SoftDevice device;
  private final SoftCompletionChannel channel;
  private final int entries;
  private final int mask;
  private final long[] workRequestIds;
  private final byte[] statuses;
  private final byte[] opcodes;
  private final int[] byteLengths;
  private final int[] vendorErrors;
  private final int[] queuePairNumbers;
  private final @Nullable WorkQueue[] workQueues;
  private final long[] ordinals;

  private final Object addLock = new Object();
  private final Object pollLock = new Object();

  /** Completions added so far; written under the add lock. */
  private volatile long added;

  /** Completions polled so far; written under the poll lock. */
  private volatile long polled;

  private boolean armed; // under the add lock
  private boolean overflowed; // under the add lock

  /** The queue pairs that use this, one entry for each of their queues; guarded by itself. */
  private final List<SoftQueuePair> users = new ArrayList<>();

  private boolean closed; // under the lock of users

  // Guarded by the channel's lock: the next queue in its list of events, and counts of events.
  @Nullable SoftCompletionQueue nextInChannel;

  int eventsPending;
  int eventsUnacknowledged;

  SoftCompletionQueue(SoftDevice device, SoftCompletionChannel channel, int entries) {
    this.device = device;
    this.channel = channel;
    this.entries = entries;
    int slots = Integer.highestOneBit(Math.max(1, entries - 1)) << 1;
    mask = slots - 1;
    workRequestIds = new long[slots];
    statuses = new byte[slots];
    opcodes = new byte[slots];
    byteLengths = new int[slots];
    vendorErrors = new int[slots];
    queuePairNumbers = new int[slots];
    workQueues = new WorkQueue[slots];
    ordinals = new long[slots];
    device.events().add(this);
  }

  SoftDevice device() {
    return device;
  }

  @Override
  public int entries() {
    return entries;
  }

  /**
   * Adds the completion of the request with this ordinal on this work queue. Called by device
   * threads; their earlier writes are visible to the thread that polls the completion.
   */
  void add(
      SoftQueuePair queuePair,
      WorkQueue queue,
      long ordinal,
      long workRequestId,
      WorkCompletionStatus status,
      WorkCompletionOpcode opcode,
      int byteLength,
      int vendorError) {
    boolean notify = false;
    boolean overflow = false;
    synchronized (addLock) {
      long at = added;
      if (at - polled >= entries || overflowed) {
        overflow = true;
      } else {
        int slot = (int) at & mask;
        workRequestIds[slot] = workRequestId;
        statuses[slot] = (byte) status.ordinal();
        opcodes[slot] = (byte) opcode.ordinal();
        byteLengths[slot] = byteLength;
        vendorErrors[slot] = vendorError;
        queuePairNumbers[slot] = queuePair.number();
        workQueues[slot] = queue;
        ordinals[slot] = ordinal;
        added = at + 1;
        notify = armed;
        armed = false;
      }
    }
    if (notify) {
      channel.deliver(this);
    }
    if (overflow) {
      fail(queuePair);
    }
  }

  /** An overflow is fatal for every queue pair that uses the queue (IBTA 11.6.3). */
  private void fail(SoftQueuePair last) {
    synchronized (addLock) {
      if (overflowed) {
        last.enterError();
        return;
      }
      overflowed = true;
    }
    device.events().raise(AsyncEventType.CQ_ERR, this, 0);
    List<SoftQueuePair> victims;
    synchronized (users) {
      victims = List.copyOf(users);
    }
    victims.forEach(SoftQueuePair::enterError);
  }

  @Override
  public int poll(WorkCompletion[] into) {
    device.processor().handOver();
    if (polled == added) {
      return 0;
    }
    synchronized (pollLock) {
      long at = polled;
      int count = (int) Math.min(into.length, added - at);
      for (int i = 0; i < count; i++) {
        int slot = (int) (at + i) & mask;
        into[i].set(
            workRequestIds[slot],
            STATUSES[statuses[slot]],
            OPCODES[opcodes[slot]],
            byteLengths[slot],
            vendorErrors[slot],
            queuePairNumbers[slot]);
        WorkQueue queue = workQueues[slot];
        if (queue != null) {
          queue.polled(ordinals[slot], STATUSES[statuses[slot]]);
          workQueues[slot] = null;
        }
      }
      polled = at + count;
      return count;
    }
  }

  /** Adds the completions of a queue pair that were not polled, oldest first. */
  void addPending(SoftQueuePair queuePair, List<? super PendingCompletion> pending) {
    for (long at = polled; at < added; at++) {
      int slot = (int) at & mask;
      WorkQueue queue = workQueues[slot];
      if (queue != null && queuePairNumbers[slot] == queuePair.number()) {
        pending.add(
            new PendingCompletion(
                queue.request(ordinals[slot], device.keys()),
                STATUSES[statuses[slot]],
                queuePair.isReceives(queue)));
      }
    }
  }

  @Override
  public void requestNotification() throws VerbsException {
    synchronized (addLock) {
      armed = true;
    }
    device.processor().handOver();
  }

  @Override
  public void acknowledgeEvents(int count) {
    channel.acknowledge(this, count);
  }

  void use(SoftQueuePair queuePair) throws VerbsException {
    synchronized (users) {
      if (closed) {
        throw new VerbsException(Errno.EINVAL, "the completion queue was destroyed");
      }
      users.add(queuePair);
    }
  }

  void release(SoftQueuePair queuePair) {
    synchronized (users) {
      users.remove(queuePair);
    }
  }

  @Override
  public void close() throws VerbsException {
    synchronized (users) {
      if (closed) {
        return;
      }
      Checks.requireUnused(this, !users.isEmpty(), device.events());
      channel.detach(this);
      closed = true;
    }
    device.events().retire(this, Duration.ZERO);
    device.remove(SoftResource.COMPLETION_QUEUE);
  }
}
