// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.nio.ByteBuffer;

/**
 * A read-only disk whose sectors are a function of their number. So source and destination have the
 * same disk, as with shared storage.
 */
final class Disk {
  static final int SECTOR_BYTES = 512;
  static final long SECTORS = 1L << 21;

  private Disk() {}

  /**
   * The content of a sector.
   *
   * @param sector 0 to {@link #SECTORS}-1
   */
  static byte[] read(long sector) {
    ByteBuffer bytes = ByteBuffer.allocate(SECTOR_BYTES);
    while (bytes.hasRemaining()) {
      bytes.putLong(mix(sector << 9 | bytes.position()));
    }
    return bytes.array();
  }

  /** A bijection in which each bit affects all others (Stafford's 13th variant). */
  static long mix(long x) {
    x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
    x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
    return x ^ x >>> 31;
  }
}
