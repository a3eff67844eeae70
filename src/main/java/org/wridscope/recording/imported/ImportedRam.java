// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.imported;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.wridscope.memory.ChunkTable;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.file.RecordingFormat;

/** The RAM blocks named in a trace log of QEMU or in messages, with their addresses. */
public final class ImportedRam {
  /** Whether the addresses are those at the end that is shown, and not those at the peer. */
  private final boolean local;

  private final List<Block> added = new ArrayList<>();
  private final Map<Integer, String> sourceOrder = new TreeMap<>();
  private List<Block> blocks = List.of();
  private List<ChunkTable> tables = List.of();

  /**
   * A RAM block.
   *
   * @param offset in QEMU's address space of all RAM blocks
   * @param length in bytes
   */
  public record Block(String name, long address, long offset, long length) {}

  /** The blocks of the end that is shown. */
  public ImportedRam() {
    this(true);
  }

  /**
   * @param local whether the addresses are those at the end that is shown; otherwise they are those
   *     at the peer
   */
  public ImportedRam(boolean local) {
    this.local = local;
  }

  /** Adds a block; returns false when it is invalid or one too many. */
  public boolean add(Block block) {
    if (added.size() == RecordingFormat.MAX_BLOCKS
        || block.length() < 1
        || block.length() > RecordingFormat.MAX_CHUNKS << ChunkTable.CHUNK_SHIFT) {
      return false;
    }
    if (blocks.isEmpty()) {
      added.add(block);
    }
    return true;
  }

  /** Sets the index of a block at the source. */
  public void order(String name, int index) {
    sourceOrder.put(index, name);
  }

  /**
   * Fixes the list of blocks, in the source's order as far as it is known.
   *
   * @return whether there are blocks and there were none before
   * @throws RecordingException when they have more chunks than a recording can hold
   */
  public boolean settle() throws RecordingException {
    if (!blocks.isEmpty() || added.isEmpty()) {
      return false;
    }
    var ordered = new ArrayList<Block>();
    for (String name : sourceOrder.values()) {
      added.stream().filter(b -> b.name().equals(name)).findFirst().ifPresent(ordered::add);
    }
    added.stream().filter(b -> !ordered.contains(b)).forEach(ordered::add);
    long chunkCount = 0;
    var newTables = new ArrayList<ChunkTable>();
    for (Block b : ordered) {
      var table = new ChunkTable(newTables.size(), b.name(), b.length(), local ? b.address() : 0);
      chunkCount += table.chunkCount();
      if (chunkCount > RecordingFormat.MAX_CHUNKS) {
        throw RecordingException.of(
            "number of chunks of RAM", chunkCount, "at most " + RecordingFormat.MAX_CHUNKS);
      }
      newTables.add(table);
    }
    blocks = List.copyOf(ordered);
    tables = List.copyOf(newTables);
    return true;
  }

  List<ChunkTable> tables() {
    return tables;
  }

  public ChunkTable table(int block) {
    return tables.get(block);
  }

  public long totalLength() {
    return blocks.stream().mapToLong(Block::length).sum();
  }

  public long length(int block) {
    return blocks.get(block).length();
  }

  public boolean exists(int block, long chunk) {
    return block >= 0
        && block < tables.size()
        && chunk >= 0
        && chunk < tables.get(block).chunkCount();
  }

  /** The block that contains an address, -1 when there is none. */
  public int blockAt(long address) {
    for (int i = 0; i < blocks.size(); i++) {
      long offset = offset(i, address);
      if (offset >= 0 && offset < length(i)) {
        return i;
      }
    }
    return -1;
  }

  /** The offset of an address within a block. */
  public long offset(int block, long address) {
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
