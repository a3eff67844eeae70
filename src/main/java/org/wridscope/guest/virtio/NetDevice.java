// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;
import java.util.SplittableRandom;

/**
 * A virtio network device (virtio 1.2, 5.1) in loopback: it receives each packet that it sends. It
 * has promised order. No packet is ever between the two queues, so that, as with most network
 * devices, no request is in flight when it is suspended.
 */
final class NetDevice extends VirtioDevice {
  static final String NAME = "virtio-net";
  static final int RECEIVEQ = 0;
  static final int TRANSMITQ = 1;
  static final List<String> QUEUES = List.of(NAME + " receiveq1", NAME + " transmitq1");
  static final long FEATURES = Feature.VERSION_1 | Feature.ACCESS_PLATFORM | Feature.IN_ORDER;

  /**
   * u8 flags; u8 gso_type; le16 hdr_len, gso_size, csum_start, csum_offset, num_buffers. It
   * precedes each packet; without offloads all fields are 0, but num_buffers is 1.
   */
  static final int HEADER_BYTES = 12;

  private static final int NUM_BUFFERS = 10;

  NetDevice(GuestMemory memory, VirtioFault fault) {
    super(NAME, QUEUES, FEATURES, memory, fault);
  }

  @Override
  void work(GuestMemory memory, SplittableRandom random) throws RingException {
    DeviceQueue receive = queue(RECEIVEQ);
    DeviceQueue transmit = queue(TRANSMITQ);
    // Requests that a loaded state has in flight come first: they were taken first.
    while (!transmit.inFlight().isEmpty() && receives(receive, memory)) {
      forward(receive, transmit, memory);
    }
    for (int i = random.nextInt(4);
        i > 0 && transmit.hasAvailable(memory) && receives(receive, memory);
        i--) {
      transmit.take(memory);
      forward(receive, transmit, memory);
    }
  }

  private static boolean receives(DeviceQueue receive, GuestMemory memory) throws RingException {
    return !receive.inFlight().isEmpty() || receive.hasAvailable(memory);
  }

  private static void forward(DeviceQueue receive, DeviceQueue transmit, GuestMemory memory)
      throws RingException {
    int from = transmit.inFlight().getFirst();
    byte[] packet = transmit.chain(memory, from).read();
    if (packet.length <= HEADER_BYTES) {
      throw new RingException(
          "%s: a packet of %d bytes: the header alone has %d"
              .formatted(NAME, packet.length, HEADER_BYTES));
    }
    if (receive.inFlight().isEmpty()) {
      receive.take(memory);
    }
    int to = receive.inFlight().getFirst();
    Chain into = receive.chain(memory, to);
    if (into.writableBytes() < packet.length) {
      throw new RingException(
          "%s: a buffer of %d bytes for a packet of %d"
              .formatted(NAME, into.writableBytes(), packet.length));
    }
    packet[NUM_BUFFERS] = 1;
    packet[NUM_BUFFERS + 1] = 0;
    into.write(0, packet);
    receive.complete(memory, to, packet.length);
    transmit.complete(memory, from, 0);
  }
}
