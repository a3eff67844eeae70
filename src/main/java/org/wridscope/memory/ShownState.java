// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import org.jspecify.annotations.Nullable;

/**
 * What a map shows of a chunk: its {@link ChunkState}, unless the way of its registration back to
 * the device says more. The first values are those of {@link ChunkState}, in the same order.
 */
public enum ShownState {
  NOT_REGISTERED(ChunkState.NOT_REGISTERED, 0),
  ZERO(ChunkState.ZERO, 1),
  REGISTERED(ChunkState.REGISTERED, 2),
  SENT(ChunkState.SENT, 3),
  DIRTY_AGAIN(ChunkState.DIRTY_AGAIN, 6),
  IN_TRANSIT(ChunkState.IN_TRANSIT, 8),
  /** It was deregistered, and nothing has to be written to it now. */
  GIVEN_BACK(ChunkRelease.GIVEN_BACK, 4),
  /** Its registration is in the queue of those to be given back. */
  QUEUED(ChunkRelease.QUEUED, 5),
  /** Its registration stays, because a write to it is in transit or next. */
  PUT_OFF(ChunkRelease.PUT_OFF, 7);

  private static final ShownState[] VALUES = values();
  private static final byte[] OF = table();

  private final String text;
  private final int rank;

  ShownState(ChunkState state, int rank) {
    this(state.text(), rank);
  }

  ShownState(ChunkRelease release, int rank) {
    this(release.text(), rank);
  }

  ShownState(String text, int rank) {
    this.text = text;
    this.rank = rank;
  }

  private static byte[] table() {
    var table = new byte[ChunkColumns.KINDS];
    for (ChunkState state : ChunkState.values()) {
      for (ChunkRelease release : ChunkRelease.values()) {
        ShownState plain = VALUES[state.ordinal()];
        ShownState back = ofRelease(release);
        table[ChunkColumns.kind(state, release)] =
            (byte) (back != null && back.rank > plain.rank ? back : plain).ordinal();
      }
    }
    return table;
  }

  private static @Nullable ShownState ofRelease(ChunkRelease release) {
    return switch (release) {
      case NONE -> null;
      case QUEUED -> QUEUED;
      case PUT_OFF -> PUT_OFF;
      case GIVEN_BACK -> GIVEN_BACK;
    };
  }

  /** What is shown of a chunk. */
  public static ShownState of(ChunkState state, ChunkRelease release) {
    return VALUES[ordinalOf(ChunkColumns.kind(state, release))];
  }

  /** The ordinal of what is shown of a {@linkplain ChunkColumns#kind kind} of chunk. */
  static byte ordinalOf(int kind) {
    return OF[kind];
  }

  /** The value with this ordinal. */
  public static ShownState of(int ordinal) {
    return VALUES[ordinal];
  }

  /** Where chunks share a place in a picture, the highest rank is shown. */
  public int rank() {
    return rank;
  }

  /** Name in a legend. */
  public String text() {
    return text;
  }
}
