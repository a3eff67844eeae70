// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventChunks;
import org.wridscope.analysis.Hits;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.ui.TimeRange;

/**
 * The chunks of a session to which something happened in the chosen range of time, or what is
 * searched for; found step by step in its log. Not thread-safe.
 */
final class ConcernedChunks {
  /** How many events one step reads. */
  private static final int STEP = 1 << 15;

  private final TimeRange.@Nullable Span span;
  private final @Nullable Hits hits;
  private final EventLog log;
  private final List<ChunkTable> blocks;
  private final List<BitSet> found;
  private long next;
  private boolean fresh;

  /**
   * @param span null for all times
   * @param hits the only events that count; null for all
   * @param blocks of the session
   */
  ConcernedChunks(
      TimeRange.@Nullable Span span, @Nullable Hits hits, EventLog log, List<ChunkTable> blocks) {
    this.span = span;
    this.hits = hits;
    this.log = log;
    this.blocks = blocks;
    found = Stream.generate(BitSet::new).limit(blocks.size()).toList();
  }

  /** Reads more events; returns whether chunks were found that were not known before. */
  boolean advance() {
    fresh = false;
    // What was not examined yet may still be found.
    long known = hits == null ? STEP : Math.clamp(hits.next() - next, 0, STEP);
    next = log.read(next, (int) known, this::take);
    return fresh;
  }

  private boolean take(
      long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    if ((span != null && !span.has(nanos)) || (hits != null && !hits.has(number))) {
      return true;
    }
    long count = EventChunks.count(kind, detail, length, wrid, argument);
    int block = WorkRequestId.block(wrid);
    if (count > 0 && block < blocks.size()) {
      int chunks = blocks.get(block).chunkCount();
      int from = (int) Math.min(chunks, WorkRequestId.chunk(wrid));
      int to = (int) Math.min(chunks, from + count);
      BitSet of = found.get(block);
      fresh |= of.nextClearBit(from) < to;
      of.set(from, to);
    }
    return true;
  }

  /** Whether something happened to one of the chunks from {@code from} to before {@code to}. */
  boolean has(int block, int from, int to) {
    int first = found.get(block).nextSetBit(from);
    return first >= 0 && first < to;
  }

  /** How many chunks something happened to, as far as the log was read. */
  long count() {
    return found.stream().mapToLong(BitSet::cardinality).sum();
  }
}
