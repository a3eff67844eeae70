// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;

/**
 * Everything known about one chunk at a moment. Each value is read atomically, but two values may
 * be some microseconds apart.
 *
 * @param block index of the RAM block
 * @param blockName name of the RAM block
 * @param chunk number within the block
 * @param offset in the block of its first byte
 * @param length bytes, less than a whole chunk only at the end of a block
 * @param localAddress of its first byte here, 0 if no memory backs it
 * @param remoteAddress of its first byte at the peer, 0 while unknown
 * @param localKey 0 for none
 * @param remoteKey 0 for none
 * @param wrid work request id of an RDMA WRITE to it
 * @param release how far its registration is on its way back to the device
 * @param timesSent RDMA WRITEs posted so far, at most 65535
 * @param inTransit RDMA WRITEs posted and not completed
 */
public record ChunkDetails(
    int block,
    String blockName,
    int chunk,
    long offset,
    long length,
    long localAddress,
    long remoteAddress,
    int localKey,
    int remoteKey,
    long wrid,
    ChunkState state,
    ChunkRelease release,
    int timesSent,
    int inTransit) {

  /**
   * Reads a chunk.
   *
   * @param chunk 0 to before {@link ChunkTable#chunkCount()}
   */
  public static ChunkDetails of(ChunkTable table, int chunk) {
    long offset = ChunkTable.offsetOf(chunk);
    long remote = table.remoteAddress();
    return new ChunkDetails(
        table.index(),
        table.name(),
        chunk,
        offset,
        table.lengthOf(chunk),
        table.localAddress() == 0 ? 0 : table.localAddress() + offset,
        remote == 0 ? 0 : remote + offset,
        table.localKey(chunk),
        table.remoteKey(chunk),
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, table.index(), chunk),
        table.state(chunk),
        table.release(chunk),
        table.timesSent(chunk),
        table.inTransit(chunk));
  }
}
