// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A driver of a block device. Each request reads one sector, computed from the number of the
 * request, with a chain of three descriptors: header, data, status.
 */
final class BlockDriver {
  private static final int DESCRIPTORS = 3;

  /** The header is at 0, followed by the status; data is in the second half. */
  static final int SLOT_BYTES = 1024;

  private static final int STATUS = BlockDevice.HEADER_BYTES;
  private static final int DATA = SLOT_BYTES - Disk.SECTOR_BYTES;

  /** The status before the device has written it. */
  private static final int UNWRITTEN = 0xff;

  private final GuestMemory memory;
  private final long buffers;
  private final DriverQueue queue;

  BlockDriver(GuestMemory memory, VirtioLayout layout) {
    this.memory = memory;
    buffers = layout.requests();
    queue =
        new DriverQueue(
            BlockDevice.QUEUES.getFirst(), memory, layout.vring(0), layout.queueLedger(0), false);
  }

  /** How many requests fit in a queue of this size. */
  static int slots(int size) {
    return size / DESCRIPTORS;
  }

  DriverQueue queue() {
    return queue;
  }

  void begin(VirtioDevice device) throws RingException {
    queue.begin();
    DeviceSetup.begin(device);
    DeviceSetup.finish(device, List.of(queue.vring()));
  }

  /** Submits a request. Returns false when the queue is full. */
  boolean submit(SplittableRandom random) throws RingException {
    List<Integer> free = new ArrayList<>();
    for (int slot = 0; slot < slots(queue.vring().size()); slot++) {
      if (!queue.isOutstanding(slot * DESCRIPTORS)) {
        free.add(slot);
      }
    }
    if (free.isEmpty()) {
      return false;
    }
    submit(free.get(random.nextInt(free.size())), queue.number());
    return true;
  }

  private void submit(int slot, long request) throws RingException {
    long buffer = buffer(slot);
    memory.putU32(buffer, BlockDevice.T_IN);
    memory.putU32(buffer + 4, 0);
    memory.putU64(buffer + 8, sector(request));
    memory.putU8(buffer + STATUS, UNWRITTEN);
    memory.fill(buffer + DATA, Disk.SECTOR_BYTES, 0);
    int head = slot * DESCRIPTORS;
    describe(head, buffer, BlockDevice.HEADER_BYTES, Vring.F_NEXT);
    describe(head + 1, buffer + DATA, Disk.SECTOR_BYTES, Vring.F_WRITE | Vring.F_NEXT);
    describe(head + 2, buffer + STATUS, 1, Vring.F_WRITE);
    queue.submit(head, request);
  }

  private void describe(int index, long address, int length, int flags) throws RingException {
    int next = (flags & Vring.F_NEXT) == 0 ? 0 : index + 1;
    queue.vring().putDescriptor(memory, index, new Vring.Descriptor(address, length, flags, next));
  }

  private long buffer(int slot) {
    return buffers + (long) slot * SLOT_BYTES;
  }

  private static long sector(long request) {
    return Disk.mix(request) & Disk.SECTORS - 1;
  }

  /** Reaps all completed requests, checks their data, and gives up one that never comes. */
  void reap() throws RingException, RequestFailureException {
    for (DriverQueue.Done done = queue.poll(); done != null; done = queue.poll()) {
      long buffer = buffer(done.head() / DESCRIPTORS);
      byte[] data = memory.read(buffer + DATA, Disk.SECTOR_BYTES);
      if (memory.u8(buffer + STATUS) != BlockDevice.S_OK
          || done.length() != Disk.SECTOR_BYTES + 1
          || !Arrays.equals(data, Disk.read(sector(done.request())))) {
        throw new RequestFailureException(
            new RequestFailure(RequestFailure.Kind.NOT_DONE, queue.name(), done.request()));
      }
    }
    queue.looked();
  }

  /** Resets the device and submits the outstanding requests again, with the same numbers. */
  void reset(VirtioDevice device) throws RingException, RequestFailureException {
    device.writeStatus(0);
    reap();
    List<Long> again = queue.withdraw();
    if (again.size() > slots(queue.vring().size())) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.BROKEN, queue.name(), again.getFirst()));
    }
    DeviceSetup.begin(device);
    DeviceSetup.finish(device, List.of(queue.vring()));
    for (int slot = 0; slot < again.size(); slot++) {
      submit(slot, again.get(slot));
    }
  }
}
