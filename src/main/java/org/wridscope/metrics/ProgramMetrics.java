// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Locale;
import org.wridscope.control.Session;
import org.wridscope.telemetry.ProgramCounts;
import org.wridscope.telemetry.QueueId;
import org.wridscope.verbs.WorkCompletionStatus;

/** Reads a program that is not ours as metrics of Prometheus: it has no migration. */
final class ProgramMetrics {
  private static final String PREFIX = "wridscope_program_";

  private final Session session;
  private final ProgramCounts counts;
  private final Families families;
  private final Labels labels;

  /**
   * @param name label of the session
   */
  ProgramMetrics(Session session, ProgramCounts counts, String name, Families families) {
    this.session = session;
    this.counts = counts;
    this.families = families;
    labels = Labels.of("session", name);
  }

  void add() {
    families.gauge(
        PREFIX + "info",
        "What identifies the program; always 1.",
        labels.merge(
            Labels.of(
                "uri",
                MigrationMetrics.label(session.uri()),
                "device",
                MigrationMetrics.label(session.device()))),
        1);
    families.gauge(
        PREFIX + "attached",
        "1 while the program is looked at.",
        labels,
        session.telemetry().status().isEnd() ? 0 : 1);
    counts.queues().forEach(this::add);
    families.figures(PREFIX, labels, session.reading());
    families.devices(PREFIX, labels, session.telemetry().deviceCounts());
    for (ProgramCounts.Unseen what : ProgramCounts.Unseen.values()) {
      counter(
          "not_seen",
          "What could not be recorded, by what it is.",
          labels.merge(Labels.of("what", lower(what))),
          counts.unseen(what));
    }
    counter(
        "events_lost",
        "Events that views do not show any more.",
        labels,
        session.telemetry().eventsGivenUp());
  }

  private void add(ProgramCounts.OfQueue of) {
    QueueId id = of.queue();
    Labels queue =
        labels.merge(
            Labels.of("queue_pair", id == null ? "others" : id.text(), "queue", lower(of.side())));
    if (of.side() != ProgramCounts.Side.UNKNOWN) {
      counter("requests_posted", "Work requests posted.", queue, of.posted());
      counter(
          "posted_bytes", "Bytes of the requests posted; offered by receives.", queue, of.bytes());
      counter(
          "requests_refused", "Work requests that the post function refused.", queue, of.refused());
    }
    of.completions().forEach((status, count) -> completions(queue, status, count));
    if (of.side() != ProgramCounts.Side.UNKNOWN
        && (id == null || !id.isShared())
        && !of.completions().containsKey(WorkCompletionStatus.SUCCESS)) {
      completions(queue, WorkCompletionStatus.SUCCESS, 0);
    }
  }

  private void completions(Labels queue, WorkCompletionStatus status, long count) {
    counter(
        "completions",
        "Completions polled, by the queue of their request and by status.",
        queue.merge(Labels.of("status", lower(status))),
        count);
  }

  private void counter(String name, String help, Labels of, long value) {
    families.counter(PREFIX + name, help, of, (double) value);
  }

  private static String lower(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }
}
