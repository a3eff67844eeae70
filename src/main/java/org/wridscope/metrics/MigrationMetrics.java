// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.telemetry.CompletionCounts;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.text.Legible;
import org.wridscope.time.Time;
import org.wridscope.verbs.WorkCompletionStatus;

/** Reads migrations, and programs that are not ours, as metrics of Prometheus. Thread-safe. */
final class MigrationMetrics {
  /** Sessions that are exported; of more, the newest ones. */
  static final int MAX_SESSIONS = 100;

  /** Length of a label, in characters; URIs and names of devices come from users and peers. */
  private static final int MAX_LABEL = 128;

  private static final String PREFIX = "wridscope_migration_";
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

  /**
   * One moment on both clocks, so that a time that has passed has the same value at each reading.
   */
  private final long anchorNanos = Time.nanos();

  private final double anchorSeconds = Time.wallClock().toEpochMilli() / MILLIS_PER_SECOND;

  /**
   * The present state.
   *
   * @param sessions in the order in which they were started; those that neither migrate nor count
   *     are left out
   */
  MetricSnapshots of(List<Session> sessions) {
    List<Session> programs =
        sessions.stream().filter(session -> session.programCounts().isPresent()).toList();
    List<Session> migrations = sessions.stream().filter(Session::migrates).toList();
    var families = new Families();
    var names = new HashSet<String>();
    if (!migrations.isEmpty() || programs.isEmpty()) {
      addMigrations(migrations, names, families);
    }
    programs.stream()
        .skip(Math.max(0, programs.size() - MAX_SESSIONS))
        .forEach(session ->
            session
                .programCounts()
                .map(counts ->
                    new ProgramMetrics(
                        session, counts, unused(label(session.name()), names), families))
                .ifPresent(ProgramMetrics::add));
    return families.snapshots();
  }

  private void addMigrations(List<Session> migrations, Set<String> names, Families families) {
    int leftOut = Math.max(0, migrations.size() - MAX_SESSIONS);
    families.gauge(
        "wridscope_sessions",
        "Ends of migrations that this process shows.",
        Labels.EMPTY,
        migrations.size());
    families.gauge(
        "wridscope_sessions_left_out",
        "Ends of migrations that are not exported, because there are more than %d."
            .formatted(MAX_SESSIONS),
        Labels.EMPTY,
        leftOut);
    migrations.stream()
        .skip(leftOut)
        .forEach(session ->
            new OneSession(session, unused(label(session.name()), names), families).add());
  }

  /** Reads one session. */
  private final class OneSession {
    private final Session session;
    private final SessionTelemetry telemetry;
    private final Families families;
    private final Labels labels;

    OneSession(Session session, String name, Families families) {
      this.session = session;
      this.families = families;
      telemetry = session.telemetry();
      labels = Labels.of("session", name, "role", session.role().text());
    }

    void add() {
      MigrationReport report = session.report();
      addState(report);
      addTimes(report);
      families.figures(PREFIX, labels, session.reading());
      addCompletions("send", telemetry.sendCompletions());
      addCompletions("receive", telemetry.receiveCompletions());
      addMessages("sent", report.controlMessages().sent());
      addMessages("received", report.controlMessages().received());
      families.devices(PREFIX, labels, telemetry.deviceCounts());
      addTurnedAway(telemetry.turnedAway().counts().reasons());
      String lost = "Events that views do not show.";
      counter("events_lost", lost, with("reason", "too_fast"), (double) telemetry.eventsLeftOut());
      counter("events_lost", lost, with("reason", "no_room"), (double) telemetry.eventsGivenUp());
    }

    private void addTurnedAway(Map<TurnedAway.Reason, Long> reasons) {
      for (TurnedAway.Reason reason : TurnedAway.reasons()) {
        counter(
            "callers_turned_away",
            "Callers that the destination turned away before its source.",
            with("reason", reason.label()),
            (double) reasons.getOrDefault(reason, 0L));
      }
    }

    private void addState(MigrationReport report) {
      String peer = report.peer();
      gauge(
          "info",
          "What identifies the session; always 1.",
          labels.merge(
              Labels.of(
                  "uri",
                  label(session.uri()),
                  "device",
                  label(session.device()),
                  "peer",
                  peer == null ? "unknown" : label(peer))),
          1);
      for (MigrationStatus status : MigrationStatus.values()) {
        gauge(
            "status",
            "1 for the present status, 0 for the others.",
            with("status", status.qemuName()),
            telemetry.status() == status ? 1 : 0);
      }
      gauge(
          "guest_running",
          "1 if the guest runs at this end.",
          labels,
          session.guestRunning() ? 1 : 0);
      gauge(
          "verified",
          "1 if the RAM of both ends was compared and is equal.",
          labels,
          report.verified() ? 1 : 0);
    }

    private void addTimes(MigrationReport report) {
      double begin = anchorSeconds + (session.originNanos() - anchorNanos) / NANOS_PER_SECOND;
      double duration = report.totalTime() / MILLIS_PER_SECOND;
      gauge("start_time_seconds", "When it began, in seconds since 1970.", labels, begin);
      if (duration > 0) {
        gauge("duration_seconds", "How long it has taken so far, or took.", labels, duration);
        if (telemetry.status().isEnd()) {
          gauge(
              "end_time_seconds",
              "When it ended, in seconds since 1970; absent until then.",
              labels,
              begin + duration);
        }
      }
      report
          .downtimePhases()
          .forEach((phase, milliseconds) ->
              gauge(
                  "downtime_phase_seconds",
                  "How long each phase of the downtime took.",
                  with("phase", phase.text()),
                  milliseconds / MILLIS_PER_SECOND));
    }

    private void addCompletions(String queue, CompletionCounts counts) {
      for (WorkCompletionStatus status : WorkCompletionStatus.values()) {
        long count = counts.get(status);
        if (count > 0 || status == WorkCompletionStatus.SUCCESS) {
          counter(
              "completions",
              "Completions polled, by the queue of their request and by status.",
              labels.merge(
                  Labels.of("queue", queue, "status", status.name().toLowerCase(Locale.ROOT))),
              (double) count);
        }
      }
    }

    private void addMessages(String direction, Map<String, Long> counts) {
      counts.forEach((type, count) ->
          counter(
              "control_messages",
              "Control messages, by direction and type.",
              labels.merge(Labels.of("direction", direction, "type", type)),
              count));
    }

    private Labels with(String name, String value) {
      return labels.merge(Labels.of(name, value));
    }

    private void gauge(String name, String help, Labels of, double value) {
      families.gauge(PREFIX + name, help, of, value);
    }

    private void counter(String name, String help, Labels of, double value) {
      families.counter(PREFIX + name, help, of, value);
    }
  }

  /** A name that no other session has: two long names may have become equal. */
  private static String unused(String name, Set<String> used) {
    String unused = name;
    for (int number = 2; !used.add(unused); number++) {
      unused = "%s (%d)".formatted(name, number);
    }
    return unused;
  }

  /** A text of users or peers as a label. */
  static String label(String text) {
    return Legible.of(text, MAX_LABEL);
  }
}
