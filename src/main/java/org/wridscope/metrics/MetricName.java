// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Metric;

/**
 * The name of a {@link Metric} in Prometheus. Those that KubeVirt has, too, differ in their prefix
 * only, and in the suffix {@code _total} of counters.
 *
 * @param name without prefix, and without the suffix of counters
 * @param help one sentence
 * @param labels what distinguishes it from others of the same name
 */
record MetricName(String name, String help, Labels labels) {
  private static final Map<Metric, MetricName> NAMES = names();

  /** Null if it is not exported. */
  static @Nullable MetricName of(Metric metric) {
    return NAMES.get(metric);
  }

  /** A value in the base unit: seconds or bytes. */
  static double inBaseUnit(Metric metric, long value) {
    return metric.unit() == Metric.Unit.NANOSECONDS
        ? value / (double) TimeUnit.SECONDS.toNanos(1)
        : value;
  }

  /** Whether 0 means that the value is not known yet. */
  static boolean isUnknownAtZero(Metric metric) {
    return metric.kind() == Metric.Kind.GAUGE
        && metric.unit() == Metric.Unit.NANOSECONDS
        && metric != Metric.DOWNTIME_LIMIT;
  }

  private static Map<Metric, MetricName> names() {
    var names = new Names();
    names.add(Metric.RAM_TOTAL, "data_total_bytes");
    names.add(Metric.RAM_PROCESSED, "data_processed_bytes");
    names.add(Metric.RAM_REMAINING, "data_remaining_bytes");
    names.add(Metric.RAM_TRANSFERRED, "data_transferred_bytes");
    names.add(Metric.DIRTY_BYTES_RATE, "dirty_memory_rate_bytes");
    names.add(Metric.BANDWIDTH, "memory_transfer_rate_bytes");
    names.add(Metric.BANDWIDTH_LIMIT, "bandwidth_limit_bytes");
    names.add(Metric.DOWNTIME_LIMIT, "downtime_limit_seconds");
    String pages = "Pages that arrived.";
    names.add(Metric.NORMAL_PAGES, "pages", pages, "content", "data");
    names.add(Metric.DUPLICATE_PAGES, "pages", pages, "content", "zero");
    names.add(Metric.DIRTY_SYNC_COUNT, "rounds");
    names.add(Metric.ROUND_BYTES, "round_bytes");
    names.add(Metric.ROUND_PROCESSED, "round_processed_bytes");

    names.add(Metric.SETUP_TIME, "setup_seconds");
    names.add(Metric.DOWNTIME, "downtime_seconds");
    names.add(Metric.EXPECTED_DOWNTIME, "expected_downtime_seconds");
    names.add(Metric.HELD_TIME, "held_seconds");

    String posted = "Work requests posted.";
    names.add(
        Metric.WRITES_POSTED, "requests_posted", posted, "queue", "send", "operation", "write");
    names.add(Metric.SENDS_POSTED, "requests_posted", posted, "queue", "send", "operation", "send");
    names.add(
        Metric.RECEIVES_POSTED,
        "requests_posted",
        posted,
        "queue",
        "receive",
        "operation",
        "receive");
    String ended =
        "Work requests that ended, with a completion of their own or of a later request.";
    names.add(
        Metric.WRITES_COMPLETED,
        "requests_completed",
        ended,
        "queue",
        "send",
        "operation",
        "write");
    names.add(
        Metric.SENDS_COMPLETED, "requests_completed", ended, "queue", "send", "operation", "send");
    names.add(
        Metric.RECEIVES_COMPLETED,
        "requests_completed",
        ended,
        "queue",
        "receive",
        "operation",
        "receive");
    names.add(Metric.WRITES_SIGNALED, "writes_signaled");
    names.add(Metric.FAILED_COMPLETIONS, "completions_failed");
    names.add(Metric.COMPLETIONS_DROPPED, "completions_dropped");
    names.add(Metric.COMPLETIONS_MET, "completions_met");
    names.add(Metric.COMPLETION_QUEUE_SHARED, "completion_queue_shared");
    names.add(Metric.REQUESTS_SENT_AGAIN, "requests_sent_again");
    names.add(Metric.SENT_AGAIN_CHANGED, "requests_sent_again_changed");
    names.add(Metric.SENT_AGAIN_UNREGISTERED, "requests_sent_again_unregistered");
    String depth = "Capacity of the queue, in requests.";
    names.add(Metric.SEND_QUEUE_DEPTH, "queue_depth", depth, "queue", "send");
    names.add(Metric.RECEIVE_QUEUE_DEPTH, "queue_depth", depth, "queue", "receive");
    names.add(Metric.QUEUE_PAIR_REFERENCES, "queue_pair_references");
    names.add(Metric.SEND_CONTEXT_WAITS, "send_context_waits");
    names.add(Metric.COMPLETION_WAITS, "completion_waits");

    names.add(Metric.REGISTRATIONS_ALIVE, "registrations");
    names.add(Metric.REGISTRATIONS_PEAK, "registrations_peak");
    names.add(Metric.REGISTRATIONS_TOTAL, "registrations_made");
    names.add(Metric.DEREGISTRATIONS_TOTAL, "deregistrations");
    names.add(Metric.REGISTERED_BYTES, "registered_bytes");
    names.add(Metric.REGISTERED_BYTES_PEAK, "registered_peak_bytes");
    names.add(Metric.MEMLOCK_LIMIT, "memlock_limit_bytes");
    names.add(Metric.REGISTRATION_TIME, "registration_seconds");
    names.add(Metric.REGISTRATION_ROUND_TRIPS, "registration_round_trips");
    names.add(Metric.UNREGISTER_HINTS, "unregister_hints");
    names.add(Metric.UNREGISTRATIONS, "unregistrations");
    names.add(Metric.UNREGISTRATIONS_DEFERRED, "unregistrations_deferred");
    names.add(Metric.UNREGISTRATIONS_REFUSED, "unregistrations_refused");

    names.add(Metric.SCAN_TIME, "zero_scan_seconds");
    String waited = "Time spent waiting, by what was waited for.";
    names.add(Metric.WAIT_READY_TIME, "wait_seconds", waited, "for", "ready");
    names.add(Metric.WAIT_REGISTER_TIME, "wait_seconds", waited, "for", "register_result");
    names.add(Metric.WAIT_SEND_QUEUE_TIME, "wait_seconds", waited, "for", "send_queue");
    names.add(Metric.WAIT_BANDWIDTH_TIME, "wait_seconds", waited, "for", "bandwidth_limit");
    return names.map;
  }

  /** Collects the names. */
  private static final class Names {
    final Map<Metric, MetricName> map = new EnumMap<>(Metric.class);

    void add(Metric metric, String name) {
      String text = metric.description();
      add(metric, name, text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".");
    }

    void add(Metric metric, String name, String help, String... labels) {
      map.put(metric, new MetricName(name, help, Labels.of(labels)));
    }
  }
}
