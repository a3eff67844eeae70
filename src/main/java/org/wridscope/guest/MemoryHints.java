// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.time.Duration;

/**
 * Is told which RAM a guest does not need, for now or any more, so that it need not stay pinned.
 */
public interface MemoryHints {
  /** Ignores all hints. */
  MemoryHints NONE =
      new MemoryHints() {
        @Override
        public void notNeeded(int block, long offset, long length) {}

        @Override
        public int release(int block, long offset, long length, Duration limit) {
          return 0;
        }
      };

  /**
   * The guest has given a range back, and may use it again without notice. The content of the range
   * remains part of the guest's RAM. Called by threads of the guest, which must not wait.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1, up to the end of the block
   */
  void notNeeded(int block, long offset, long length);

  /**
   * The owner of a range expects no more of it to be sent: waits until no RDMA device can access
   * any part of it, at either end. What is in transit or is to be written next is written before.
   * RAM that is dirty and not next is not waited for: it is registered again when it is sent, and
   * so must not be freed before the migration has ended. Not for threads of the guest, for which a
   * migration that pauses the guest waits.
   *
   * @param block index of the RAM block
   * @param offset of the first byte of the range in the block
   * @param length bytes of the range, at least 1, up to the end of the block
   * @param limit of the wait
   * @return the number of registrations that were given back for it; they may cover more
   * @throws StillRegisteredException if that is not possible, or not within the limit; the range
   *     must not be freed then
   */
  int release(int block, long offset, long length, Duration limit)
      throws StillRegisteredException, InterruptedException;
}
