// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/** State of a chunk, in the order of precedence in views, lowest first. */
public enum ChunkState {
  /** It has no keys: it was never registered, or has been deregistered. */
  NOT_REGISTERED("not registered"),
  /** It is all zero, and was sent as COMPRESS. */
  ZERO("zero"),
  /** The source has received a key for it, or the destination has given one out. */
  REGISTERED("registered"),
  /**
   * At a source, all pages that were dirty at the beginning of this round have arrived. At a
   * destination, what the source wrote until its last REGISTER FINISHED.
   */
  SENT("arrived"),
  /** The guest has written to it after it was sent. */
  DIRTY_AGAIN("dirty again"),
  /** At least one RDMA WRITE to it has been posted and has not completed. */
  IN_TRANSIT("in transit");

  private static final ChunkState[] VALUES = values();

  private final String text;

  ChunkState(String text) {
    this.text = text;
  }

  /** Name in a legend. */
  public String text() {
    return text;
  }

  /** The state with this ordinal. */
  public static ChunkState of(int ordinal) {
    return VALUES[ordinal];
  }
}
