// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Counts the RAM that is prepared for guests, for each start of its own. Thread-safe. */
final class RamPreparation {
  private final List<Run> runs = new ArrayList<>();

  /** The time in which the guests of one start are made. */
  final class Run implements AutoCloseable {
    private final Thread starter = Thread.currentThread();
    private final long total;
    private long ready;

    private Run(long total) {
      this.total = total;
    }

    /** So many bytes are ready, besides those before; from any thread. */
    void add(long bytes) {
      synchronized (RamPreparation.this) {
        ready += bytes;
      }
    }

    @Override
    public void close() {
      synchronized (RamPreparation.this) {
        runs.remove(this);
      }
    }
  }

  /** Announces the RAM of guests that are made, by this thread, until the run is closed. */
  synchronized Run begin(GuestSettings... guests) {
    var run = new Run(Stream.of(guests).mapToLong(RamPreparation::ramOf).sum());
    runs.add(run);
    return run;
  }

  /** Only the RAM of synthetic guests is prepared; other guests have theirs in files. */
  private static long ramOf(GuestSettings guest) {
    return guest instanceof GuestSettings.Synthetic synthetic ? synthetic.ramBytes() : 0;
  }

  /** Of all starts together. */
  RamProgress now() {
    return now(_ -> true);
  }

  /** Of those that a thread has called. */
  RamProgress now(Thread starter) {
    return now(run -> run.starter.equals(starter));
  }

  private synchronized RamProgress now(Predicate<Run> which) {
    long ready = 0;
    long total = 0;
    for (Run run : runs) {
      if (which.test(run)) {
        // A guest has more memory than its RAM, such as video memory.
        ready += Math.min(run.ready, run.total);
        total += run.total;
      }
    }
    return new RamProgress(ready, total);
  }
}
