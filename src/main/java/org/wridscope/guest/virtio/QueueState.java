// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The state of a queue in the device, outside guest memory. As bytes, all big-endian: u16 size; u64
 * descriptor table; u64 available ring; u64 used ring; u16 last available index; u16 used index;
 * u16 number of requests in flight; for each of them u16 head.
 *
 * @param ready whether the driver has enabled the queue; one that is only partly set up is not, has
 *     no requests, and its addresses need not be those of memory
 * @param lastAvail index of the next entry of the available ring that the device will take; the
 *     vring base of vhost
 * @param used index of the next entry of the used ring that the device will write
 * @param inFlight heads of the requests that were taken and are not completed, oldest first
 */
record QueueState(Vring vring, boolean ready, int lastAvail, int used, List<Integer> inFlight) {
  private static final int FIXED_LENGTH = 2 + 3 * 8 + 3 * 2;

  QueueState {
    inFlight = List.copyOf(inFlight);
  }

  /** As after a reset: the largest size, and no addresses. */
  static final QueueState UNTOUCHED =
      new QueueState(new Vring(Vring.MAX_SIZE, 0, 0, 0), false, 0, 0, List.of());

  /** A queue that the driver has enabled. */
  QueueState(Vring vring, int lastAvail, int used, List<Integer> inFlight) {
    this(vring, true, lastAvail, used, inFlight);
  }

  int length() {
    return FIXED_LENGTH + Short.BYTES * inFlight.size();
  }

  void encode(ByteBuffer into) {
    into.putShort((short) vring.size())
        .putLong(vring.desc())
        .putLong(vring.avail())
        .putLong(vring.used())
        .putShort((short) lastAvail)
        .putShort((short) used)
        .putShort((short) inFlight.size());
    inFlight.forEach(head -> into.putShort(head.shortValue()));
  }

  /**
   * Decodes a state, which may come from any peer.
   *
   * @param memory that contains the queue, completely loaded
   * @param ready whether the driver has enabled the queue
   * @throws IllegalArgumentException naming the field that is wrong
   */
  static QueueState decode(ByteBuffer bytes, GuestMemory memory, boolean ready) {
    check(
        bytes.remaining() >= FIXED_LENGTH,
        "%d bytes are left, %d are needed".formatted(bytes.remaining(), FIXED_LENGTH));
    int size = Short.toUnsignedInt(bytes.getShort());
    Vring vring = new Vring(size, bytes.getLong(), bytes.getLong(), bytes.getLong());
    int lastAvail = Short.toUnsignedInt(bytes.getShort());
    int used = Short.toUnsignedInt(bytes.getShort());
    if (ready) {
      vring.requireMapped(memory.map());
      requireWindows(vring, memory, lastAvail, used);
    }
    List<Integer> inFlight = heads(bytes, size);
    check(
        ready || inFlight.isEmpty(),
        "%d requests in flight: a queue that is not enabled has none".formatted(inFlight.size()));
    int taken = Vring.distance(used, lastAvail);
    check(
        !ready || inFlight.size() <= taken,
        "%d requests in flight: from used index %d to last available index %d there are %d"
            .formatted(inFlight.size(), used, lastAvail, taken));
    return new QueueState(vring, ready, lastAvail, used, inFlight);
  }

  // As in virtio_load of QEMU. Only the distances of the indices can be checked without the driver;
  // whether fewer requests are in flight than should be can only be checked with it.
  private static void requireWindows(Vring vring, GuestMemory memory, int lastAvail, int used) {
    int avail;
    try {
      avail = vring.availIndex(memory);
    } catch (RingException e) {
      throw new IllegalStateException("the rings were just found to be mapped", e);
    }
    int waiting = Vring.distance(lastAvail, avail);
    check(
        waiting <= vring.size(),
        "last available index %d: the driver's is %d, which must be 0 to %d more"
            .formatted(lastAvail, avail, vring.size()));
    int taken = Vring.distance(used, lastAvail);
    check(
        taken <= vring.size(),
        "used index %d: the last available index is %d, which must be 0 to %d more"
            .formatted(used, lastAvail, vring.size()));
  }

  private static List<Integer> heads(ByteBuffer bytes, int size) {
    int count = Short.toUnsignedInt(bytes.getShort());
    check(
        count <= size,
        "%d requests in flight: a queue of %d has at most as many".formatted(count, size));
    check(
        bytes.remaining() >= count * Short.BYTES,
        "%d bytes of heads, %d requests in flight have %d"
            .formatted(bytes.remaining(), count, count * Short.BYTES));
    List<Integer> heads = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < count; i++) {
      int head = Short.toUnsignedInt(bytes.getShort());
      check(
          head < size, "head %d of a request in flight: it must be below %d".formatted(head, size));
      check(seen.add(head), "head %d: two requests in flight have it".formatted(head));
      heads.add(head);
    }
    return heads;
  }

  private static void check(boolean fine, String message) {
    if (!fine) {
      throw new IllegalArgumentException(message);
    }
  }
}
