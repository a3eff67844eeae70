// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;

/** Brings the contents of RAM into memory while they are being read. */
public interface Residency {
  /** For RAM that is always in memory. */
  Residency ALWAYS =
      new Residency() {
        @Override
        public void fetch(int block, long offset, long length) {}

        @Override
        public void discard(int block, long offset, long length) {}
      };

  /**
   * Brings a range into memory.
   *
   * @param block index of the RAM block
   * @param offset in the block, a whole number of pages
   * @param length a whole number of pages
   */
  void fetch(int block, long offset, long length) throws IOException;

  /**
   * Releases a range that is no longer registered; it has to be fetched before it is read again.
   */
  void discard(int block, long offset, long length);
}
