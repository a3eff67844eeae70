// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.time.Time;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.ProtectionDomain;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * One end of a connection that sends any bytes as messages. It uses verbs only, so it does not
 * share errors with the engine.
 */
final class TestPeer implements AutoCloseable {
  /** The other end has disconnected, sent ERROR, or sends nothing more. */
  static final class GoneException extends Exception {
    private static final long serialVersionUID = 1L;

    GoneException(String message) {
      super(message);
    }
  }

  private static final int RECEIVES = 8;
  private static final int BUFFER = 64 << 10;
  private static final Duration SLICE = Duration.ofMillis(10);

  /**
   * For one peer at a time on each thread, because releasing shared memory takes longer than a
   * test.
   */
  private static final ThreadLocal<MemorySegment> BUFFERS =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate((RECEIVES + 1L) * BUFFER, 4096));

  final Connection connection;
  private final MemorySegment buffers = BUFFERS.get();
  private final ProtectionDomain domain;
  private final CompletionChannel channel;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final QueuePair queuePair;
  private final List<MemoryRegion> regions = new ArrayList<>();

  /** Its own memory: the buffers, and messages that are longer. */
  private final List<MemorySegment> messages = new ArrayList<>();

  /** Of the buffers. */
  private final MemoryRegion region;

  private final WorkCompletion[] completion = WorkCompletion.array(1);
  private Duration patience = Duration.ofSeconds(30);
  private @Nullable String error;
  private boolean gone;

  TestPeer(RdmaDevice device, Connection connection) throws IOException {
    this.connection = connection;
    domain = device.allocateProtectionDomain();
    channel = device.createCompletionChannel();
    sends = device.createCompletionQueue(RECEIVES, channel);
    receives = device.createCompletionQueue(RECEIVES, channel);
    queuePair =
        connection.createQueuePair(
            domain, sends, receives, new QueuePairCapacity(RECEIVES, RECEIVES));
    region = registerOwn(buffers);
    for (int i = 0; i < RECEIVES; i++) {
      postReceive(i);
    }
  }

  /** Sets how long to wait for a message. */
  void setPatience(Duration patience) {
    this.patience = patience;
  }

  /** The reason in the other end's ERROR; null if it sent none. */
  @Nullable String error() {
    return error;
  }

  /** Registers memory for any access, until this is closed. */
  MemoryRegion register(MemorySegment memory) throws IOException {
    MemoryRegion region =
        domain.register(memory, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
    regions.add(region);
    return region;
  }

  private MemoryRegion registerOwn(MemorySegment memory) throws IOException {
    Time.mapped(memory);
    messages.add(memory);
    return register(memory);
  }

  /** Deregisters a region of {@link #register}. */
  void deregister(MemoryRegion region) throws IOException {
    if (!regions.remove(region)) {
      throw new IllegalArgumentException("not a region of this peer, or not any more");
    }
    region.close();
  }

  private void postReceive(int buffer) throws IOException {
    long address = region.address() + (long) buffer * BUFFER;
    queuePair.postReceive(new ReceiveRequest().fill(buffer, address, BUFFER, region.localKey()));
  }

  /** Encodes a control message. */
  static byte[] message(ControlType type, int repeat, Consumer<ByteBuffer> payload) {
    var buffer = ByteBuffer.allocate(BUFFER);
    buffer.position(ControlHeader.BYTES);
    payload.accept(buffer);
    int length = buffer.position() - ControlHeader.BYTES;
    new ControlHeader(length, type, repeat).encode(buffer.position(0));
    byte[] bytes = new byte[ControlHeader.BYTES + length];
    buffer.get(0, bytes);
    return bytes;
  }

  /** Encodes a control message without a payload. */
  static byte[] message(ControlType type) {
    return message(type, 1, payload -> {});
  }

  /** Sends bytes as one message, and waits until they have arrived. */
  void send(byte[] message) throws IOException, InterruptedException, GoneException {
    MemorySegment memory = buffers;
    MemoryRegion from = region;
    long offset = (long) RECEIVES * BUFFER;
    if (message.length > BUFFER) {
      memory = Arena.ofAuto().allocate(message.length);
      from = registerOwn(memory);
      offset = 0;
    }
    MemorySegment.copy(message, 0, memory, ValueLayout.JAVA_BYTE, offset, message.length);
    var request =
        new SendRequest().send(0, from.address() + offset, message.length, from.localKey());
    if (execute(request) != WorkCompletionStatus.SUCCESS) {
      throw new GoneException("a message did not arrive");
    }
  }

  /** Executes an RDMA WRITE. */
  WorkCompletionStatus write(MemoryRegion from, long offset, int length, long to, int remoteKey)
      throws IOException, InterruptedException, GoneException {
    return execute(
        new SendRequest()
            .rdmaWrite(0, from.address() + offset, length, from.localKey(), to, remoteKey));
  }

  private WorkCompletionStatus execute(SendRequest request)
      throws IOException, InterruptedException, GoneException {
    queuePair.postSend(request);
    await(sends);
    return completion[0].status();
  }

  /** Waits for the next message that is not a heartbeat. */
  byte[] receive() throws IOException, InterruptedException, GoneException {
    while (true) {
      await(receives);
      if (completion[0].status() != WorkCompletionStatus.SUCCESS) {
        throw new GoneException("the connection was lost");
      }
      int buffer = (int) completion[0].workRequestId();
      byte[] message =
          buffers
              .asSlice((long) buffer * BUFFER, completion[0].byteLength())
              .toArray(ValueLayout.JAVA_BYTE);
      postReceive(buffer);
      ControlType type = typeOf(message);
      if (type == ControlType.ERROR) {
        error = new String(message, 16, message.length - 16, StandardCharsets.UTF_8);
        throw new GoneException("it said ERROR: " + error);
      }
      if (type != ControlType.HEARTBEAT) {
        return message;
      }
    }
  }

  /** The type in the header of a message; null if it is not a valid one. */
  static @Nullable ControlType typeOf(byte[] message) {
    return message.length < 8 ? null : ControlType.of(ByteBuffer.wrap(message).getInt(4));
  }

  /** Waits for a completion of this queue. */
  private void await(CompletionQueue queue)
      throws IOException, InterruptedException, GoneException {
    long end = Time.nanos() + patience.toNanos();
    while (queue.poll(completion) == 0) {
      if (gone) {
        throw new GoneException("it disconnected");
      }
      // Messages that were sent before the disconnect are still received.
      gone = connection.nextEvent(Duration.ZERO) != null;
      if (Time.nanos() > end) {
        throw new GoneException("nothing came from it");
      }
      queue.requestNotification();
      if (queue.poll(completion) == 1) {
        return;
      }
      CompletionQueue notified = gone ? null : channel.getEvent(SLICE);
      if (notified != null) {
        notified.acknowledgeEvents(1);
      }
    }
  }

  /** Waits until the other end disconnects. */
  void awaitDisconnect() throws IOException, InterruptedException {
    gone |= connection.nextEvent(patience) != null;
  }

  @Override
  public void close() throws IOException {
    connection.close();
    for (MemoryRegion region : regions) {
      region.close();
    }
    sends.close();
    receives.close();
    channel.close();
    domain.close();
    messages.forEach(Time::unmapped);
  }
}
