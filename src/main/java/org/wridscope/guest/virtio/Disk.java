// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.nio.ByteBuffer;

/**
 * A disk that cannot be written to: each sector is a function of its number. So source and
 * destination have the same, as they would with shared storage.
 */
final class Disk {
  static final int SECTOR_BYTES = 512;
  static final long SECTORS = 1L << 21;

  private Disk() {}

  /**
   * What a sector holds.
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

  /** A bijection that lets each bit act on all (Stafford's 13th variant). */
  static long mix(long x) {
    x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
    x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
    return x ^ x >>> 31;
  }
}
