// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/** How far a chunk's registration is on its way back before the migration ends. */
public enum ChunkRelease {
  /** It is not on its way back. */
  NONE(""),
  /** It is in the queue of registrations to be given back. */
  QUEUED("to be released"),
  /** It was its turn, but an RDMA WRITE to its registration is in transit or next. */
  PUT_OFF("postponed"),
  /** It was deregistered, and has not been registered again. */
  GIVEN_BACK("released");

  private static final ChunkRelease[] VALUES = values();

  private final String text;

  ChunkRelease(String text) {
    this.text = text;
  }

  /** Name in a legend; empty for {@link #NONE}. */
  public String text() {
    return text;
  }

  /** The value with this ordinal. */
  public static ChunkRelease of(int ordinal) {
    return VALUES[ordinal];
  }
}
