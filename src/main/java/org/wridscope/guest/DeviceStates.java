// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What follows the RAM in the file of a captured guest. What is not on the storage device yet is in
 * memory too: nobody else may have it, and after an error a file system may have dropped what it
 * had taken. So each call can be repeated until it succeeds.
 */
final class DeviceStates {
  /** What is kept in memory at most, but for the last piece; QEMU's are about a megabyte. */
  private static final int MAX_KEPT = 16 << 20;

  private final PartFile file;

  /** Where in the file that begins which is kept in memory. */
  private long durable;

  private byte[] kept = new byte[1 << 16];
  private int length;

  /** How much of what is kept was written to the file. */
  private int written;

  /**
   * @param from where they begin in the file; what is before is on the storage device
   */
  DeviceStates(PartFile file, long from) {
    this.file = file;
    durable = from;
  }

  /** Takes more of them into memory. */
  void add(byte[] bytes, int offset, int count) {
    if (kept.length - length < count) {
      kept = Arrays.copyOf(kept, Math.max(2 * kept.length, length + count));
    }
    System.arraycopy(bytes, offset, kept, length, count);
    length += count;
  }

  /** Writes what is not in the file yet. */
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

  /** Writes all of it to the storage device; may take long. */
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
