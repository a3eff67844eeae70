// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.wridscope.protocol.ControlType;

/** Counts of control messages by type. One thread writes, any thread reads. */
public final class MessageCounts {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] counts = new long[ControlType.values().length];

  public void increment(ControlType type) {
    LONGS.setOpaque(counts, type.ordinal(), counts[type.ordinal()] + 1);
  }

  /** Adds the counts of others. */
  void include(MessageCounts others) {
    for (int i = 0; i < counts.length; i++) {
      LONGS.setOpaque(counts, i, counts[i] + (long) LONGS.getOpaque(others.counts, i));
    }
  }

  /** A copy of the present counts. */
  public MessageCounts copy() {
    var copy = new MessageCounts();
    copy.include(this);
    return copy;
  }

  /** For a replayed session: sets a count. */
  void set(ControlType type, long count) {
    LONGS.setOpaque(counts, type.ordinal(), count);
  }

  public long get(ControlType type) {
    return (long) LONGS.getOpaque(counts, type.ordinal());
  }
}
