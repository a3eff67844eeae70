// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/** Is told which RAM a guest does not need for now, so that it need not stay pinned. */
@FunctionalInterface
public interface MemoryHints {
  /** Ignores all hints. */
  MemoryHints NONE = (block, offset, length) -> {};

  /**
   * The guest has given a range back, and may use it again without notice. The content of the range
   * remains part of the guest's RAM. Called by threads of the guest, which must not wait.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1, up to the end of the block
   */
  void notNeeded(int block, long offset, long length);
}
