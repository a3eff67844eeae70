// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.figures.Estimate;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.verbs.AsyncEventType;

/** Derives findings about a session from its counters and its requests. */
public final class Findings {
  /** Shares of a shorter time are meaningless: set-up and switch-over dominate it. */
  private static final long LONG_ENOUGH = TimeUnit.MILLISECONDS.toNanos(100);

  /** With less RAM written, the send queue never fills: twice its depth of pages. */
  private static final long ENOUGH_WRITTEN = 64L << 20;

  /**
   * From this share on, removing the cause makes a migration at least 1.4 times as fast (1 / (1 -
   * 0.3)), which is more than the variation between runs.
   */
  static final double MATTERS = 0.3;

  /** From this share on, the cause takes most of the time and is the first to look at. */
  private static final double DOMINATES = 0.5;

  /** After so many rounds, a guest that dirties faster than is sent will not converge by chance. */
  private static final long MANY_ROUNDS = 5;

  private final Requests requests;
  private final Metrics metrics;
  private final Map<DowntimePart, Double> downtimePhases;
  private final List<Finding> found = new ArrayList<>();

  private Findings(Requests requests, Map<DowntimePart, Double> downtimePhases) {
    this.requests = requests;
    metrics = requests.telemetry().metrics();
    this.downtimePhases = downtimePhases;
  }

  /**
   * Examines a session that has ended, or its course so far.
   *
   * @param requests up to date
   * @param downtimePhases milliseconds of each part of the downtime, in order; empty when not known
   * @return the most severe first
   */
  public static List<Finding> of(Requests requests, Map<DowntimePart, Double> downtimePhases) {
    var findings = new Findings(requests, downtimePhases);
    findings.order();
    findings.release();
    findings.failures();
    findings.found.addAll(requests.wireFindings());
    findings.monitoring();
    if (requests.role() == Role.SOURCE) {
      findings.times();
      findings.downtime();
      findings.convergence();
    }
    findings.found.sort(Comparator.comparing(Finding::severity).reversed());
    return List.copyOf(findings.found);
  }

  /** Adds what was measured over the whole session. */
  private void add(Severity severity, String title, String seen, String why, String advice) {
    add(severity, title, seen, why, advice, new Evidence.Whole());
  }

  private void add(
      Severity severity, String title, String seen, String why, String advice, Evidence evidence) {
    found.add(new Finding(severity, title, seen, why, advice, evidence));
  }

  // -------------------------------------------------------------------------------- the order

  private void order() {
    Marks marks = requests.marks();
    long dropped = marks.count(Marks.Kind.DROPPED);
    if (dropped > 0) {
      add(
          Severity.ERROR,
          "completions dropped",
          Format.counted(dropped, "completion") + " dropped by a wait for another one.",
          "A later wait for such a completion never ends.",
          "Use separate completion queues for sends and receives, or keep every completion that a"
              + " wait polls.",
          new Evidence.Marked(Marks.Kind.DROPPED));
    }
    long met = marks.count(Marks.Kind.MET);
    if (met > 0) {
      add(
          Severity.INFO,
          "completions handled by another wait",
          Format.counted(met, "completion") + " polled and handled by a wait for another one.",
          "This is harmless: a wait handles every completion of an RDMA WRITE, and while it waits"
              + " for one, the only message that may come is a READY, which it notes.",
          "",
          new Evidence.Marked(Marks.Kind.MET));
    }
    long same = marks.count(Marks.Kind.OUT_OF_ORDER);
    if (same > 0) {
      add(
          Severity.ERROR,
          "completions out of order",
          Format.counted(same, "completion")
              + " polled before that of an earlier request of the same queue.",
          "Requests of one queue must complete in the order in which they were posted; a program"
              + " that relies on it frees buffers that are still in use.",
          "Suspect the device or its driver: try another one.",
          new Evidence.Marked(Marks.Kind.OUT_OF_ORDER));
    }
    long overtook = marks.count(Marks.Kind.RECEIVE_OVERTOOK_SEND);
    if (overtook > 0) {
      add(
          Severity.INFO,
          "messages overtook completions",
          Format.counted(overtook, "message")
              + " polled before the completion of the SEND that it answers.",
          "This is allowed, and harmless as long as no completion is dropped. A program that shares"
              + " one completion queue and drops completions hangs here.",
          "",
          new Evidence.Marked(Marks.Kind.RECEIVE_OVERTOOK_SEND));
    }
  }

  private void release() {
    String seen = EarlyRelease.finding(requests.telemetry());
    if (seen != null) {
      add(
          Severity.ERROR,
          "memory released too early",
          seen,
          "Until a request has completed, the device may send it again, and reads its memory"
              + " again.",
          "Release buffers and registrations when their request has completed, not when the peer"
              + " has answered.",
          new Evidence.Marked(Marks.Kind.MEMORY_GONE, Marks.Kind.MEMORY_REUSED));
    }
  }

  private void failures() {
    long failed = metrics.get(Metric.FAILED_COMPLETIONS);
    if (failed > 0) {
      Meaning meaning = firstFailure();
      String cause =
          metrics.get(Metric.SENT_AGAIN_UNREGISTERED) > 0
              ? "memory that was deregistered before its request had completed"
              : meaning == null ? null : meaning.title();
      add(
          Severity.ERROR,
          "requests failed",
          Format.counted(failed, "completion")
              + " with a status other than success"
              + (cause == null ? "." : "; the first cause: %s.".formatted(cause)),
          "One error puts the queue pair into the error state and flushes all outstanding"
              + " requests."
              + (meaning == null ? "" : " " + meaning.means()),
          meaning == null
              ? "A flush only follows from the cause, which is not among the requests."
              : meaning.advice(),
          new Evidence.Marked(Marks.Kind.FAILED));
    }
  }

  /**
   * The first error of a request that is no flush, or fatal event of the device, whichever came
   * first; null when none is known.
   */
  private @Nullable Meaning firstFailure() {
    Event event = Failure.firstFatal(requests);
    long mark = Failure.firstError(requests);
    Marks marks = requests.marks();
    if (mark >= 0 && (event == null || marks.event(mark) < event.number())) {
      return Meanings.of(requests.of(marks.queue(mark)).status(marks.request(mark)));
    }
    AsyncEventType type = event == null ? null : AsyncEventType.of(event.detail());
    return type == null ? null : Meanings.of(type);
  }

  private void monitoring() {
    long missing = requests.missed();
    if (missing > 0) {
      add(
          Severity.WARNING,
          "events missing",
          Format.counted(missing, "event")
              + " missing: skipped by the monitor, or discarded from the log.",
          "Requests and messages near the gap may look incomplete although they completed.",
          "Give the program more memory, or the machine less other work. The counters are exact in"
              + " any case.");
    }
  }

  // --------------------------------------------------------------------------------- the time

  private long active() {
    return metrics.get(Metric.TOTAL_TIME) - metrics.get(Metric.SETUP_TIME);
  }

  private double share(Metric... of) {
    long sum = 0;
    for (Metric metric : of) {
      sum += metrics.get(metric);
    }
    return Math.clamp((double) sum / Math.max(1, active()), 0.0, 1.0);
  }

  private void times() {
    if (active() < LONG_ENOUGH) {
      return;
    }
    double registering = share(Metric.REGISTRATION_TIME, Metric.WAIT_REGISTER_TIME);
    double scanning = share(Metric.SCAN_TIME);
    double ready = share(Metric.WAIT_READY_TIME);
    double link = share(Metric.WAIT_SEND_QUEUE_TIME);
    double limited = share(Metric.WAIT_BANDWIDTH_TIME);
    if (registering >= MATTERS) {
      add(
          Severity.WARNING,
          "registration dominates",
          percent(registering)
              + " of the time was spent registering memory here and waiting for keys, in "
              + Format.counted(metrics.get(Metric.REGISTRATION_ROUND_TRIPS), "round trip")
              + ".",
          "A chunk cannot be written before its key has arrived.",
          "Pin all RAM in advance (pin-all) if the destination has enough memory.");
    }
    if (scanning >= DOMINATES) {
      add(
          Severity.WARNING,
          "zero scan dominates",
          percent(scanning)
              + " of the time was spent searching for zero pages; "
              + zeroShare()
              + " of the pages were zero.",
          "The processor, not the link, limits the speed.",
          "With few zero pages the search wastes time; with many it saves bandwidth.");
    }
    if (ready >= MATTERS) {
      add(
          Severity.WARNING,
          "waiting for READY",
          percent(ready) + " of the time was spent waiting for the destination's READY.",
          "The destination is busy: it registers memory, or writes to a file.",
          "See what the destination waits for in the same period.");
    }
    if (limited >= MATTERS) {
      add(
          Severity.INFO,
          "bandwidth limit in force",
          percent(limited) + " of the time the bandwidth limit held the source back.",
          "Without the limit the migration would have been shorter.",
          "Raise the limit if the link has spare bandwidth.");
    }
    if (link >= DOMINATES) {
      add(
          Severity.INFO,
          "the link is the limit",
          percent(link) + " of the time the send queue was full.",
          "The device accepts no more requests: the link or the peer's memory is at its maximum"
              + " speed.",
          "");
    }
    emptyQueue(limited);
  }

  private String zeroShare() {
    long zero = metrics.get(Metric.DUPLICATE_PAGES);
    long all = zero + metrics.get(Metric.NORMAL_PAGES);
    return percent((double) zero / Math.max(1, all));
  }

  /** The share of time with an empty send queue shows how well the link is used. */
  private void emptyQueue(double limited) {
    if (requests.unseen().ofPackets()) {
      // Packets show neither when requests were posted nor what the source did instead.
      return;
    }
    long written = metrics.get(Metric.NORMAL_PAGES) * 4096;
    Occupancy queue = requests.sends().occupancy();
    // Little is to be sent while a source waits for permission to switch over.
    long emptyNanos = queue.emptyNanos() - metrics.get(Metric.HELD_TIME);
    long span = queue.busyNanos() + emptyNanos;
    if (written < ENOUGH_WRITTEN || span < LONG_ENOUGH || limited >= MATTERS) {
      return;
    }
    double empty = (double) emptyNanos / span;
    if (empty >= MATTERS) {
      add(
          Severity.WARNING,
          "send queue ran empty",
          "The send queue was empty for %s of the time between the first and the last request; it ran"
                  .formatted(percent(empty))
              + " empty %s.".formatted(Format.counted(queue.emptyCount(), "time")),
          "A link without requests is idle, however fast it is.",
          "First look at what the source did instead: " + mostSpent() + ".");
    }
  }

  private String mostSpent() {
    record Cause(String text, double share) {}
    return List.of(
            new Cause(
                "registering memory", share(Metric.REGISTRATION_TIME, Metric.WAIT_REGISTER_TIME)),
            new Cause("searching for zero pages", share(Metric.SCAN_TIME)),
            new Cause("waiting for READY", share(Metric.WAIT_READY_TIME)))
        .stream()
        .max(Comparator.comparingDouble(Cause::share))
        .map(cause -> cause.text() + ", " + percent(cause.share()))
        .orElse("unknown");
  }

  // ----------------------------------------------------------------------------- the downtime

  private void downtime() {
    long downtime = metrics.get(Metric.DOWNTIME);
    long limit = metrics.get(Metric.DOWNTIME_LIMIT);
    if (downtime <= 0) {
      return;
    }
    boolean over = limit > 0 && downtime > limit;
    String phases =
        downtimePhases.entrySet().stream()
            .map(phase -> phase.getKey().text() + " " + millis(phase.getValue()))
            .collect(Collectors.joining(", "));
    String longest =
        downtimePhases.entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .map(part -> "Longest part: " + part.getKey().text() + advice(part.getKey()))
            .orElse("");
    add(
        over ? Severity.WARNING : Severity.INFO,
        over ? "downtime over its limit" : "downtime",
        "The guest was paused for "
            + Format.duration(downtime)
            + (limit > 0 ? ", the limit is " + Format.duration(limit) : "")
            + (phases.isEmpty() ? "." : ": " + phases + "."),
        "The limit covers only the last pages; loading and resuming the guest add to it.",
        longest,
        pause(downtime));
  }

  /** The pause of the guest. */
  private Evidence pause(long downtime) {
    return requests.milestones().stream()
        .filter(event -> event.kind() == EventKind.GUEST_PAUSED)
        .reduce((_, last) -> last)
        .<Evidence>map(event -> new Evidence.Lasting(event.nanos(), event.nanos() + downtime))
        .orElse(new Evidence.Whole());
  }

  private static String advice(DowntimePart part) {
    return switch (part) {
      case LAST_PAGES -> "; a lower downtime limit leaves fewer of them.";
      case LOAD -> "; the destination takes this time.";
      case PAUSE, DEVICE_STATE, RESUME -> ".";
    };
  }

  private static String millis(double millis) {
    return Format.duration(Math.round(millis * TimeUnit.MILLISECONDS.toNanos(1)));
  }

  private void convergence() {
    MigrationStatus status = requests.telemetry().status();
    long dirty = metrics.get(Metric.DIRTY_BYTES_RATE);
    long bandwidth = metrics.get(Metric.BANDWIDTH);
    if (status.isEnd()
        && status != MigrationStatus.COMPLETED
        && metrics.get(Metric.DIRTY_SYNC_COUNT) >= MANY_ROUNDS
        && Estimate.isHopeless(dirty, bandwidth)) {
      add(
          Severity.WARNING,
          "did not converge",
          "After %s rounds the guest dirtied RAM at %s, while %s was processed."
              .formatted(
                  Format.count(metrics.get(Metric.DIRTY_SYNC_COUNT)),
                  Format.rate(dirty),
                  Format.rate(bandwidth)),
          "Each round leaves at least as much to send as the one before.",
          "Allow more bandwidth or a longer downtime, or reduce the load in the guest.");
    }
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", share * 100);
  }
}
