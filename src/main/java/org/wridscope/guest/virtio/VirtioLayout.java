// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * The layout of the drivers' memory: a page or more of ledgers, the queues, and the buffers, each
 * from a page boundary on.
 *
 * @param base address of the first byte, a multiple of the page size
 * @param blockSize of the block device's queue, at least 4
 * @param netSize of each queue of the network device
 */
record VirtioLayout(long base, int blockSize, int netSize) {
  static final int PAGE = 4096;

  /** The largest whose three parts fit in a page. */
  private static final int BLOCK_SIZE = 64;

  private static final int NET_SIZE = 32;

  static VirtioLayout at(long base) {
    return new VirtioLayout(base, BLOCK_SIZE, NET_SIZE);
  }

  private static long pages(long bytes) {
    return Math.ceilDiv(bytes, PAGE) * (long) PAGE;
  }

  /** In bytes. */
  long length() {
    return packets(2) - base;
  }

  long ledger() {
    return base;
  }

  /**
   * The ledger of a queue.
   *
   * @param queue 0 for the block device's, 1 and 2 for the network device's
   */
  long queueLedger(int queue) {
    long first = base + Ledger.BYTES;
    return switch (queue) {
      case 0 -> first;
      case 1 -> first + DriverQueue.ledgerBytes(blockSize);
      default -> queueLedger(1) + (queue - 1) * DriverQueue.ledgerBytes(netSize);
    };
  }

  Vring vring(int queue) {
    long first = base + pages(queueLedger(3) - base);
    long block = pages(Vring.bytes(blockSize));
    long net = pages(Vring.bytes(netSize));
    return queue == 0
        ? Vring.at(first, blockSize)
        : Vring.at(first + block + (queue - 1) * net, netSize);
  }

  /** The buffers of the block driver. */
  long requests() {
    return vring(2).desc() + pages(Vring.bytes(netSize));
  }

  /**
   * The buffers of the network driver.
   *
   * @param direction 0 for received packets, 1 for sent ones
   */
  long packets(int direction) {
    long first = requests() + pages((long) BlockDriver.slots(blockSize) * BlockDriver.SLOT_BYTES);
    return first + direction * pages((long) netSize * NetDriver.SLOT_BYTES);
  }
}
