// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.util.List;

/**
 * Computes a digest of each RAM block as it was when the digester was made, while the guest may
 * already run: the guest calls {@link #beforeWrite} before it changes memory.
 */
public interface RamDigester {

  /**
   * Makes sure that the chunks of this range were digested; for the threads of the guest. Cheap
   * when they were.
   *
   * @param block index of the RAM block
   */
  void beforeWrite(int block, long offset, long length);

  /** Digests what is left. Returns the digests in the order of the blocks. */
  List<BlockDigest> digest();
}
