// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/** Hears which RAM a guest does not need for now, so that it need not stay pinned. */
@FunctionalInterface
public interface MemoryHints {
  /** Nobody listens. */
  MemoryHints NONE = (block, offset, length) -> {};

  /**
   * The guest gave a range back, and will say nothing before it uses it again. What it holds is
   * part of its RAM as before. Called by threads of the guest, which must not wait.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1, up to the end of the block
   */
  void notNeeded(int block, long offset, long length);
}
