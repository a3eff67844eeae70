// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.wridscope.memory.ChunkTable;

/**
 * The chunks of one session as a map shows them: a copy of what it shows of each, and how much each
 * chunk glows because its state has just changed. Takes two bytes per chunk.
 */
final class ChunkMapModel {
  /** The glow of a chunk that has just changed; 0 is none. */
  static final int GLOW = 8;

  /** How long a glow takes to fade completely. */
  static final long FADE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int SEGMENT = 1 << 16;

  /** Changes with at most this many chunks between them are one run, which costs less. */
  private static final int LARGEST_GAP = 12;

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final List<ChunkTable> blocks;
  private final byte[][] states;
  private final byte[][] glow;
  private final long chunks;
  private final byte[] fresh;
  private long glowing;
  private long fadedAt;
  private boolean started;
  private double owed;
  private int fadeBlock;
  private int fadeChunk;

  /** Receives runs of chunks that may look different now, ascending within a block. */
  @FunctionalInterface
  interface Listener {
    /** The chunks from {@code from} to before {@code to}. */
    void changed(int block, int from, int to);
  }

  /** Copies the current states; nothing glows. */
  ChunkMapModel(List<ChunkTable> blocks) {
    this.blocks = blocks;
    states = new byte[blocks.size()][];
    glow = new byte[blocks.size()][];
    long sum = 0;
    int longest = 0;
    for (int block = 0; block < states.length; block++) {
      int count = blocks.get(block).chunkCount();
      states[block] = new byte[count];
      glow[block] = new byte[count];
      blocks.get(block).copyShown(0, states[block], 0, count);
      sum += count;
      longest = Math.max(longest, count);
    }
    chunks = sum;
    fresh = new byte[Math.min(longest, SEGMENT)];
  }

  /**
   * Ordinals of the {@link org.wridscope.memory.ShownState} of a block's chunks, as of the last
   * update.
   */
  byte[] states(int block) {
    return states[block];
  }

  /** The glow of each chunk of a block, 0 to {@link #GLOW}. */
  byte[] glow(int block) {
    return glow[block];
  }

  /**
   * Finds the changes since the last update, and makes them glow; returns whether any was found.
   */
  boolean update(Listener listener) {
    boolean any = false;
    for (int block = 0; block < states.length; block++) {
      byte[] seen = states[block];
      for (int from = 0; from < seen.length; from += SEGMENT) {
        int length = Math.min(SEGMENT, seen.length - from);
        blocks.get(block).copyShown(from, fresh, 0, length);
        int at = Arrays.mismatch(seen, from, from + length, fresh, 0, length);
        any |= at >= 0;
        while (at >= 0) {
          int end = take(seen, glow[block], from, at, length);
          listener.changed(block, from + at, from + end);
          int next = Arrays.mismatch(seen, from + end, from + length, fresh, end, length);
          at = next < 0 ? -1 : end + next;
        }
      }
    }
    return any;
  }

  /** Copies a run of changes, with small gaps in it, from the fresh states; returns its end. */
  private int take(byte[] seen, byte[] levels, int from, int at, int length) {
    int end = at;
    for (int i = at; i < length && i - end <= LARGEST_GAP; i++) {
      if (seen[from + i] != fresh[i]) {
        seen[from + i] = fresh[i];
        glowing += levels[from + i] == 0 ? 1 : 0;
        levels[from + i] = GLOW;
        end = i + 1;
      }
    }
    return end;
  }

  /**
   * Fades glows by the time passed since the last call; returns whether any has faded. Each call
   * handles a part of the chunks, so that all frames take about the same time.
   */
  boolean fade(long nowNanos, Listener listener) {
    long passed = started ? nowNanos - fadedAt : 0;
    started = true;
    fadedAt = nowNanos;
    if (glowing == 0) {
      owed = 0;
      return false;
    }
    // After the whole time, every glow is gone.
    double rounds = (double) Math.clamp(passed, 0, FADE_NANOS) * GLOW / FADE_NANOS;
    owed += rounds * chunks;
    boolean any = false;
    while (owed >= 1 && glowing > 0) {
      byte[] levels = glow[fadeBlock];
      int end = (int) Math.min(levels.length, fadeChunk + (long) owed);
      any |= fade(fadeBlock, fadeChunk, end, listener);
      owed -= end - fadeChunk;
      fadeChunk = end;
      if (end == levels.length) {
        fadeChunk = 0;
        fadeBlock = (fadeBlock + 1) % glow.length;
      }
    }
    return any;
  }

  private boolean fade(int block, int from, int to, Listener listener) {
    byte[] levels = glow[block];
    int begin = -1;
    int end = -1;
    int i = from;
    while (i < to) {
      if (i + Long.BYTES <= to && (long) EIGHT.get(levels, i) == 0) {
        i += Long.BYTES;
        continue;
      }
      for (int stop = Math.min(to, i + Long.BYTES); i < stop; i++) {
        if (levels[i] > 0) {
          levels[i]--;
          glowing -= levels[i] == 0 ? 1 : 0;
          if (begin >= 0 && i - end > LARGEST_GAP) {
            listener.changed(block, begin, end);
            begin = -1;
          }
          begin = begin < 0 ? i : begin;
          end = i + 1;
        }
      }
    }
    if (begin >= 0) {
      listener.changed(block, begin, end);
    }
    return begin >= 0;
  }

  /** The number of glowing chunks. */
  long glowing() {
    return glowing;
  }
}
