// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The device states, which follow the RAM in the file of a captured guest. What is not on the
 * storage device yet is kept in memory: it may exist nowhere else, and after an error a file system
 * may have dropped what was written. So each call can be repeated until it succeeds.
 */
final class DeviceStates {
  /** At most so many bytes are kept before they are forced; QEMU sends about a megabyte. */
  private static final int MAX_KEPT = 16 << 20;

  private final PartFile file;

  /** Offset in the file of what is kept in memory. */
  private long durable;

  private byte[] kept = new byte[1 << 16];
  private int length;

  /** How many of the kept bytes were written to the file. */
  private int written;

  /**
   * @param from their offset in the file; everything before is on the storage device
   */
  DeviceStates(PartFile file, long from) {
    this.file = file;
    durable = from;
  }

  /** Adds bytes, in memory. */
  void add(byte[] bytes, int offset, int count) {
    if (kept.length - length < count) {
      kept = Arrays.copyOf(kept, Math.max(2 * kept.length, length + count));
    }
    System.arraycopy(bytes, offset, kept, length, count);
    length += count;
  }

  /** Writes to the file what is not there yet. */
  void write() throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(kept, written, length - written);
    while (rest.hasRemaining()) {
      int _ = file.write(rest, durable + written);
      written = rest.position();
    }
    if (length >= MAX_KEPT) {
      force();
    }
  }

  /** Writes everything to the storage device, which may take long. */
  void force() throws IOException {
    try {
      if (written < length) {
        write();
      }
      file.force();
      durable += length;
      length = 0;
    } finally {
      written = 0;
    }
  }
}
