// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The reference: after each action it reads the bytes of the rings and buffers, independently of
 * drivers and devices, and records what was made available and used. A request is identified by its
 * buffer: the sector that is read, or the packet that is sent.
 */
final class RingWatcher {
  static final ValueLayout.OfShort LE16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt LE32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LE64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final int REQUESTS = 0;
  static final int RECEIVE = 1;
  static final int TRANSMIT = 2;

  private final VirtioLayout layout;
  private final List<Side> sides = List.of(new Side(), new Side(), new Side());
  final List<String> anomalies = new ArrayList<>();

  /** What was observed in a queue. */
  static final class Side {
    private int avail;
    private int used;

    /** Number of all entries ever made available. */
    long madeAvailable;

    /** The outstanding requests by head, in the order in which they were made available. */
    final SequencedMap<Integer, Long> outstanding = new LinkedHashMap<>();

    final List<Long> completed = new ArrayList<>();
  }

  RingWatcher(VirtioLayout layout) {
    this.layout = layout;
  }

  Side side(int queue) {
    return sides.get(queue);
  }

  void observe(MemorySegment memory) {
    for (int queue = 0; queue < sides.size(); queue++) {
      observe(memory, queue, sides.get(queue));
    }
  }

  private void observe(MemorySegment memory, int queue, Side side) {
    Vring ring = layout.vring(queue);
    long avail = ring.avail() - layout.base();
    int availIndex = Short.toUnsignedInt(memory.get(LE16, avail + 2));
    while (side.avail != availIndex) {
      int head = Short.toUnsignedInt(memory.get(LE16, avail + 4 + 2L * (side.avail % ring.size())));
      Long before = side.outstanding.put(head, identity(memory, queue, head));
      if (before != null) {
        anomalies.add("queue %d: head %d made available while outstanding".formatted(queue, head));
      }
      side.avail = side.avail + 1 & 0xffff;
      side.madeAvailable++;
    }
    long used = ring.used() - layout.base();
    int usedIndex = Short.toUnsignedInt(memory.get(LE16, used + 2));
    if ((usedIndex - side.used & 0xffff) > ring.size()) {
      anomalies.add("queue %d: used index from %d to %d".formatted(queue, side.used, usedIndex));
      side.used = usedIndex;
    }
    while (side.used != usedIndex) {
      int head = memory.get(LE32, used + 4 + 8L * (side.used % ring.size()));
      used(memory, queue, side, head);
      side.used = side.used + 1 & 0xffff;
    }
  }

  private void used(MemorySegment memory, int queue, Side side, int head) {
    if (!side.outstanding.containsKey(head)) {
      anomalies.add("queue %d: head %d used though not outstanding".formatted(queue, head));
      return;
    }
    if (queue != REQUESTS && side.outstanding.firstEntry().getKey() != head) {
      anomalies.add("queue %d: head %d used out of order".formatted(queue, head));
    }
    long request = side.outstanding.remove(head);
    side.completed.add(queue == RECEIVE ? identity(memory, queue, head) : request);
  }

  private long identity(MemorySegment memory, int queue, int head) {
    long table = layout.vring(queue).desc() - layout.base();
    long buffer = memory.get(LE64, table + 16L * head) - layout.base();
    return memory.get(LE64, buffer + (queue == REQUESTS ? 8 : 12));
  }

  void advance(int queue, int by) {
    sides.get(queue).avail += by;
    sides.get(queue).used += by;
  }

  /** The queues of a device start again, with the same outstanding requests. */
  void expectReset(VirtioKind kind) {
    List<Integer> queues =
        kind == VirtioKind.BLOCK ? List.of(REQUESTS) : List.of(RECEIVE, TRANSMIT);
    for (int queue : queues) {
      Side side = sides.get(queue);
      side.avail = 0;
      side.used = 0;
      side.madeAvailable -= side.outstanding.size();
      side.outstanding.clear();
    }
  }

  /** How often each sector was read. */
  Map<Long, Integer> sectorsRead() {
    Map<Long, Integer> read = new LinkedHashMap<>();
    sides.get(REQUESTS).completed.forEach(sector -> read.merge(sector, 1, Integer::sum));
    return read;
  }
}
