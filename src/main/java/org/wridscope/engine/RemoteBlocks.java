// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RemoteBlock;

/** The destination's RAM blocks, checked against the source's. */
final class RemoteBlocks {
  private RemoteBlocks() {}

  /**
   * Checks what the destination answered and takes it over into the tables. The blocks' names were
   * compared by the destination, which knows them from the migration stream.
   *
   * @param remote as many as there are tables
   * @param pinAll whether every block must come with a key
   * @return the destination's own offset of each block, the base of addresses in messages
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
            table.length() + ", as here");
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
