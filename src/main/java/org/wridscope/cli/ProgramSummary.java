// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.QueuePairText;
import org.wridscope.analysis.QueuePairs;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Unseen;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
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
    lines.add(
        line(
            "in all",
            "%s posted to send queues, %s receives; completions: %s"
                .formatted(
                    Format.count(sum(requests, QueueType.SEND)),
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
              "%s requests of chains, %s completions of long batches, %s lost while tracing, %s not kept, %s refused with one before, %s before all probes were in place"
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
    return line(requests.nameOf(queue.id()), text.toString());
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

  private static long sum(Requests requests, QueueType type) {
    return requests.of(type).queues().stream().mapToLong(QueueCounts::posted).sum();
  }
}
