// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.wridscope.control.attach.TraceLine.Kind;

/**
 * Puts lines into the order of time. bpftrace reads the buffers of the processors one after the
 * other, so that a completion may come before its post if the program moved to another processor.
 * Each processor prints the time regularly; a line is passed on when all of them are past it,
 * however late the buffer of one is read. Not thread-safe.
 */
final class TimeOrder {
  /**
   * How long a function may take from its call, whose time a post has, to its return, where it is
   * printed; and longer than the time between two beats of a processor.
   */
  private static final long SLACK_NANOS =
      TimeUnit.MILLISECONDS.toNanos(TraceScript.BEAT_MILLIS + 50L);

  /** How many lines wait at most, for a processor that is online and never tells the time again. */
  static final int MOST_WAITING = 1 << 19;

  /** A processor that is silent for so long may be offline. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private record Waiting(TraceLine line, long number) implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      int byTime = Long.compareUnsigned(line.nanos(), other.line.nanos());
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final Consumer<TraceLine> sink;
  private final LongPredicate online;
  private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
  private final Map<Long, Long> beats = new HashMap<>();
  private long number;
  private long passed;
  private long late;

  /**
   * @param online whether a processor, by its number, can still see something
   */
  TimeOrder(Consumer<TraceLine> sink, LongPredicate online) {
    this.sink = sink;
    this.online = online;
  }

  /** Takes a line, and passes on those that no earlier one can follow any more. */
  void add(TraceLine line) {
    if (line.kind() != Kind.BEAT) {
      if (line.nanos() < passed) {
        late++;
      }
      waiting.add(new Waiting(line, number++));
      if (waiting.size() > MOST_WAITING) {
        pass();
      }
      return;
    }
    beats.put(line.number(1), line.nanos());
    pass(readUntil() - SLACK_NANOS);
  }

  /**
   * Every line that a processor printed before this time has been added; 0 before the first beat.
   */
  long readUntil() {
    long newest = beats.values().stream().mapToLong(beat -> beat).max().orElse(0);
    return beats.entrySet().stream()
        .filter(beat -> beat.getValue() > newest - SILENT_NANOS || online.test(beat.getKey()))
        .mapToLong(Map.Entry::getValue)
        .min()
        .orElse(0);
  }

  /** Passes on everything; there are no more lines. */
  void end() {
    pass(Long.MAX_VALUE);
  }

  private void pass(long until) {
    while (!waiting.isEmpty() && waiting.element().line.nanos() <= until) {
      pass();
    }
  }

  private void pass() {
    TraceLine line = waiting.remove().line;
    passed = Math.max(passed, line.nanos());
    sink.accept(line);
  }

  /** Time of the newest line that was passed on; 0 if there was none. */
  long passed() {
    return passed;
  }

  /** Lines that came after one with a later time had been passed on. */
  long late() {
    return late;
  }
}
