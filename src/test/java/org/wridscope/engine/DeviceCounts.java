// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.CompletionCounts;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.QueuePairCounts;
import org.wridscope.verbs.soft.WireTap;

/**
 * Compares what sessions have counted by their events with what their software devices counted,
 * which know nothing of events.
 */
public final class DeviceCounts implements WireTap {
  private final List<QueuePairCounts> destroyed = new ArrayList<>();

  @Override
  public synchronized void destroyed(QueuePairCounts counts) {
    destroyed.add(counts);
  }

  @Override
  public @Nullable Line connected(int client, int server, int port, byte[] request, byte[] accept) {
    return null;
  }

  /**
   * Checks a session that has ended, and forgets the queue pairs of its device.
   *
   * @param device its name
   */
  public synchronized void check(String run, String device, SessionTelemetry telemetry) {
    String what = "%s: the %s, by its device".formatted(run, telemetry.role().text());
    Metrics metrics = telemetry.metrics();
    List<QueuePairCounts> own =
        destroyed.stream()
            .filter(counts -> counts.device().equals(device))
            .filter(counts -> counts.number() == metrics.get(Metric.QUEUE_PAIR_NUMBER))
            .toList();
    destroyed.removeIf(counts -> counts.device().equals(device));
    if (telemetry.status() == MigrationStatus.COMPLETED) {
      assertThat(own).as(what).isNotEmpty();
    }
    if (own.isEmpty()) {
      return;
    }
    QueuePairCounts counts = own.getLast();
    var expected = new EnumMap<Metric, Long>(Metric.class);
    expected.put(Metric.SENDS_POSTED, counts.sends());
    expected.put(Metric.WRITES_POSTED, counts.writes());
    expected.put(Metric.WRITES_SIGNALED, counts.signaledWrites());
    expected.put(Metric.RECEIVES_POSTED, counts.receives());
    expected.put(Metric.RECEIVES_COMPLETED, sum(counts.receiveCompletions()));
    expected.put(
        Metric.FAILED_COMPLETIONS,
        failed(counts.sendCompletions()) + failed(counts.receiveCompletions()));
    expected.put(Metric.RAM_TRANSFERRED, counts.bytes());
    var counted = new EnumMap<Metric, Long>(Metric.class);
    expected.keySet().forEach(metric -> counted.put(metric, metrics.get(metric)));
    assertThat(counted).as(what).isEqualTo(expected);
    assertThat(byStatus(telemetry.sendCompletions())).as(what).isEqualTo(counts.sendCompletions());
    assertThat(byStatus(telemetry.receiveCompletions()))
        .as(what)
        .isEqualTo(counts.receiveCompletions());
  }

  private static long sum(Map<WorkCompletionStatus, Long> completions) {
    return completions.values().stream().mapToLong(count -> count).sum();
  }

  private static long failed(Map<WorkCompletionStatus, Long> completions) {
    return sum(completions) - completions.getOrDefault(WorkCompletionStatus.SUCCESS, 0L);
  }

  private static Map<WorkCompletionStatus, Long> byStatus(CompletionCounts completions) {
    var counts = new EnumMap<WorkCompletionStatus, Long>(WorkCompletionStatus.class);
    for (WorkCompletionStatus status : WorkCompletionStatus.values()) {
      if (completions.get(status) > 0) {
        counts.put(status, completions.get(status));
      }
    }
    return counts;
  }
}
