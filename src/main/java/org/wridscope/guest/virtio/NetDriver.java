// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A driver of a network device. Each packet has one descriptor and carries its number; as IN_ORDER
 * is negotiated, descriptors are used in ring order (virtio 1.2, 2.7.9). Each packet must be
 * received once and in order: packet n arrives in receive buffer n.
 */
final class NetDriver {
  static final int SLOT_BYTES = 256;
  private static final int PACKET_BYTES = NetDevice.HEADER_BYTES + 96;
  private static final int NUMBER = NetDevice.HEADER_BYTES;

  private final GuestMemory memory;
  private final VirtioLayout layout;
  private final DriverQueue receive;
  private final DriverQueue transmit;

  NetDriver(GuestMemory memory, VirtioLayout layout) {
    this.memory = memory;
    this.layout = layout;
    receive = queue(memory, layout, NetDevice.RECEIVEQ);
    transmit = queue(memory, layout, NetDevice.TRANSMITQ);
  }

  private static DriverQueue queue(GuestMemory memory, VirtioLayout layout, int index) {
    return new DriverQueue(
        NetDevice.QUEUES.get(index),
        memory,
        layout.vring(1 + index),
        layout.queueLedger(1 + index),
        true);
  }

  DriverQueue receive() {
    return receive;
  }

  DriverQueue transmit() {
    return transmit;
  }

  void begin(VirtioDevice device) throws RingException {
    receive.begin();
    transmit.begin();
    DeviceSetup.begin(device);
    DeviceSetup.finish(device, List.of(receive.vring(), transmit.vring()));
    for (int i = 0; i < layout.netSize(); i++) {
      post(receive.number());
    }
  }

  /** Makes the next receive buffer available to the device. */
  private void post(long request) throws RingException {
    int slot = receive.nextInRing();
    long buffer = buffer(NetDevice.RECEIVEQ, slot);
    memory.fill(buffer, PACKET_BYTES, 0);
    describe(receive, slot, buffer, Vring.F_WRITE);
    receive.submit(slot, request);
  }

  /** Sends a packet. Returns false when the queue is full. */
  boolean send() throws RingException {
    if (transmit.isOutstanding(transmit.nextInRing())) {
      return false;
    }
    send(transmit.number());
    return true;
  }

  private void send(long request) throws RingException {
    int slot = transmit.nextInRing();
    long buffer = buffer(NetDevice.TRANSMITQ, slot);
    memory.write(buffer, packet(request), 0, PACKET_BYTES);
    describe(transmit, slot, buffer, 0);
    transmit.submit(slot, request);
  }

  private void describe(DriverQueue queue, int slot, long buffer, int flags) throws RingException {
    queue.vring().putDescriptor(memory, slot, new Vring.Descriptor(buffer, PACKET_BYTES, flags, 0));
  }

  private long buffer(int direction, int slot) {
    return layout.packets(direction) + (long) slot * SLOT_BYTES;
  }

  private static byte[] packet(long request) {
    ByteBuffer packet = ByteBuffer.allocate(PACKET_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    packet.position(NUMBER).putLong(request);
    while (packet.hasRemaining()) {
      packet.put((byte) Disk.mix(request + packet.position()));
    }
    return packet.array();
  }

  /** Reaps all completed receives and sends, and gives up a send that never completes. */
  void reap() throws RingException, RequestFailureException {
    reapReceived();
    reapSent();
  }

  private void reapReceived() throws RingException, RequestFailureException {
    List<DriverQueue.Done> arrived = new ArrayList<>();
    for (DriverQueue.Done done = receive.poll(); done != null; done = receive.poll()) {
      check(done);
      arrived.add(done);
    }
    for (int i = 0; i < arrived.size(); i++) {
      post(receive.number());
    }
  }

  private void check(DriverQueue.Done done) throws RingException, RequestFailureException {
    byte[] packet = memory.read(buffer(NetDevice.RECEIVEQ, done.head()), PACKET_BYTES);
    long number = ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN).getLong(NUMBER);
    long expected = done.request();
    if (number != 0 && number < expected) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.DONE_TWICE, transmit.name(), number));
    }
    if (number > expected) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.LOST, transmit.name(), expected));
    }
    byte[] sent = packet(number);
    if (number == 0
        || done.length() != PACKET_BYTES
        || !Arrays.equals(packet, NUMBER, PACKET_BYTES, sent, NUMBER, PACKET_BYTES)) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.NOT_DONE, receive.name(), done.request()));
    }
  }

  private void reapSent() throws RingException, RequestFailureException {
    DriverQueue.Done done;
    do {
      done = transmit.poll();
    } while (done != null);
    transmit.looked();
  }

  /** Resets the device and submits the outstanding requests again, with the same numbers. */
  void reset(VirtioDevice device) throws RingException, RequestFailureException {
    device.writeStatus(0);
    reap();
    List<Long> buffers = receive.withdraw();
    List<Long> packets = transmit.withdraw();
    DeviceSetup.begin(device);
    DeviceSetup.finish(device, List.of(receive.vring(), transmit.vring()));
    for (long request : buffers) {
      post(request);
    }
    for (long request : packets) {
      send(request);
    }
  }
}
