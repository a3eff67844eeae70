// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;

/** Brings contents of RAM into memory for as long as somebody looks at them. */
public interface Residency {
  /** Of RAM that is always there. */
  Residency ALWAYS =
      new Residency() {
        @Override
        public void fetch(int block, long offset, long length) {}

        @Override
        public void discard(int block, long offset, long length) {}
      };

  /**
   * Makes sure that a range holds what it should.
   *
   * @param block index of the RAM block
   * @param offset in the block, a whole number of pages
   * @param length a whole number of pages
   */
  void fetch(int block, long offset, long length) throws IOException;

  /** Says that a range is no longer needed, nor registered; it has to be fetched again. */
  void discard(int block, long offset, long length);
}
