// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.text.Format;
import org.wridscope.wire.Syndrome;

/**
 * One kind of trouble that captured packets of a session show: how often there was some, when, and
 * which requests it was about. Not thread-safe.
 */
final class WireTrouble {
  /** More requests, and more queue pairs, are counted but not named. */
  private static final int MOST_NAMED = 3;

  /** The newest moments that are kept, 8 bytes each. */
  private static final int TIMES_KEPT = 1 << 18;

  private final Kind kind;
  private final long firstEvent;
  private final long firstNanos;
  private final LongTable times = new LongTable(1, TIMES_KEPT);
  private final Set<QueueId> queuePairs = new LinkedHashSet<>();
  private final Map<String, Long> requests = new LinkedHashMap<>();
  private long lastNanos;
  private long count;
  private long others;
  private long changed;
  private long shortestTimer = Long.MAX_VALUE;
  private long longestTimer;

  /**
   * What is told together.
   *
   * @param answer of a negative acknowledgement, otherwise null
   */
  record Kind(EventKind kind, Syndrome.@Nullable Answer answer) {
    static Kind of(EventKind kind, WirePacket packet) {
      return new Kind(kind, kind == EventKind.WIRE_NAK ? syndrome(packet).answer() : null);
    }
  }

  /** Nothing was added yet; the first event comes next. */
  WireTrouble(Kind kind, long firstNanos, long firstEvent) {
    this.kind = kind;
    this.firstNanos = firstNanos;
    this.firstEvent = firstEvent;
  }

  private static Syndrome syndrome(WirePacket packet) {
    return new Syndrome(packet.what());
  }

  /**
   * Adds an event.
   *
   * @param request what views call its request; empty if that is not known
   */
  void add(long nanos, WirePacket packet, String request) {
    count++;
    times.add(nanos);
    lastNanos = nanos;
    queuePairs.add(packet.queuePair());
    if (requests.containsKey(request) || (!request.isEmpty() && requests.size() < MOST_NAMED)) {
      requests.merge(request, 1L, Long::sum);
    } else {
      others++;
    }
    if (kind.kind == EventKind.WIRE_RETRANSMISSION) {
      changed += packet.isChanged() ? 1 : 0;
    } else if (kind.answer == Syndrome.Answer.NOT_READY) {
      long timer = syndrome(packet).timerNanos();
      shortestTimer = Math.min(shortestTimer, timer);
      longestTimer = Math.max(longestTimer, timer);
    }
  }

  // ------------------------------------------------------------------------------------- findings

  /**
   * What is noteworthy about it.
   *
   * @param origin the time that moments are counted from
   */
  Finding finding(long origin) {
    String seen = "%s %s%s.".formatted(what(), when(origin), about());
    return switch (kind.kind) {
      case WIRE_RETRANSMISSION ->
          new Finding(
              Severity.WARNING,
              "requests sent again",
              seen,
              "A device sends a request again when no acknowledgement came in time (4.096 us x"
                  + " 2^timeout), or after a negative one: a packet was lost or late, in one"
                  + " direction or the other. After retry_cnt attempts the request fails with"
                  + " IBV_WC_RETRY_EXC_ERR.",
              "Look for NAKs with a PSN sequence error: with them the requests were lost, without"
                  + " them the acknowledgements or the last packets; then at discards and pause"
                  + " frames of both ports and of the switch (ethtool -S, rdma statistic). A"
                  + " capture that has each packet twice, as with -i any, looks the same.",
              evidence());
      case WIRE_CNP ->
          new Finding(
              Severity.WARNING,
              "congestion notifications",
              seen,
              "A switch marked packets of this queue pair (ECN), and the receiver answered with a"
                  + " congestion notification packet (CNP, opcode 0x81); the sender then lowers its"
                  + " rate, by DCQCN or another algorithm.",
              "Look at what shares the congested port of the switch, at its ECN thresholds, and at"
                  + " the counters of both devices (np_cnp_sent, rp_cnp_handled).",
              evidence());
      default -> ofAnswer(seen);
    };
  }

  private Finding ofAnswer(String seen) {
    Syndrome.Answer answer = answer();
    Optional<Meaning> meaning = Meanings.of(answer);
    return new Finding(
        answer.status() == null ? Severity.WARNING : Severity.ERROR,
        answer.text(),
        seen,
        meaning.map(Meaning::means).orElse(""),
        meaning.map(Meaning::advice).orElse(""),
        evidence());
  }

  private Evidence evidence() {
    return new Evidence.Packets(kind.kind, kind.answer);
  }

  boolean isOf(EventKind ofKind, Syndrome.@Nullable Answer answer) {
    return kind.equals(new Kind(ofKind, answer));
  }

  /**
   * How much of it there was from a moment to before another one, as far as that is still known.
   */
  Evidence.Part in(long fromNanos, long toNanos) {
    return new Evidence.Part(times.indexOf(0, toNanos) - times.indexOf(0, fromNanos), count);
  }

  private Syndrome.Answer answer() {
    return kind.answer == null ? Syndrome.Answer.RESERVED : kind.answer;
  }

  /** How many there were, and on which queue pairs. */
  private String what() {
    String noun =
        switch (kind.kind) {
          case WIRE_RETRANSMISSION -> "retransmission";
          case WIRE_CNP -> "congestion notification";
          default -> "negative acknowledgement";
        };
    return "%s %s %s"
        .formatted(
            Format.counted(count, noun),
            kind.kind == EventKind.WIRE_RETRANSMISSION ? "by" : "to",
            Format.listed(queuePairs.stream().map(QueueId::text).toList(), MOST_NAMED));
  }

  private String when(long origin) {
    String first = Format.moment(firstNanos - origin);
    return count == 1
        ? "at " + first
        : "from %s to %s".formatted(first, Format.moment(lastNanos - origin));
  }

  private String about() {
    var parts = new ArrayList<String>();
    if (!requests.isEmpty()) {
      parts.add(
          requests.entrySet().stream()
              .map(each ->
                  each.getKey()
                      + (each.getValue() == 1
                          ? ""
                          : " (%s times)".formatted(Format.count(each.getValue()))))
              .collect(Collectors.joining(", ")));
      if (others > 0) {
        parts.add("%s of other requests".formatted(Format.count(others)));
      }
    }
    if (changed > 0) {
      parts.add("%s with other data than before".formatted(Format.count(changed)));
    }
    if (longestTimer > 0) {
      parts.add(
          "to be sent again after "
              + (shortestTimer == longestTimer
                  ? Format.duration(longestTimer)
                  : "%s to %s"
                      .formatted(Format.duration(shortestTimer), Format.duration(longestTimer))));
    }
    return parts.isEmpty() ? "" : ": " + String.join("; ", parts);
  }

  // ---------------------------------------------------------------------------------------- steps

  /** The first of it, as a step of an explanation. */
  Step step(Requests end) {
    String queuePair = queuePairs.iterator().next().text();
    String request =
        requests.isEmpty() ? "a request of " + queuePair : requests.keySet().iterator().next();
    String what =
        switch (kind.kind) {
          case WIRE_RETRANSMISSION -> "the device sends %s again".formatted(request);
          case WIRE_CNP -> "%s is told that its packets meet congestion".formatted(queuePair);
          default -> "the peer's device answers %s with: %s".formatted(request, answer().text());
        };
    return new Step(
        end.role(),
        firstNanos,
        firstEvent,
        Format.capitalized(what)
            + (count == 1 ? "" : ", the first of %s such packets".formatted(Format.count(count)))
            + ".",
        kind.answer != null && kind.answer.status() != null);
  }
}
