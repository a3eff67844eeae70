// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One end of a connection under test, with a protection domain, two completion queues on a channel
 * each, a queue pair, and some registered memory.
 */
public final class Endpoint implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(10);
  public static final int MEMORY = 1 << 16;
  public static final Set<Access> ALL = EnumSet.allOf(Access.class);

  public final RdmaDevice device;
  public final Connection connection;
  public final ProtectionDomain domain;
  public final CompletionChannel sendChannel;
  public final CompletionChannel receiveChannel;
  public final CompletionQueue sendQueue;
  public final CompletionQueue receiveQueue;
  public final QueuePair queuePair;
  public final Arena arena = Arena.ofShared();
  public final MemorySegment memory = arena.allocate(MEMORY, 64);
  public final MemoryRegion region;
  public final SendRequest sendRequest = new SendRequest();
  public final ReceiveRequest receiveRequest = new ReceiveRequest();

  public Endpoint(RdmaDevice device, Connection connection, QueuePairCapacity capacity, int entries)
      throws VerbsException {
    this.device = device;
    this.connection = connection;
    domain = device.allocateProtectionDomain();
    sendChannel = device.createCompletionChannel();
    receiveChannel = device.createCompletionChannel();
    sendQueue = device.createCompletionQueue(entries, sendChannel);
    receiveQueue = device.createCompletionQueue(entries, receiveChannel);
    queuePair = connection.createQueuePair(domain, sendQueue, receiveQueue, capacity);
    region = domain.register(memory, ALL);
  }

  /** Posts a SEND of the bytes at an offset of the memory. */
  public void send(long workRequestId, long offset, int length) throws VerbsException {
    queuePair.postSend(
        sendRequest.send(workRequestId, region.address() + offset, length, region.localKey()));
  }

  /** Posts an RDMA WRITE between the same offsets of both ends' memory. */
  public void write(long workRequestId, long offset, int length, Endpoint peer)
      throws VerbsException {
    queuePair.postSend(
        sendRequest.rdmaWrite(
            workRequestId,
            region.address() + offset,
            length,
            region.localKey(),
            peer.region.address() + offset,
            peer.region.remoteKey()));
  }

  /** Posts a receive for the bytes at an offset of the memory. */
  public void receive(long workRequestId, long offset, int length) throws VerbsException {
    queuePair.postReceive(
        receiveRequest.fill(workRequestId, region.address() + offset, length, region.localKey()));
  }

  /** The next completion of the send queue. */
  public WorkCompletion sent() throws VerbsException {
    return completion(sendQueue);
  }

  /** The next completion of the receive queue. */
  public WorkCompletion received() throws VerbsException {
    return completion(receiveQueue);
  }

  /** Waits for the next completion of a queue. */
  public static WorkCompletion completion(CompletionQueue queue) throws VerbsException {
    return completions(queue, 1).getFirst();
  }

  /** Waits for this many completions of a queue. */
  public static List<WorkCompletion> completions(CompletionQueue queue, int count)
      throws VerbsException {
    List<WorkCompletion> taken = new ArrayList<>(count);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (taken.size() < count) {
      WorkCompletion[] one = WorkCompletion.array(1);
      if (queue.poll(one) == 1) {
        taken.add(one[0]);
      } else {
        assertThat(System.nanoTime())
            .as("waited for completion %d of %d", taken.size() + 1, count)
            .isLessThan(deadline);
        Thread.yield();
      }
    }
    return taken;
  }

  /** Waits for the queue pair to reach a state. */
  public void awaitState(QueuePairState state) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (queuePair.state() != state) {
      assertThat(System.nanoTime())
          .as("waited for the state %s, the queue pair is in %s", state, queuePair.state())
          .isLessThan(deadline);
      Thread.yield();
    }
  }

  /** Closes all but the device. */
  @Override
  public void close() throws VerbsException {
    if (!arena.scope().isAlive()) {
      return;
    }
    connection.disconnect();
    queuePair.close();
    region.close();
    sendQueue.close();
    receiveQueue.close();
    sendChannel.close();
    receiveChannel.close();
    domain.close();
    connection.close();
    arena.close();
  }
}
