// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.telemetry.EventKind;

/** Counts what was not seen of a program that is not ours. Not thread-safe. */
public final class Unseen {
  /** The detail of an event that says that all is inferred from captured packets. */
  public static final int OF_PACKETS = 6;

  private long requests;
  private long completions;
  private long lost;
  private long refused;
  private long early;
  private boolean beginning = true;
  private boolean ofPackets;

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
      case 4 -> refused += count;
      case 5 -> {
        early += count;
        beginning = false;
      }
      case OF_PACKETS -> ofPackets = true;
      default -> lost += count;
    }
  }

  /**
   * Requests at the end of chains that were longer than what is walked, and those of chains of
   * which an unknown part was refused.
   */
  public long requests() {
    return requests;
  }

  /** Completions at the end of batches that were longer than what is walked. */
  public long completions() {
    return completions;
  }

  /** Posts and completions that were lost because they came faster than they were written. */
  public long lost() {
    return lost;
  }

  /** Requests after one that was refused, which were refused with it and not posted. */
  public long refused() {
    return refused;
  }

  /** Posts and completions before all probes were in place, which are only counted. */
  public long early() {
    return early;
  }

  /** Whether posts or completions between others were not seen. */
  boolean hasGaps() {
    return requests + completions + lost > 0;
  }

  /** Whether all is inferred from captured packets. */
  public boolean ofPackets() {
    return ofPackets;
  }

  /** Whether the program was seen from its beginning on. */
  public boolean hasBeginning() {
    return beginning;
  }
}
