// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

/**
 * Where in a file each page of RAM is, eight bytes a page, outside the Java heap. There is a leaf
 * for those {@value #PAGES} neighbours of which the file has at least one, and leaves are dense in
 * memory: what they take grows with the file, not with the RAM that the file claims to hold. Not
 * thread-safe.
 */
final class PagePlaces implements AutoCloseable {
  /** Pages of a leaf: the places of 2 MiB of RAM take one page of memory. */
  private static final int PAGES = RamBlock.PAGE_SIZE / Long.BYTES;

  private static final int BLOCK_SHIFT = 40;
  private static final int NONE = -1;

  /** The number of each leaf, by block and first page. */
  private final Map<Long, Integer> leaves = new HashMap<>();

  private final NativeMemory memory;
  private final long most;
  private long lastKey = -1;
  private int lastLeaf;

  /**
   * Sets addresses aside; memory is taken by what is set.
   *
   * @param fileBytes length of the file, in which a page that is not zero takes a page at least
   */
  PagePlaces(List<BlockListing> blocks, long fileBytes) throws IOException {
    long needed = 0;
    for (BlockListing block : blocks) {
      needed += Math.ceilDiv(block.length() / RamBlock.PAGE_SIZE, PAGES);
    }
    most = Math.max(1, Math.min(needed, fileBytes / RamBlock.PAGE_SIZE));
    memory = NativeMemory.allocate(most * RamBlock.PAGE_SIZE);
  }

  /** Where a page is, 0 when the file has it nowhere or as all zero. */
  long get(int block, long page) {
    int leaf = leaf(block, page);
    return leaf == NONE ? 0 : memory.segment().getAtIndex(ValueLayout.JAVA_LONG, at(leaf, page));
  }

  /**
   * Notes where a page is.
   *
   * @param place 0 for nowhere
   * @throws ProtocolException when the file has grown meanwhile
   */
  void set(int block, long page, long place) throws ProtocolException {
    int leaf = leaf(block, page);
    if (leaf == NONE) {
      if (place == 0) {
        return;
      }
      leaf = leaves.size();
      if (leaf == most) {
        throw ProtocolException.of("file", "longer than it was", "left alone while it is read");
      }
      leaves.put(lastKey, leaf);
      lastLeaf = leaf;
    }
    MemorySegment places = memory.segment();
    places.setAtIndex(ValueLayout.JAVA_LONG, at(leaf, page), place);
  }

  private int leaf(int block, long page) {
    long key = (long) block << BLOCK_SHIFT | page / PAGES;
    if (key != lastKey) {
      lastKey = key;
      lastLeaf = leaves.getOrDefault(key, NONE);
    }
    return lastLeaf;
  }

  private static long at(int leaf, long page) {
    return (long) leaf * PAGES + page % PAGES;
  }

  @Override
  public void close() {
    memory.close();
  }
}
