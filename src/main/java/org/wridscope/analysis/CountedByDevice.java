// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.analysis.meaning.CounterMeaning;
import org.wridscope.analysis.meaning.CounterMeaning.Trouble;
import org.wridscope.telemetry.DeviceCounting;
import org.wridscope.text.Format;
import org.wridscope.verbs.DeviceCounter;

/**
 * What the devices of a session counted while it ran, by its events: how much, and from when to
 * when. Not thread-safe.
 */
public final class CountedByDevice {
  /** What all of it has in common, a sentence. */
  public static final String WHOSE =
      "Counters are those of a port, for all programs on it, not those of one queue pair.";

  /** How many of the newest changes that show trouble are kept, at least. */
  private static final long TROUBLES_KEPT = 1 << 16;

  private final Map<DeviceCounter, Total> totals = new TreeMap<>();
  private final DeviceTroubles troubles = new DeviceTroubles(TROUBLES_KEPT);

  /**
   * What a counter counted.
   *
   * @param value unsigned
   * @param atLeast whether it may have been more, because it was set back
   * @param firstNanos the moment of the sample that found it changed first
   * @param lastNanos the moment of the sample that found it changed last
   */
  public record Total(
      DeviceCounter counter, long value, boolean atLeast, long firstNanos, long lastNanos) {

    /** For example {@code at least 1,200}. */
    public String count() {
      return (atLeast ? "at least " : "") + unsigned(value);
    }

    /** What it means, a sentence; empty if that is not known. */
    public String means() {
      return CounterMeaning.of(counter.name()).map(CounterMeaning::means).orElse("");
    }

    /** The trouble that it shows; null for none. */
    @Nullable Trouble trouble() {
      return CounterMeaning.of(counter.name()).map(CounterMeaning::trouble).orElse(null);
    }
  }

  /** A count of 64 bits, with commas. */
  static String unsigned(long value) {
    return value >= 0 ? Format.count(value) : Long.toUnsignedString(value);
  }

  /**
   * Adds an event.
   *
   * @param event its number
   * @param value what the counter has counted until then
   */
  void add(long nanos, long event, DeviceCounter counter, long value, boolean atLeast) {
    Total before = totals.get(counter);
    long first = before == null ? nanos : before.firstNanos;
    var now = new Total(counter, value, atLeast, first, nanos);
    totals.put(counter, now);
    if (now.trouble() != null) {
      troubles.add(nanos, event, counter, before == null ? value : value - before.value);
    }
  }

  /** When counters that show trouble were found changed. */
  public DeviceTroubles troubles() {
    return troubles;
  }

  /** Those that counted something, by device, port and name. */
  public Collection<Total> totals() {
    return Collections.unmodifiableCollection(totals.values());
  }

  /** A finding for each kind of trouble that they show. */
  List<Finding> findings(long origin, CompletionGaps gaps) {
    var troubles = new EnumMap<Trouble, List<Total>>(Trouble.class);
    for (Total total : totals.values()) {
      Trouble trouble = total.trouble();
      if (trouble != null) {
        troubles.computeIfAbsent(trouble, _ -> new ArrayList<>()).add(total);
      }
    }
    return troubles.entrySet().stream()
        .map(each -> finding(each.getKey(), each.getValue(), origin, gaps))
        .toList();
  }

  private static Finding finding(
      Trouble trouble, List<Total> totals, long origin, CompletionGaps gaps) {
    long first = totals.stream().mapToLong(Total::firstNanos).min().orElseThrow();
    long last = totals.stream().mapToLong(Total::lastNanos).max().orElseThrow();
    // A sample tells of the time since the one before.
    long begin = first - DeviceCounting.INTERVAL_NANOS;
    String counted =
        Format.listed(
            totals.stream()
                .map(total ->
                    "%s %s (%s)"
                        .formatted(total.count(), total.counter().name(), total.counter().place()))
                .toList(),
            totals.size());
    String when =
        first == last
            ? "by the sample at %s".formatted(Format.moment(first - origin))
            : "by samples from %s to %s"
                .formatted(Format.moment(first - origin), Format.moment(last - origin));
    String beside =
        gaps.longest(begin, last)
            .map(gap ->
                " In that time no completion came for %s, from %s on."
                    .formatted(
                        Format.duration(gap.nanos()), Format.moment(gap.beginNanos() - origin)))
            .orElse("");
    return new Finding(
        Severity.WARNING,
        title(trouble),
        "The device counted %s, %s.%s".formatted(counted, when, beside),
        why(trouble) + " " + WHOSE,
        advice(trouble),
        new Evidence.Lasting(begin, last));
  }

  private static String title(Trouble trouble) {
    return switch (trouble) {
      case RETRANSMISSION -> "retransmissions counted";
      case NOT_READY -> "receiver not ready";
      case NO_RECEIVE -> "packets dropped for lack of a receive";
      case CONGESTION -> "congestion counted";
      case LINK -> "link errors counted";
    };
  }

  private static String why(Trouble trouble) {
    return switch (trouble) {
      case RETRANSMISSION ->
          "A device sends a request again when no acknowledgement came in time, or after a negative"
              + " one: packets were lost, late or out of order.";
      case NOT_READY ->
          "Each message that finds no posted receive waits for the time that its receiver names"
              + " (min_rnr_timer, up to 655 ms), and is sent again.";
      case NO_RECEIVE -> "What is dropped has to be sent again, or is lost.";
      case CONGESTION ->
          "A switch marks packets when its queue is long (ECN), the receiver answers with a"
              + " notification (CNP), and the sender lowers its rate.";
      case LINK -> "Packets that are damaged or dropped have to be sent again, or are lost.";
    };
  }

  private static String advice(Trouble trouble) {
    return switch (trouble) {
      case RETRANSMISSION ->
          "Look at discards and pause frames of both ports and of the switch (ethtool -S), and at"
              + " the counters of the peer's device for the same time.";
      case NOT_READY, NO_RECEIVE ->
          "Post more receives before the peer sends, or let it send less.";
      case CONGESTION ->
          "Look at what shares the congested port of the switch, and at its ECN thresholds.";
      case LINK -> "Look at the cable, the transceivers and the port of the switch.";
    };
  }
}
