// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.NativeMemory;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;

/**
 * What one end of a migration owns at the device: a connection with its queue pair, a completion
 * queue for sends and another for receives, the buffers of control messages, and all memory
 * regions.
 */
final class Endpoint implements AutoCloseable {
  private final Closer closer = new Closer();
  private final boolean sharedQueue;
  private final RdmaDevice device;
  private final QueueDepths depths;
  private final Connection connection;
  private final ProtectionDomain domain;
  private final CompletionChannel channel;
  private final CompletionQueue sendCompletions;
  private final CompletionQueue receiveCompletions;
  private final QueuePair queuePair;
  private final SendQueue sendQueue;
  private final MemorySegment buffers;
  private final MemoryRegion bufferRegion;
  private final AsyncEventInbox asyncEvents = new AsyncEventInbox();
  private AsyncEventReader.@Nullable Registration registration;

  /**
   * Takes over the connection, and closes it when this is closed or cannot be made.
   *
   * @param connection resolved or requested, without a queue pair
   * @param sharedQueue whether one completion queue serves for both
   */
  Endpoint(RdmaDevice device, Connection connection, boolean sharedQueue) throws IOException {
    this.sharedQueue = sharedQueue;
    this.device = device;
    this.connection = connection;
    try {
      depths = QueueDepths.on(device, sharedQueue);
      domain = closer.add(device.allocateProtectionDomain());
      channel = closer.add(device.createCompletionChannel());
      // Room for all that can be outstanding, so that neither queue ever overflows.
      sendCompletions =
          closer.add(device.createCompletionQueue(depths.completions(sharedQueue), channel));
      receiveCompletions =
          sharedQueue
              ? sendCompletions
              : closer.add(device.createCompletionQueue(depths.receives(), channel));
      int messages = depths.receives() + depths.messages();
      buffers =
          closer.add(NativeMemory.allocate((long) messages * ControlHeader.MAX_MESSAGE)).segment();
      bufferRegion = closer.add(register(buffers, EnumSet.of(Access.LOCAL_WRITE)));
      queuePair =
          connection.createQueuePair(
              domain,
              sendCompletions,
              receiveCompletions,
              new QueuePairCapacity(depths.sends(), depths.receives()));
      sendQueue = new SendQueue(queuePair, depths);
      registration = AsyncEventReader.register(device, queuePair.number(), asyncEvents);
    } catch (Throwable e) {
      try {
        close();
      } catch (MigrationException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Name of the device. */
  String deviceName() {
    return device.name();
  }

  /** What happened to the queue pair, or the device, that no completion tells. */
  AsyncEventInbox asyncEvents() {
    return asyncEvents;
  }

  /** What its queues hold. */
  QueueDepths depths() {
    return depths;
  }

  Connection connection() {
    return connection;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  /** Where all send requests are posted. */
  SendQueue sendQueue() {
    return sendQueue;
  }

  CompletionChannel channel() {
    return channel;
  }

  /** Whether one completion queue serves for both. */
  boolean sharesQueue() {
    return sharedQueue;
  }

  CompletionQueue sendCompletions() {
    return sendCompletions;
  }

  /** The same as {@link #sendCompletions()} when that serves for both. */
  CompletionQueue receiveCompletions() {
    return receiveCompletions;
  }

  /** A buffer of {@link ControlHeader#MAX_MESSAGE} bytes; the receive buffers come first. */
  MemorySegment buffer(int index) {
    return buffers.asSlice((long) index * ControlHeader.MAX_MESSAGE, ControlHeader.MAX_MESSAGE);
  }

  int bufferKey() {
    return bufferRegion.localKey();
  }

  /** Registers memory; whoever does is to close the region before this endpoint is gone. */
  MemoryRegion register(MemorySegment memory, Set<Access> access) throws IOException {
    return domain.register(memory, access);
  }

  /** Has something closed with this endpoint, after its queue pair. */
  void adopt(AutoCloseable resource) {
    closer.add(resource);
  }

  /**
   * Disconnects and destroys everything, memory regions after the queue pair whose requests might
   * still use them. Before the queue pair is destroyed nobody hears of its events any more. A
   * second time does nothing.
   */
  @Override
  public void close() throws MigrationException {
    closer.add(connection);
    if (registration != null) {
      closer.add(registration);
    }
    closer.close();
  }
}
