// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.wridscope.memory.ChunkTable;

/** The RAM blocks that a trace log of QEMU names, with their addresses at that end. */
final class QemuRam {
  private final List<QemuEvent.BlockAdded> added = new ArrayList<>();
  private final Map<Integer, String> sourceOrder = new TreeMap<>();
  private List<QemuEvent.BlockAdded> blocks = List.of();
  private List<ChunkTable> tables = List.of();

  /** Notes a block; false when no guest has such a one, or so many. */
  boolean add(QemuEvent.BlockAdded block) {
    if (added.size() == TraceFile.MAX_BLOCKS
        || block.length() < 1
        || block.length() > TraceFile.MAX_CHUNKS << ChunkTable.CHUNK_SHIFT) {
      return false;
    }
    if (blocks.isEmpty()) {
      added.add(block);
    }
    return true;
  }

  /** Notes where the source has a block. */
  void order(String name, int index) {
    sourceOrder.put(index, name);
  }

  /**
   * Takes the blocks as they are now, in the source's order where it is known.
   *
   * @return whether there are blocks, and were none before
   * @throws RecordingException when they have more chunks than a trace file can
   */
  boolean settle() throws RecordingException {
    if (!blocks.isEmpty() || added.isEmpty()) {
      return false;
    }
    var ordered = new ArrayList<QemuEvent.BlockAdded>();
    for (String name : sourceOrder.values()) {
      added.stream().filter(b -> b.name().equals(name)).findFirst().ifPresent(ordered::add);
    }
    added.stream().filter(b -> !ordered.contains(b)).forEach(ordered::add);
    long chunkCount = 0;
    var newTables = new ArrayList<ChunkTable>();
    for (QemuEvent.BlockAdded b : ordered) {
      chunkCount += shape(b).chunks();
      if (chunkCount > TraceFile.MAX_CHUNKS) {
        throw RecordingException.of(
            "number of chunks of RAM", chunkCount, "at most " + TraceFile.MAX_CHUNKS);
      }
      newTables.add(new ChunkTable(newTables.size(), b.name(), b.length(), b.address()));
    }
    blocks = List.copyOf(ordered);
    tables = List.copyOf(newTables);
    return true;
  }

  private static BlockShape shape(QemuEvent.BlockAdded block) {
    return new BlockShape(block.name(), block.length(), block.address());
  }

  List<BlockShape> shapes() {
    return blocks.stream().map(QemuRam::shape).toList();
  }

  List<ChunkTable> tables() {
    return tables;
  }

  ChunkTable table(int block) {
    return tables.get(block);
  }

  long totalLength() {
    return blocks.stream().mapToLong(QemuEvent.BlockAdded::length).sum();
  }

  long length(int block) {
    return blocks.get(block).length();
  }

  boolean exists(int block, long chunk) {
    return block >= 0
        && block < tables.size()
        && chunk >= 0
        && chunk < tables.get(block).chunkCount();
  }

  /** The block with this address in it, -1 when there is none. */
  int blockAt(long address) {
    for (int i = 0; i < blocks.size(); i++) {
      long offset = offset(i, address);
      if (offset >= 0 && offset < length(i)) {
        return i;
      }
    }
    return -1;
  }

  /** How far behind the beginning of a block an address lies. */
  long offset(int block, long address) {
    return address - blocks.get(block).address();
  }

  /**
   * How far behind the beginning of a block something lies, -1 when it is not in that block.
   *
   * @param address in QEMU's counting of RAM over all blocks
   */
  long offsetOfRamAddress(int block, long address) {
    if (block < 0 || block >= blocks.size()) {
      return -1;
    }
    long offset = address - blocks.get(block).offset();
    return offset >= 0 && offset < length(block) ? offset : -1;
  }
}
