// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.List;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.file.BlockShape;
import org.wridscope.recording.file.Names;

/**
 * The RAM blocks of a session that is written as a trace log, with the addresses that its lines
 * contain. The recording has the blocks from the moment on at which the recorder found them, which
 * may be later than their first event.
 */
final class TraceBlocks {
  private final List<BlockShape> blocks;
  private final long[] remote;
  private final long[] offsets;
  private final boolean relative;

  /**
   * @param relative whether addresses are relative to their block
   */
  TraceBlocks(Names names, boolean relative) {
    int last = names.generations().size() - 1;
    blocks = last < 0 ? List.of() : names.generations().get(last).blocks();
    remote =
        names.remoteAddresses().stream()
            .filter(addresses -> addresses.generation() == last)
            .reduce((before, after) -> after)
            .map(Names.RemoteAddresses::addresses)
            .orElse(new long[0]);
    offsets = new long[blocks.size()];
    for (int i = 1; i < offsets.length; i++) {
      offsets[i] = offsets[i - 1] + (blocks.get(i - 1).chunks() << ChunkTable.CHUNK_SHIFT);
    }
    this.relative = relative;
  }

  int count() {
    return blocks.size();
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  private boolean has(int block) {
    return block < blocks.size();
  }

  String name(int block) {
    return blocks.get(block).name();
  }

  long length(int block) {
    return blocks.get(block).length();
  }

  /** The start of a block when all blocks are laid out in a row, each aligned to a chunk. */
  long offset(int block) {
    return relative || !has(block) ? 0 : offsets[block];
  }

  /** The address of a byte at this end, as it is written. */
  String local(int block, long offset) {
    return hex((relative || !has(block) ? 0 : blocks.get(block).localAddress()) + offset);
  }

  /** The address of the first byte of a block at the peer, 0 when it is not known. */
  long remote(int block) {
    return block < remote.length ? remote[block] : 0;
  }

  /** The number of bytes of a run of chunks, without what lies behind the block. */
  long bytes(long wrid, int chunks) {
    int block = WorkRequestId.block(wrid);
    long all = (long) chunks << ChunkTable.CHUNK_SHIFT;
    return has(block) ? Math.min(all, length(block) - offsetInBlock(wrid)) : all;
  }

  /** Whether the chunk of a wrid exists. */
  boolean contains(long wrid) {
    int block = WorkRequestId.block(wrid);
    return has(block) && offsetInBlock(wrid) < length(block);
  }

  /** Whether a run is a whole block. */
  boolean isWhole(long wrid, int chunks) {
    int block = WorkRequestId.block(wrid);
    return has(block) && WorkRequestId.chunk(wrid) == 0 && chunks == blocks.get(block).chunks();
  }

  static long offsetInBlock(long wrid) {
    return WorkRequestId.chunk(wrid) << ChunkTable.CHUNK_SHIFT;
  }

  static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }

  /** Writes the blocks as QEMU adds them. */
  void writeAdded(long nanos, TraceLines lines) throws IOException {
    for (int i = 0; i < blocks.size(); i++) {
      Object[] place = place(i);
      lines.event(
          nanos,
          QemuTraceEvent.ADD_BLOCK,
          name(i),
          i,
          place[0],
          place[1],
          place[2],
          place[3],
          place[4],
          place[5]);
    }
    lines.event(nanos, QemuTraceEvent.INIT_RAM_BLOCKS, blocks.size());
  }

  /** Writes that a block is deleted. */
  void writeDeleted(long nanos, int block, TraceLines lines) throws IOException {
    lines.event(nanos, QemuTraceEvent.DELETE_BLOCK, place(block));
  }

  /** Address, offset, length and end of a block, the bits of its bitmaps and its chunks. */
  private Object[] place(int index) {
    BlockShape block = blocks.get(index);
    long address = relative ? 0 : block.localAddress();
    // Like QEMU: one more when the block ends at the end of a chunk.
    long chunks = (block.length() >> ChunkTable.CHUNK_SHIFT) + 1;
    return new Object[] {
      Long.toUnsignedString(address),
      offset(index),
      block.length(),
      Long.toUnsignedString(address + block.length()),
      (chunks + Long.SIZE - 1) / Long.SIZE * Long.SIZE,
      chunks
    };
  }
}
