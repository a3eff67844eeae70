// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** What can be found about one session from its counters and its requests. */
public final class Findings {
  /** Shares of a shorter time say nothing: set-up and switch-over are all there is. */
  private static final long LONG_ENOUGH = TimeUnit.MILLISECONDS.toNanos(100);

  /** Less RAM than that on the wire is gone before the queue can fill: twice its depth of pages. */
  private static final long ENOUGH_WRITTEN = 64L << 20;

  /**
   * From here on removing the cause makes a migration at least 1.4 times as fast (1 / (1 - 0.3)),
   * which is more than runs differ by themselves.
   */
  private static final double MATTERS = 0.3;

  /** Most of the time: there is one cause, and no other is worth looking at first. */
  private static final double DOMINATES = 0.5;

  /** Rounds after which a guest that dirties faster than is sent will not converge by luck. */
  private static final long MANY_ROUNDS = 5;

  private final Requests requests;
  private final Metrics metrics;
  private final Map<String, Double> downtimePhases;
  private final List<Finding> found = new ArrayList<>();

  private Findings(Requests requests, Map<String, Double> downtimePhases) {
    this.requests = requests;
    metrics = requests.telemetry().metrics();
    this.downtimePhases = downtimePhases;
  }

  /**
   * Looks at a session that has ended, or as far as it has come.
   *
   * @param requests up to date
   * @param downtimePhases milliseconds of each part of the downtime, in order; empty when not known
   * @return the most severe first
   */
  public static List<Finding> of(Requests requests, Map<String, Double> downtimePhases) {
    var findings = new Findings(requests, downtimePhases);
    findings.order();
    findings.failures();
    findings.monitoring();
    if (requests.role() == Role.SOURCE) {
      findings.times();
      findings.downtime();
      findings.convergence();
    }
    findings.found.sort(Comparator.comparing(Finding::severity).reversed());
    return List.copyOf(findings.found);
  }

  private void add(Severity severity, String title, String seen, String why, String advice) {
    found.add(new Finding(severity, title, seen, why, advice));
  }

  // -------------------------------------------------------------------------------- the order

  private void order() {
    Marks marks = requests.marks();
    long dropped = marks.count(Marks.Kind.DROPPED);
    if (dropped > 0) {
      add(
          Severity.ERROR,
          "completions dropped",
          counted(dropped, "completion") + " thrown away by a wait for another one.",
          "Whoever waits for such a completion later waits for ever.",
          "Use a completion queue each for sends and receives, or keep what a wait polls.");
    }
    long same = marks.count(Marks.Kind.OUT_OF_ORDER);
    if (same > 0) {
      add(
          Severity.ERROR,
          "a queue out of order",
          counted(same, "completion") + " polled before that of an earlier request of its queue.",
          "The requests of one queue complete in the order of their posts; who relies on that"
              + " releases buffers that are in use.",
          "Suspect the device or its driver; compare with another one.");
    }
    long overtook = marks.count(Marks.Kind.RECEIVE_OVERTOOK_SEND);
    if (overtook > 0) {
      add(
          Severity.INFO,
          "messages overtook completions",
          counted(overtook, "message")
              + " polled before the completion of the SEND that it answers.",
          "It is allowed, and harmless as long as no completion is dropped; a program with one"
              + " completion queue that drops some hangs here.",
          "");
    }
  }

  private void failures() {
    long failed = metrics.get(Metric.FAILED_COMPLETIONS);
    if (failed > 0) {
      add(
          Severity.ERROR,
          "requests failed",
          counted(failed, "completion") + " with another status than success.",
          "One error ends the queue pair, and flushes all that is outstanding.",
          "Look for the cause in the explanation: a flush is only a consequence of it.");
    }
  }

  private void monitoring() {
    long missing = requests.missed();
    if (missing > 0) {
      add(
          Severity.WARNING,
          "events missing",
          counted(missing, "event") + " not seen: left out by the monitor, or given up by the log.",
          "Requests and messages around them look as if they had not completed.",
          "Give the program more memory or fewer other tasks; the counters are right anyway.");
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
              + " of the time went into registering memory here and waiting for keys, "
              + Format.count(metrics.get(Metric.REGISTRATION_ROUND_TRIPS))
              + " round trips.",
          "Nothing is written before a key is there.",
          "Pin all RAM beforehand (pin-all) if the destination has it to spare.");
    }
    if (scanning >= DOMINATES) {
      add(
          Severity.WARNING,
          "zero scan dominates",
          percent(scanning)
              + " of the time went into looking for zero pages; "
              + zeroShare()
              + " of the pages were.",
          "The processor, not the link, sets the pace.",
          "With few zero pages the search is lost time; with many it is what saves the link.");
    }
    if (ready >= MATTERS) {
      add(
          Severity.WARNING,
          "waiting for READY",
          percent(ready) + " of the time the source waited for the destination's READY.",
          "The destination is busy with something else: registering, or writing to a file.",
          "Look at the waits of the destination in the same stretch of time.");
    }
    if (limited >= MATTERS) {
      add(
          Severity.INFO,
          "bandwidth limit in force",
          percent(limited) + " of the time the limit held the source back.",
          "Without it the migration would have been shorter.",
          "Raise the limit if the link has room.");
    }
    if (link >= DOMINATES) {
      add(
          Severity.INFO,
          "the link is the limit",
          percent(link) + " of the time the send queue was full.",
          "The device takes no more: this is as fast as the link and the peer's memory go.",
          "");
    }
    emptyQueue(limited);
  }

  private String zeroShare() {
    long zero = metrics.get(Metric.DUPLICATE_PAGES);
    long all = zero + metrics.get(Metric.NORMAL_PAGES);
    return percent((double) zero / Math.max(1, all));
  }

  /** The send queue as a gauge of how well the link is used. */
  private void emptyQueue(double limited) {
    WorkRequests sends = requests.sends();
    long written = metrics.get(Metric.NORMAL_PAGES) * 4096;
    long span = sends.busyNanos() + sends.emptyNanos();
    if (written < ENOUGH_WRITTEN || span < LONG_ENOUGH || limited >= MATTERS) {
      return;
    }
    double empty = (double) sends.emptyNanos() / span;
    if (empty >= MATTERS) {
      add(
          Severity.WARNING,
          "send queue ran empty",
          "%s of the time between the first and the last request nothing was in the send queue, %s."
              .formatted(percent(empty), counted(sends.emptyCount(), "time")),
          "A link that has nothing to send is idle, however fast it is.",
          "Look first at what the source did instead: " + mostSpent() + ".");
    }
  }

  private String mostSpent() {
    record Cause(String text, double share) {}
    return List.of(
            new Cause("registering", share(Metric.REGISTRATION_TIME, Metric.WAIT_REGISTER_TIME)),
            new Cause("looking for zero pages", share(Metric.SCAN_TIME)),
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
            .map(phase -> phase.getKey() + " " + millis(phase.getValue()))
            .collect(Collectors.joining(", "));
    String longest =
        downtimePhases.entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .orElse("");
    add(
        over ? Severity.WARNING : Severity.INFO,
        over ? "downtime over its limit" : "downtime",
        "The guest stood still for "
            + Format.duration(downtime)
            + (limit > 0 ? ", the limit is " + Format.duration(limit) : "")
            + (phases.isEmpty() ? "." : ": " + phases + "."),
        "The limit is for the last pages only; loading and resuming come on top of it.",
        longest.isEmpty() ? "" : "Longest part: " + longest + advice(longest));
  }

  private static String advice(String phase) {
    return switch (phase) {
      case "last pages" -> "; a lower downtime limit makes fewer of them.";
      case "load" -> "; that is the destination's work.";
      default -> ".";
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
        && dirty > 0
        && dirty >= bandwidth) {
      add(
          Severity.WARNING,
          "did not converge",
          "After %s rounds the guest dirtied %s while %s was dealt with."
              .formatted(
                  Format.count(metrics.get(Metric.DIRTY_SYNC_COUNT)),
                  Format.rate(dirty),
                  Format.rate(bandwidth)),
          "Each round leaves as much to send as the one before.",
          "Allow more bandwidth or a longer downtime, or quieten the guest.");
    }
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", share * 100);
  }

  private static String counted(long count, String what) {
    return count == 1 ? "1 " + what : Format.count(count) + " " + what + "s";
  }
}
