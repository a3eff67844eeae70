// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.text.Format;

/**
 * Converts the times of a destination in one file to the clock of a source in another. It relies on
 * the wall clocks, unless a message would then arrive before it was sent. Control messages bound
 * the difference of the clocks; if the wall clocks contradict these bounds, the middle between them
 * is used.
 *
 * @param shiftNanos is added to the destination's times
 * @param byMessages whether messages contradict the wall clocks
 * @param timed whether both recordings have times
 * @param messages number of compared messages
 * @param uncertaintyNanos upper limit of the error; meaningless without messages
 */
public record ClockAlignment(
    long shiftNanos, boolean byMessages, boolean timed, int messages, long uncertaintyNanos) {
  private static final int PIECE = 4_096;

  /** Computes the alignment; both sessions must be at their ends. */
  public static ClockAlignment of(RecordedSession source, RecordedSession destination) {
    long wall = wallNanos(source) - wallNanos(destination);
    // A message from the source arrives after it was sent: the shift is at least sent - arrived.
    Bound atLeast = bound(source, destination, true);
    // A message to the source was sent before it arrived: the shift is at most arrived - sent.
    Bound atMost = bound(destination, source, false);
    int messages = atLeast.count + atMost.count;
    boolean timed = source.isTimed() && destination.isTimed();
    if (atLeast.count == 0 || atMost.count == 0 || atLeast.nanos > atMost.nanos) {
      return new ClockAlignment(wall, false, timed, 0, 0);
    }
    long uncertainty = atMost.nanos - atLeast.nanos;
    if (wall >= atLeast.nanos && wall <= atMost.nanos) {
      return new ClockAlignment(wall, false, timed, messages, uncertainty);
    }
    return new ClockAlignment(
        atLeast.nanos + uncertainty / 2, true, timed, messages, uncertainty / 2);
  }

  /** The time of the recording's clock at 1970-01-01 of the wall clock. */
  private static long wallNanos(RecordedSession session) {
    long epoch = ChronoUnit.NANOS.between(Instant.EPOCH, session.start());
    return session.telemetry().startNanos() - epoch;
  }

  private record Bound(long nanos, int count) {}

  /** The n-th message of a type that was sent is the n-th one of that type that arrived. */
  private static Bound bound(RecordedSession sender, RecordedSession receiver, boolean lower) {
    Map<ControlType, Queue<Long>> sent = times(sender, EventKind.CONTROL_SENT);
    Map<ControlType, Queue<Long>> arrived = times(receiver, EventKind.CONTROL_RECEIVED);
    long best = lower ? Long.MIN_VALUE : Long.MAX_VALUE;
    int count = 0;
    for (Map.Entry<ControlType, Queue<Long>> entry : sent.entrySet()) {
      Queue<Long> arrivals = arrived.getOrDefault(entry.getKey(), new ArrayDeque<>());
      for (Long time : entry.getValue()) {
        Long arrival = arrivals.poll();
        if (arrival == null) {
          break;
        }
        count++;
        best = lower ? Math.max(best, time - arrival) : Math.min(best, arrival - time);
      }
    }
    return new Bound(best, count);
  }

  private static Map<ControlType, Queue<Long>> times(RecordedSession session, EventKind wanted) {
    var times = new EnumMap<ControlType, Queue<Long>>(ControlType.class);
    EventLog log = session.telemetry().log();
    long next = log.oldest();
    // If the first ones are missing, their numbers are not known.
    long end = next == 0 ? log.size() : 0;
    while (next < end) {
      next =
          log.read(
              next,
              PIECE,
              (number, nanos, kind, detail, length, wrid, argument) -> {
                ControlType type = kind == wanted ? ControlType.of(detail) : null;
                if (type != null) {
                  times.computeIfAbsent(type, _ -> new ArrayDeque<>()).add(nanos);
                }
                return true;
              });
    }
    return times;
  }

  /** Describes the alignment in one sentence. */
  public String sentence() {
    if (!timed) {
      return messages == 0
          ? "The order of events at different ends is not known, because a log has no times."
          : "A log has no times; the order of events at different ends follows from %s messages."
              .formatted(Format.count(messages));
    }
    if (messages == 0) {
      return "The two clocks were aligned by the wall clocks; no messages confirm it.";
    }
    return byMessages
        ? "The wall clocks contradict %s messages; the two clocks were aligned by these, with an error of up to %s."
            .formatted(Format.count(messages), Format.duration(uncertaintyNanos))
        : "The two clocks were aligned by the wall clocks, in agreement with %s messages."
            .formatted(Format.count(messages));
  }
}
