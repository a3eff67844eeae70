// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A virtio block device (virtio 1.2, 5.2) for a {@link Disk}. It keeps requests in flight for a
 * while, and completes them in any order, since it promises none.
 */
class BlockDevice extends VirtioDevice {
  static final String NAME = "virtio-blk";
  static final List<String> QUEUES = List.of(NAME + " requestq");
  static final long FEATURES = Feature.VERSION_1 | Feature.ACCESS_PLATFORM | Feature.BLK_RO;

  static final int T_IN = 0;
  static final int S_OK = 0;
  private static final int S_IOERR = 1;
  private static final int S_UNSUPP = 2;

  /** le32 type; le32 reserved; le64 sector. */
  static final int HEADER_BYTES = 16;

  private static final int STATUS_BYTES = 1;

  /** Requests in flight at most, after the device has worked. */
  private static final int DEPTH = 12;

  /** Below {@link #DEPTH} it completes a request in one of so many steps. */
  private static final int PATIENCE = 3;

  /** So many requests may overtake the oldest one, so that none waits forever. */
  private static final int MAX_OVERTAKING = 2 * DEPTH;

  private int overtaking;

  BlockDevice(GuestMemory memory, VirtioFault fault) {
    super(NAME, QUEUES, FEATURES, memory, fault);
  }

  @Override
  void work(GuestMemory memory, SplittableRandom random) throws RingException {
    DeviceQueue queue = queue(0);
    for (int i = random.nextInt(4); i > 0 && queue.hasAvailable(memory); i--) {
      queue.take(memory);
    }
    int due = Math.max(0, queue.inFlight().size() - DEPTH);
    if (!queue.inFlight().isEmpty() && random.nextInt(PATIENCE) == 0) {
      due = Math.max(1, due);
    }
    for (int i = due; i > 0; i--) {
      int head = next(queue.inFlight(), random);
      queue.complete(memory, head, execute(queue.chain(memory, head)));
    }
  }

  /** The request to complete next, by its head. */
  int next(List<Integer> inFlight, SplittableRandom random) {
    int index = overtaking < MAX_OVERTAKING ? random.nextInt(inFlight.size()) : 0;
    overtaking = index == 0 ? 0 : overtaking + 1;
    return inFlight.get(index);
  }

  /** Executes a request. Returns the number of bytes written to its chain. */
  private static long execute(Chain chain) throws RingException {
    int room = chain.writableBytes();
    if (chain.readableBytes() < HEADER_BYTES || room < STATUS_BYTES) {
      throw new RingException(
          "%s: a request of %d bytes to read and %d to write: at least %d and %d are needed"
              .formatted(NAME, chain.readableBytes(), room, HEADER_BYTES, STATUS_BYTES));
    }
    ByteBuffer header = ByteBuffer.wrap(chain.read()).order(ByteOrder.LITTLE_ENDIAN);
    int type = header.getInt(0);
    long sector = header.getLong(8);
    int data = room - STATUS_BYTES;
    int status;
    if (type != T_IN) {
      status = S_UNSUPP;
    } else if (data % Disk.SECTOR_BYTES != 0
        || sector < 0
        || sector > Disk.SECTORS - data / Disk.SECTOR_BYTES) {
      status = S_IOERR;
    } else {
      for (int at = 0; at < data; at += Disk.SECTOR_BYTES) {
        chain.write(at, Disk.read(sector + at / Disk.SECTOR_BYTES));
      }
      status = S_OK;
    }
    chain.write(data, new byte[] {(byte) status});
    return status == S_OK ? room : STATUS_BYTES;
  }
}
