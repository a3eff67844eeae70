// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/** What matters most about a chunk, in the order in which a view lets one win over another. */
public enum ChunkState {
  /** It has no keys: none were asked for yet, or its registration was given back. */
  NOT_REGISTERED("not registered"),
  /** All zero, told to the peer with a COMPRESS message. */
  ZERO("zero"),
  /** The peer can be written to (source), or gave out a key (destination). */
  REGISTERED("registered"),
  /** Everything that was dirty when this round began has arrived. */
  SENT("sent this round"),
  /** Written by the guest after it was sent. */
  DIRTY_AGAIN("dirty again"),
  /** At least one RDMA WRITE was posted and has not completed. */
  IN_TRANSIT("in transit");

  private static final ChunkState[] VALUES = values();

  private final String text;

  ChunkState(String text) {
    this.text = text;
  }

  /** What a legend calls it. */
  public String text() {
    return text;
  }

  /** The state with this ordinal, without a copy of the array of values. */
  public static ChunkState of(int ordinal) {
    return VALUES[ordinal];
  }
}
