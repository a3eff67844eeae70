// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;

/**
 * The verbs objects of one end of a migration: a connection with its queue pair, a completion queue
 * for sends and another one for receives, the buffers of control messages, and all memory regions.
 */
final class Endpoint implements AutoCloseable {
  /** Retransmissions by the transport; 7 would mean endless on some devices. */
  private static final int RETRIES = 5;

  /** 7 means endless: the peer's SENDs wait for a receive; the engine has its own deadlines. */
  private static final int RNR_RETRIES = 7;

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
  private QueuePairWatch watch;
  private AsyncEventReader.@Nullable Registration registration;

  /** Whether the connection has its queue pair, and ends with this. */
  private boolean owned;

  /** Where the buffers of messages come from. */
  interface Buffers {
    MessageMemory.Lease take(long bytes) throws IOException;
  }

  /** As the other one, with buffers of its own. */
  Endpoint(RdmaDevice device, Connection connection, boolean sharedQueue, QueuePairWatch watch)
      throws IOException {
    this(device, connection, sharedQueue, watch, MessageMemory::single);
  }

  /**
   * Takes over the connection, and closes it when this is closed. If this cannot be created, the
   * connection is as it was as long as it has no queue pair, and is closed otherwise: a request can
   * be answered then, or accepted later.
   *
   * @param connection resolved or requested, without a queue pair
   * @param sharedQueue whether sends and receives complete in one queue
   * @param watch is told of the life of the queue pair
   */
  Endpoint(
      RdmaDevice device,
      Connection connection,
      boolean sharedQueue,
      QueuePairWatch watch,
      Buffers memory)
      throws IOException {
    this.watch = watch;
    this.sharedQueue = sharedQueue;
    this.device = device;
    this.connection = connection;
    try {
      depths = depths(device, sharedQueue);
      domain = closer.add(device.allocateProtectionDomain());
      channel = closer.add(device.createCompletionChannel());
      // An entry for each request that can be outstanding, so that no queue ever overflows.
      int entries = sharedQueue ? depths.sends() + depths.receives() : depths.sends();
      sendCompletions = closer.add(device.createCompletionQueue(entries, channel));
      receiveCompletions =
          sharedQueue
              ? sendCompletions
              : closer.add(device.createCompletionQueue(depths.receives(), channel));
      int messages = depths.receives() + depths.messages();
      buffers = closer.add(memory.take((long) messages * ControlHeader.MAX_MESSAGE)).segment();
      bufferRegion = closer.add(register(buffers, EnumSet.of(Access.LOCAL_WRITE)));
      registration = AsyncEventReader.open(device, asyncEvents);
      queuePair =
          connection.createQueuePair(
              domain,
              sendCompletions,
              receiveCompletions,
              new QueuePairCapacity(depths.sends(), depths.receives()));
      owned = true;
      registration.enter(queuePair);
      watch.created(queuePair);
      sendQueue = new SendQueue(queuePair, depths);
    } catch (Throwable e) {
      try {
        close();
      } catch (MigrationException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /**
   * The queue depths of an endpoint on this device.
   *
   * @throws MigrationException if the device does not support the least that a migration needs
   */
  static QueueDepths depths(RdmaDevice device, boolean sharedQueue) throws MigrationException {
    return sharedQueue ? SharedQueue.depths(device) : QueueDepths.on(device);
  }

  static ConnectionParameters connectionParameters(byte[] privateData) {
    return new ConnectionParameters(privateData, RETRIES, RNR_RETRIES);
  }

  /** Notifies another watch about the queue pair from now on. */
  void setWatch(QueuePairWatch watch) {
    this.watch = watch;
    watch.created(queuePair);
  }

  String deviceName() {
    return device.name();
  }

  /** Whether the kernel pins what is registered; the software device copies memory itself. */
  boolean pinsMemory() {
    return device.identity().isKernels();
  }

  /** The asynchronous events of the queue pair and the device. */
  AsyncEventInbox asyncEvents() {
    return asyncEvents;
  }

  /** Tells the watch how many events of the queue pair are being handled now. */
  void watchReferences() {
    AsyncEventReader.Registration own = registration;
    if (own != null) {
      watch.held(own.references());
    }
  }

  QueueDepths depths() {
    return depths;
  }

  Connection connection() {
    return connection;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  /** The queue to which all send requests are posted. */
  SendQueue sendQueue() {
    return sendQueue;
  }

  CompletionChannel channel() {
    return channel;
  }

  /** Whether sends and receives complete in one queue. */
  boolean sharesQueue() {
    return sharedQueue;
  }

  CompletionQueue sendCompletions() {
    return sendCompletions;
  }

  /** The same queue as {@link #sendCompletions()} if it is shared. */
  CompletionQueue receiveCompletions() {
    return receiveCompletions;
  }

  /** A buffer of {@link ControlHeader#MAX_MESSAGE} bytes; the receive buffers come first. */
  MemorySegment buffer(int index) {
    return buffers.asSlice((long) index * ControlHeader.MAX_MESSAGE, ControlHeader.MAX_MESSAGE);
  }

  /** How many bytes the device may lock for this process; 0 for no limit. */
  long lockedMemoryLimit() {
    return device.lockedMemoryLimit().orElse(0);
  }

  /** The address of a buffer in work requests. */
  long bufferAddress(int index) {
    return bufferRegion.address() + (long) index * ControlHeader.MAX_MESSAGE;
  }

  int bufferKey() {
    return bufferRegion.localKey();
  }

  /** Registers memory; the caller must close the region before this endpoint is closed. */
  MemoryRegion register(MemorySegment memory, Set<Access> access) throws IOException {
    return domain.register(memory, access);
  }

  /** Closes a resource with this endpoint, after its queue pair. */
  void adopt(AutoCloseable resource) {
    closer.add(resource);
  }

  /**
   * Disconnects and destroys everything. The registration for events ends before the queue pair is
   * destroyed, which waits for their handlers up to {@link AsyncEventReader#HANDLER_LIMIT}, and
   * memory regions are destroyed after it, since its requests may use them. Does nothing the second
   * time.
   */
  @Override
  public void close() throws MigrationException {
    AsyncEventReader.Registration own = registration;
    if (own != null) {
      closer.add(own::destroyed);
    }
    if (owned) {
      closer.add(connection);
    }
    if (own != null) {
      closer.add(() -> leave(own));
    }
    closer.close();
  }

  private void leave(AsyncEventReader.Registration own) throws MigrationException {
    int references = own.withdraw();
    if (references > 0) {
      watch.awaitsHandlers(own.number(), references);
    }
    try {
      own.close();
    } finally {
      if (references > 0) {
        watch.released();
      }
    }
  }
}
