// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Arrays;

/**
 * Maps each wrid of a queue to a chain of its open requests and to its last request to end. An
 * open-addressing hash table of longs.
 */
final class WridMap {
  static final long NONE = -1;

  private static final int COLUMNS = 5;
  private static final int WRID = 0;
  private static final int HEAD = 1;
  private static final int TAIL = 2;
  private static final int LAST_ENDED = 3;
  private static final int QUEUE = 4;

  private long[] slots = empty(1 << 10);
  private int size;

  private static long[] empty(int capacity) {
    long[] slots = new long[capacity * COLUMNS];
    Arrays.fill(slots, NONE);
    return slots;
  }

  /** The slot of a wrid in a queue, -1 when it has none. */
  int find(int queue, long wrid) {
    int slot = probe(slots, queue, wrid);
    return isFree(slots, slot) ? -1 : slot;
  }

  /** The slot of a wrid in a queue, which is added if necessary. That may move all others. */
  int findOrMake(int queue, long wrid) {
    int slot = probe(slots, queue, wrid);
    if (!isFree(slots, slot)) {
      return slot;
    }
    if (size * 2 >= slots.length / COLUMNS) {
      grow();
      slot = probe(slots, queue, wrid);
    }
    size++;
    slots[slot + WRID] = wrid;
    slots[slot + QUEUE] = queue;
    // Marks the slot as used: a free slot has NONE in this column.
    slots[slot + LAST_ENDED] = NEVER_ENDED;
    return slot;
  }

  private static final long NEVER_ENDED = -2;

  private static boolean isFree(long[] slots, int slot) {
    return slots[slot + LAST_ENDED] == NONE;
  }

  private static int probe(long[] slots, int queue, long wrid) {
    int capacity = slots.length / COLUMNS;
    long hash = (wrid ^ (long) queue << 32) * 0x9E37_79B9_7F4A_7C15L;
    int index = (int) (hash >>> 40) & (capacity - 1);
    while (!isFree(slots, index * COLUMNS)
        && (slots[index * COLUMNS + WRID] != wrid || slots[index * COLUMNS + QUEUE] != queue)) {
      index = (index + 1) & (capacity - 1);
    }
    return index * COLUMNS;
  }

  private void grow() {
    long[] larger = empty(slots.length / COLUMNS * 2);
    for (int slot = 0; slot < slots.length; slot += COLUMNS) {
      if (!isFree(slots, slot)) {
        System.arraycopy(
            slots,
            slot,
            larger,
            probe(larger, (int) slots[slot + QUEUE], slots[slot + WRID]),
            COLUMNS);
      }
    }
    slots = larger;
  }

  /** The oldest request of the chain, {@link #NONE} when it is empty. */
  long head(int slot) {
    return slots[slot + HEAD];
  }

  void setHead(int slot, long request) {
    slots[slot + HEAD] = request;
  }

  long tail(int slot) {
    return slots[slot + TAIL];
  }

  void setTail(int slot, long request) {
    slots[slot + TAIL] = request;
  }

  /** The last request to end, {@link #NONE} when none has. */
  long lastEnded(int slot) {
    return Math.max(NONE, slots[slot + LAST_ENDED]);
  }

  void setLastEnded(int slot, long request) {
    slots[slot + LAST_ENDED] = request;
  }
}
