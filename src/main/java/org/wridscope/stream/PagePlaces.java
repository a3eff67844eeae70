// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

/**
 * The position of each page of RAM in a file, eight bytes per page, outside the Java heap. Each run
 * of {@value #PAGES} pages has a leaf if the file contains at least one of them, and the leaves are
 * contiguous in memory: so the memory grows with the file, not with the RAM that the file claims to
 * hold. Not thread-safe.
 */
final class PagePlaces implements AutoCloseable {
  /** Pages per leaf: the positions of 2 MiB of RAM take one page of memory. */
  private static final int PAGES = RamBlock.PAGE_SIZE / Long.BYTES;

  private static final int BLOCK_SHIFT = 40;
  private static final int NONE = -1;

  /** Number of each leaf, by block and first page. */
  private final NavigableMap<Long, Integer> leaves = new TreeMap<>();

  private final NativeMemory memory;
  private final long most;
  private final long[] placed;
  private long lastKey = -1;
  private int lastLeaf;

  /**
   * Reserves addresses; memory is allocated as positions are set.
   *
   * @param fileBytes length of the file, in which a page that is not zero takes at least a page
   */
  PagePlaces(List<BlockListing> blocks, long fileBytes) throws IOException {
    placed = new long[blocks.size()];
    long needed = 0;
    for (BlockListing block : blocks) {
      needed += Math.ceilDiv(block.length() / RamBlock.PAGE_SIZE, PAGES);
    }
    most = Math.max(1, Math.min(needed, fileBytes / RamBlock.PAGE_SIZE));
    memory = NativeMemory.allocate(most * RamBlock.PAGE_SIZE);
  }

  /** Position of a page, 0 if the file does not contain it or it is all zero. */
  long get(int block, long page) {
    int leaf = leaf(block, page);
    return leaf == NONE ? 0 : memory.segment().getAtIndex(ValueLayout.JAVA_LONG, at(leaf, page));
  }

  /**
   * Notes the position of a page.
   *
   * @param place 0 if it is all zero
   * @throws ProtocolException if the file has grown meanwhile
   */
  void set(int block, long page, long place) throws ProtocolException {
    int leaf = leaf(block, page);
    if (leaf == NONE) {
      if (place == 0) {
        return;
      }
      leaf = leaves.size();
      if (leaf == most) {
        throw ProtocolException.of("file", "longer than it was", "unchanged while it is read");
      }
      leaves.put(lastKey, leaf);
      lastLeaf = leaf;
    }
    MemorySegment places = memory.segment();
    long before = places.getAtIndex(ValueLayout.JAVA_LONG, at(leaf, page));
    placed[block] += Long.signum(place) - Long.signum(before);
    places.setAtIndex(ValueLayout.JAVA_LONG, at(leaf, page), place);
  }

  /** Number of pages of a block that have a position other than 0. */
  long placed(int block) {
    return placed[block];
  }

  /**
   * The first page in {@code [from, end)} of a block that has a position other than 0; end if none
   * has.
   */
  long next(int block, long from, long end) {
    long first = (long) block << BLOCK_SHIFT | from / PAGES;
    long last = (long) block << BLOCK_SHIFT | (end - 1) / PAGES;
    for (Map.Entry<Long, Integer> leaf = leaves.ceilingEntry(first);
        leaf != null && leaf.getKey() <= last;
        leaf = leaves.higherEntry(leaf.getKey())) {
      long begin = (leaf.getKey() & (1L << BLOCK_SHIFT) - 1) * PAGES;
      for (long page = Math.max(begin, from); page < Math.min(begin + PAGES, end); page++) {
        if (memory.segment().getAtIndex(ValueLayout.JAVA_LONG, at(leaf.getValue(), page)) != 0) {
          return page;
        }
      }
    }
    return end;
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
