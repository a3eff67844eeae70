// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Puts lines into the order of time. A post has the time of its call, and is told when that
 * returns: meanwhile another thread may have polled its completion. Not thread-safe.
 */
final class TimeOrder {
  /** How long a function may take from its call to its return. */
  private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private record Waiting(TraceLine line, long number) implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      int byTime = Long.compare(line.nanos(), other.line.nanos());
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final Consumer<TraceLine> sink;
  private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
  private long number;
  private long passed = Long.MIN_VALUE;
  private long late;

  TimeOrder(Consumer<TraceLine> sink) {
    this.sink = sink;
  }

  /** Takes a line. */
  void add(TraceLine line) {
    if (line.nanos() < passed) {
      late++;
    }
    waiting.add(new Waiting(line, number++));
  }

  /**
   * Passes on those lines that no earlier one can follow any more.
   *
   * @param nanos all that returned before this time has been added
   * @param held a line of this time, or a later one, may still come
   * @return the time until which all lines have been passed on
   */
  long pass(long nanos, long held) {
    long until = Math.min(nanos - SLACK_NANOS, held - 1);
    while (!waiting.isEmpty() && waiting.element().line.nanos() <= until) {
      pass();
    }
    return until;
  }

  /** Passes on everything; there are no more lines. */
  void end() {
    while (!waiting.isEmpty()) {
      pass();
    }
  }

  private void pass() {
    TraceLine line = waiting.remove().line;
    passed = Math.max(passed, line.nanos());
    sink.accept(line);
  }

  /** Lines that came after one with a later time had been passed on. */
  long late() {
    return late;
  }
}
