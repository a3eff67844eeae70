// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.stream.Stream;

/** Counts the RAM that is prepared for guests. Thread-safe. */
final class RamPreparation {
  private int running;
  private long ready;
  private long total;

  /** The time in which guests are made. */
  @FunctionalInterface
  interface Run extends AutoCloseable {
    @Override
    void close();
  }

  /** Announces the RAM of guests that are made until the run is closed. */
  synchronized Run begin(GuestSettings... guests) {
    running++;
    total += Stream.of(guests).mapToLong(RamPreparation::ramOf).sum();
    return this::end;
  }

  /** Only the RAM of synthetic guests is prepared; other guests have theirs in files. */
  private static long ramOf(GuestSettings guest) {
    return guest instanceof GuestSettings.Synthetic synthetic ? synthetic.ramBytes() : 0;
  }

  synchronized void add(long bytes) {
    ready += bytes;
  }

  private synchronized void end() {
    running--;
    if (running == 0) {
      ready = 0;
      total = 0;
    }
  }

  synchronized RamProgress now() {
    // A guest has more memory than its RAM, such as video memory.
    return new RamProgress(Math.min(ready, total), total);
  }
}
