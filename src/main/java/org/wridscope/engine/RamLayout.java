// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;
import org.wridscope.memory.RamBlock;

/**
 * The RAM blocks that both ends have agreed on. They agree once, before RAM is sent: wrids,
 * registrations and dirty bits count blocks by their index, and the destination has memory for
 * these blocks only. QEMU 7.2 neither plugs nor unplugs devices while it migrates, so it calls
 * {@code rdma_add_block} for none but the first blocks.
 */
record RamLayout(List<RamBlock> blocks) {
  RamLayout {
    blocks = List.copyOf(blocks);
  }

  /**
   * Checks that a guest still has these blocks, at the same addresses.
   *
   * @throws MigrationException if a block was added, removed, resized or moved
   */
  void requireSame(List<RamBlock> now) throws MigrationException {
    for (int i = 0; i < Math.max(blocks.size(), now.size()); i++) {
      if (i < blocks.size() && i < now.size() && blocks.get(i).name().equals(now.get(i).name())) {
        requireSame(blocks.get(i), now.get(i));
        continue;
      }
      // To look for a name in all blocks takes long if there are many.
      if (i >= now.size() || (i < blocks.size() && !hasName(now, blocks.get(i)))) {
        throw changed(blocks.get(i), "was removed");
      }
      if (i >= blocks.size() || !hasName(blocks, now.get(i))) {
        throw changed(now.get(i), "was added");
      }
      throw changed(blocks.get(i), "has another place among the blocks");
    }
  }

  private static void requireSame(RamBlock before, RamBlock after) throws MigrationException {
    if (before.length() != after.length()) {
      throw changed(
          before, "has %d bytes instead of %d".formatted(after.length(), before.length()));
    }
    if (before.memory().address() != after.memory().address()) {
      throw changed(before, "is at another address");
    }
  }

  private static boolean hasName(List<RamBlock> blocks, RamBlock block) {
    return blocks.stream().anyMatch(each -> each.name().equals(block.name()));
  }

  private static MigrationException changed(RamBlock block, String how) {
    return new MigrationException(
        "The guest's RAM block %s %s during the migration, but both ends have agreed on the RAM blocks before; migrate again."
            .formatted(block.name(), how));
  }
}
