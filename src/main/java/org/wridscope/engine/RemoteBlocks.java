// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RemoteBlock;

/** Checks the destination's RAM blocks against those of the source. */
final class RemoteBlocks {
  private RemoteBlocks() {}

  /**
   * Checks the destination's answer and enters it into the tables. The names of the blocks have
   * been compared by the destination, which knows them from the migration stream.
   *
   * @param remote one for each table
   * @param pinAll whether every block must have a key
   * @return the destination's offset of each block, the base of addresses in messages
   */
  static long[] adopt(List<RemoteBlock> remote, List<ChunkTable> tables, boolean pinAll)
      throws ProtocolException {
    long[] offsets = new long[tables.size()];
    for (int i = 0; i < offsets.length; i++) {
      RemoteBlock block = remote.get(i);
      ChunkTable table = tables.get(i);
      if (block.length() != table.length()) {
        throw ProtocolException.of(
            "length of the destination's RAM block " + table.name(),
            block.length(),
            table.length() + ", as at the source");
      }
      if (block.hostAddress() == 0 || block.hostAddress() % RamBlock.PAGE_SIZE != 0) {
        throw ProtocolException.of(
            "address of the destination's RAM block " + table.name(),
            "0x" + Long.toHexString(block.hostAddress()),
            "a page's address");
      }
      if (pinAll) {
        block.requireKey(i);
      }
      table.setRemoteAddress(block.hostAddress());
      offsets[i] = block.offset();
      for (int chunk = 0; pinAll && chunk < table.chunkCount(); chunk++) {
        table.setRemoteKey(chunk, block.remoteKey());
        table.setState(chunk, ChunkState.REGISTERED);
      }
    }
    return offsets;
  }
}
