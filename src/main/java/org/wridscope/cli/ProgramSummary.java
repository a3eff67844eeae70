// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.wridscope.analysis.PolledQueues;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.QueuePairText;
import org.wridscope.analysis.QueuePairs;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Regions;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Unseen;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Observation;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.verbs.QueuePairAttributes;
import org.wridscope.verbs.WorkCompletionStatus;

/** Summarizes what a program that is not ours posted and polled. */
final class ProgramSummary {
  /** More queues are counted together. */
  private static final int QUEUES_SHOWN = 16;

  private ProgramSummary() {}

  /** A few lines; the first word of each is its name. */
  static List<String> lines(Requests requests) {
    var lines = new ArrayList<String>();
    for (QueueType type : QueueType.values()) {
      Collection<QueueCounts> queues = requests.of(type).queues();
      queues.stream().limit(QUEUES_SHOWN).forEach(queue -> lines.add(line(requests, type, queue)));
      if (queues.size() > QUEUES_SHOWN) {
        lines.add(line("others", Format.counted(queues.size() - QUEUES_SHOWN, "queue")));
      }
    }
    requests.polledQueues().all().stream()
        .limit(QUEUES_SHOWN)
        .forEach(queue -> lines.add(line("CQ " + queue.number(), polls(queue))));
    QueuePairs pairs = requests.queuePairs();
    pairs.known().stream()
        .limit(QUEUES_SHOWN)
        .forEach(queue -> lines.add(line(requests.nameOf(queue), attributes(pairs, queue))));
    pairs.refusals().stream()
        .limit(QUEUES_SHOWN)
        .forEach(each ->
            lines.add(
                line(
                    requests.nameOf(each.change().queue()),
                    QueuePairText.refusal(each, requests.telemetry()))));
    boolean idle = lines.isEmpty();
    if (requests.regions().areKnown()) {
      lines.add(line("registered", regions(requests)));
    }
    lines.add(
        line(
            "in all",
            "%s posted to send queues%s, %s receives; completions: %s"
                .formatted(
                    Format.count(sum(requests, QueueType.SEND)),
                    busiest(requests.sends().queues()),
                    Format.count(sum(requests, QueueType.RECEIVE)),
                    statuses(polled(requests)))));
    if (idle) {
      lines.add(
          line(
              "nothing",
              "was posted or polled in a way that is seen; if a child of this process does so, attach to"
                  + " the child by its PID, or to all with --device"));
    }
    Unseen unseen = requests.unseen();
    if (unseen.requests() + unseen.completions() + unseen.lost() + requests.missed() > 0
        || unseen.refused() + unseen.early() > 0) {
      lines.add(
          line(
              "not seen",
              "%s requests of chains, %s completions of long batches or read in part, %s lost while tracing, %s not kept, %s refused with one before, %s before all probes were in place"
                  .formatted(
                      Format.count(unseen.requests()),
                      Format.count(unseen.completions()),
                      Format.count(unseen.lost()),
                      Format.count(requests.missed()),
                      Format.count(unseen.refused()),
                      Format.count(unseen.early()))));
    }
    return lines;
  }

  /** The figures of the program at the moment that is shown. */
  static Reading reading(Requests requests) {
    SessionTelemetry telemetry = requests.telemetry();
    return new Reading(
        telemetry.role(), telemetry.status(), Observation.PROGRAM, telemetry.metrics(), 0);
  }

  private static String regions(Requests requests) {
    Reading reading = reading(requests);
    Regions regions = requests.regions();
    var text = new StringBuilder();
    if (Figure.REGISTRATIONS_ALIVE.in(reading).isPresent()) {
      text.append(
          "%s regions of %s, at most %s of %s"
              .formatted(
                  Figure.REGISTRATIONS_ALIVE.text(reading),
                  Figure.REGISTERED_BYTES.text(reading),
                  Figure.REGISTRATIONS_PEAK.text(reading),
                  Figure.REGISTERED_BYTES_PEAK.text(reading)));
    } else {
      text.append("how much is not known");
    }
    text.append(
        "; meanwhile %s registered, %s deregistered"
            .formatted(
                Figure.REGISTRATIONS_TOTAL.text(reading),
                Figure.DEREGISTRATIONS_TOTAL.text(reading)));
    append(text, regions.between(), "registered between requests");
    append(text, regions.forOne(), "for a single request");
    regions.refusals().forEach((what, count) -> append(text, count, "refused " + what));
    return text.toString();
  }

  private static String attributes(QueuePairs of, QueueId queue) {
    QueuePairChange set = of.attributes(queue);
    if (set == null) {
      return "not known";
    }
    List<String> words = new ArrayList<>(QueuePairText.attributes(set));
    if (set.has(QueuePairAttributes.STATE)) {
      words.addFirst(QueuePairText.state(set.state()));
    }
    return "set: " + String.join(", ", words);
  }

  /** A line of a summary: its name in a column of its own. */
  static String line(String name, String text) {
    return "  %-14s %s".formatted(name, text);
  }

  private static String line(Requests requests, QueueType type, QueueCounts queue) {
    var text = new StringBuilder();
    text.append("%s queue: %s posted".formatted(type.text(), Format.count(queue.posted())));
    boolean known = requests.of(type).seesCompletions();
    if (known) {
      text.append(", at most %s open at once".formatted(Format.count(queue.mostOpen())));
    }
    text.append("; completions: ").append(statuses(queue.polled()));
    append(text, queue.covered(), "unsignaled and covered by a later completion");
    append(
        text,
        queue.open(),
        requests.unseen().ofPackets()
            ? "without an acknowledgement in the capture"
            : known ? "never completed" : "of which that is not known");
    append(text, queue.unmatched(), "completions whose post was not seen");
    append(text, queue.refused(), "refused by the post function");
    if (type == QueueType.SEND && requests.of(type).knowsFlags()) {
      text.append("; %s signaled".formatted(Format.count(queue.signaled())));
      append(text, queue.inlined(), "inline");
      append(text, queue.mostUnsignaled(), "unsignaled in a row at most");
    }
    append(text, queue.repeated(), "posted while their wr_id was open");
    if (type == QueueType.RECEIVE && known && queue.emptyTimes() > 0) {
      text.append(
          "; empty %s until the next post, at most for %s"
              .formatted(
                  Format.counted(queue.emptyTimes(), "time"),
                  Format.duration(queue.longestEmpty())));
    }
    return line(requests.nameOf(queue.id()), text.toString());
  }

  private static String polls(PolledQueues.Polled queue) {
    return "%s of sends and %s of receives in %s, at most %s at once; %s"
        .formatted(
            Format.counted(queue.sends(), "completion"),
            Format.count(queue.receives()),
            Format.counted(queue.polls(), "poll"),
            Format.count(queue.mostAtOnce()),
            Format.counted(queue.empty(), "empty poll"));
  }

  private static void append(StringBuilder text, long count, String what) {
    if (count > 0) {
      text.append("; ").append(Format.count(count)).append(' ').append(what);
    }
  }

  private static String statuses(Map<WorkCompletionStatus, Long> polled) {
    return polled.isEmpty()
        ? "none"
        : new TreeMap<>(polled)
            .entrySet().stream()
                .map(each -> "%s %s".formatted(Format.count(each.getValue()), each.getKey()))
                .collect(Collectors.joining(", "));
  }

  private static Map<WorkCompletionStatus, Long> polled(Requests requests) {
    var polled = new TreeMap<WorkCompletionStatus, Long>();
    for (QueueType type : QueueType.values()) {
      for (QueueCounts queue : requests.of(type).queues()) {
        queue.polled().forEach((status, count) -> polled.merge(status, count, Long::sum));
      }
    }
    return polled;
  }

  /** Of several queues, how many requests the one has that has the most. */
  private static String busiest(Collection<QueueCounts> queues) {
    return queues.size() < 2
        ? ""
        : " (at most %s and at least %s to one of %s)"
            .formatted(
                Format.count(queues.stream().mapToLong(QueueCounts::posted).max().orElse(0)),
                Format.count(queues.stream().mapToLong(QueueCounts::posted).min().orElse(0)),
                Format.counted(queues.size(), "queue"));
  }

  private static long sum(Requests requests, QueueType type) {
    return requests.of(type).queues().stream().mapToLong(QueueCounts::posted).sum();
  }
}
