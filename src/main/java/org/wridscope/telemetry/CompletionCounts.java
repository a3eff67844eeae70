// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.wridscope.verbs.WorkCompletionStatus;

/** Counts of the completions of one queue by status. One thread writes, any thread reads. */
public final class CompletionCounts {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] counts = new long[WorkCompletionStatus.values().length];

  /**
   * Counts a completion.
   *
   * @param status {@code enum ibv_wc_status}
   */
  void increment(int status) {
    int index = WorkCompletionStatus.of(status).ordinal();
    LONGS.setOpaque(counts, index, counts[index] + 1);
  }

  public long get(WorkCompletionStatus status) {
    return (long) LONGS.getOpaque(counts, status.ordinal());
  }
}
