// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.wridscope.memory.ChunkTable;

/** The RAM blocks named in a trace log of QEMU or in messages, with their addresses. */
final class QemuRam {
  /** Whether the addresses are those at the end that is shown, and not those at the peer. */
  private final boolean local;

  private final List<QemuEvent.BlockAdded> added = new ArrayList<>();
  private final Map<Integer, String> sourceOrder = new TreeMap<>();
  private List<QemuEvent.BlockAdded> blocks = List.of();
  private List<ChunkTable> tables = List.of();

  /** The blocks of the end that is shown. */
  QemuRam() {
    this(true);
  }

  /**
   * @param local whether the addresses are those at the end that is shown; otherwise they are those
   *     at the peer
   */
  QemuRam(boolean local) {
    this.local = local;
  }

  /** Adds a block; returns false when it is invalid or one too many. */
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

  /** Sets the index of a block at the source. */
  void order(String name, int index) {
    sourceOrder.put(index, name);
  }

  /**
   * Fixes the list of blocks, in the source's order as far as it is known.
   *
   * @return whether there are blocks and there were none before
   * @throws RecordingException when they have more chunks than a trace file can hold
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
      newTables.add(
          new ChunkTable(newTables.size(), b.name(), b.length(), local ? b.address() : 0));
    }
    blocks = List.copyOf(ordered);
    tables = List.copyOf(newTables);
    return true;
  }

  private BlockShape shape(QemuEvent.BlockAdded block) {
    return new BlockShape(block.name(), block.length(), local ? block.address() : 0);
  }

  List<BlockShape> shapes() {
    return blocks.stream().map(this::shape).toList();
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

  /** The block that contains an address, -1 when there is none. */
  int blockAt(long address) {
    for (int i = 0; i < blocks.size(); i++) {
      long offset = offset(i, address);
      if (offset >= 0 && offset < length(i)) {
        return i;
      }
    }
    return -1;
  }

  /** The offset of an address within a block. */
  long offset(int block, long address) {
    return address - blocks.get(block).address();
  }

  /**
   * The offset of an address within a block, -1 when it is not in that block.
   *
   * @param address in QEMU's address space of all RAM blocks
   */
  long offsetOfRamAddress(int block, long address) {
    if (block < 0 || block >= blocks.size()) {
      return -1;
    }
    long offset = address - blocks.get(block).offset();
    return offset >= 0 && offset < length(block) ? offset : -1;
  }
}
