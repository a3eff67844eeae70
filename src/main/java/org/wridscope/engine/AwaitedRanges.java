// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.text.Format;
import org.wridscope.time.Time;

/**
 * The ranges of RAM that callers wait for until they are registered at neither end: the {@code size
 * < 0} of QEMU's {@code qemu_rdma_save_page}, which QEMU 7.2 does not implement. Callers wait, the
 * engine's thread does the work.
 */
final class AwaitedRanges {
  private final Registrar registrar;
  private final Queue<Range> ranges = new ConcurrentLinkedQueue<>();

  /** Why no range can be given back any more; null while they can. */
  private volatile @Nullable String closed;

  AwaitedRanges(Registrar registrar) {
    this.registrar = registrar;
  }

  /** Chunks of a block that a caller waits for. */
  final class Range {
    private final int block;
    private final int first;
    private final int last;
    private final CountDownLatch done = new CountDownLatch(1);

    // Written by the engine's thread before the latch opens.
    private int registrations;
    private @Nullable String refusal;

    /** The first chunks of the registrations that were found. */
    private final BitSet found = new BitSet();

    private Range(int block, int first, int last) {
      this.block = block;
      this.first = first;
      this.last = last;
    }

    int block() {
      return block;
    }

    int first() {
      return first;
    }

    /** The last chunk, inclusive. */
    int last() {
      return last;
    }

    /** Notes that a registration, which begins at a chunk, covers a part of this. */
    void found(int firstOfRegistration) {
      found.set(firstOfRegistration);
    }

    /** The first registered chunk from a chunk on; greater than the last one if there is none. */
    int next(int from) {
      int chunk = from;
      while (chunk <= last && registrar.firstOf(block, chunk) < 0) {
        chunk++;
      }
      return chunk;
    }
  }

  /**
   * Waits until the chunks are registered at neither end.
   *
   * @return the number of registrations that were given back
   * @throws StillRegisteredException if that is not possible within the limit
   */
  int await(int block, int first, int last, Duration limit)
      throws StillRegisteredException, InterruptedException {
    var range = new Range(block, first, last);
    ranges.add(range);
    // Checked afterwards, so that either this or close() finds the range.
    String reason = closed;
    if (reason != null) {
      ranges.remove(range);
      throw new StillRegisteredException(reason);
    }
    try {
      if (!Time.await(range.done, limit.toNanos())) {
        throw new StillRegisteredException(
            "RAM of the range was still being sent after %s; it is released once that is done."
                .formatted(Format.duration(limit.toNanos())));
      }
    } finally {
      ranges.remove(range);
    }
    if (range.refusal != null) {
      throw new StillRegisteredException(range.refusal);
    }
    return range.registrations;
  }

  boolean any() {
    return !ranges.isEmpty();
  }

  /** The ranges that are waited for. */
  List<Range> take() {
    return new ArrayList<>(ranges);
  }

  /** Lets the caller go on if nothing of the range is registered now. */
  void check(Range range) {
    if (range.next(range.first) > range.last) {
      range.registrations = range.found.cardinality();
      ranges.remove(range);
      range.done.countDown();
    }
  }

  /** Refuses all ranges, present and future. */
  void close(String reason) {
    closed = reason;
    for (Range range : take()) {
      range.refusal = reason;
      range.done.countDown();
    }
  }
}
