// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.telemetry.EventKind;

/** Counts what was not seen of a program that is not ours. Not thread-safe. */
public final class Unseen {
  private long requests;
  private long completions;
  private long lost;

  /**
   * Adds what an event tells.
   *
   * @param detail see {@link EventKind#PROGRAM_UNSEEN}
   */
  void add(int detail, int length) {
    long count = Integer.toUnsignedLong(length);
    switch (detail) {
      case 0 -> requests += count;
      case 1 -> completions += count;
      default -> lost += count;
    }
  }

  /** Requests at the end of chains that were longer than what is walked. */
  public long requests() {
    return requests;
  }

  /** Completions at the end of batches that were longer than what is walked. */
  public long completions() {
    return completions;
  }

  /** Posts and completions that bpftrace lost because they came faster than it wrote them. */
  public long lost() {
    return lost;
  }
}
