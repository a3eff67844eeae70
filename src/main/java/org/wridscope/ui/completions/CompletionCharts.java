// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.completions;

import java.util.List;
import org.wridscope.figures.Figure;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.ChartGrid;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;

/**
 * The send queue and the receive queue of both ends: completions per second by kind, and work that
 * was posted and has not completed, with the depth of the queue as its ceiling. If both complete in
 * one queue, that queue is shown, with the kinds stacked and dropped completions marked.
 */
public final class CompletionCharts {
  /** The share of a queue's depth from which on the depth is drawn; before, lines would be flat. */
  private static final double NEARLY_FULL = 0.1;

  private CompletionCharts() {}

  /** Makes an empty view over the shared stretch of time. */
  public static View view(TimeRange range) {
    return new ChartGrid(
        "Completions",
        range,
        List.of(sendQueue(), receiveQueue(), sendOutstanding(), receiveOutstanding()),
        "Select a migration to see the completions of its send and receive queue.",
        session -> facts(session.telemetry()));
  }

  private static ChartSpec sendQueue() {
    return ChartSpec.of(
            "Send queue",
            AxisUnit.COUNT_PER_SECOND,
            Series.area("WRITE", Palette.SEND, new Reading.Rate(Metric.WRITES_COMPLETED)),
            Series.dashed("SEND", Palette.SENT, new Reading.Rate(Metric.SENDS_COMPLETED)))
        .withWaits(Metric.WAIT_SEND_QUEUE_TIME)
        .withFailures(EventKind.COMPLETION_SEND_QUEUE)
        .whenShared(
            new ChartSpec.Stack(
                "Shared queue",
                List.of(
                    Series.area("WRITE", Palette.SEND, new Reading.Rate(Metric.WRITES_COMPLETED)),
                    Series.dashed("SEND", Palette.SENT, new Reading.Rate(Metric.SENDS_COMPLETED)),
                    Series.area(
                        "RECEIVE", Palette.RECEIVE, new Reading.Rate(Metric.RECEIVES_COMPLETED))),
                null,
                List.of(
                    Metric.WAIT_SEND_QUEUE_TIME,
                    Metric.WAIT_READY_TIME,
                    Metric.WAIT_REGISTER_TIME)));
  }

  private static ChartSpec receiveQueue() {
    return ChartSpec.of(
            "Receive queue",
            AxisUnit.COUNT_PER_SECOND,
            Series.area("RECEIVE", Palette.RECEIVE, new Reading.Rate(Metric.RECEIVES_COMPLETED)))
        .withWaits(Metric.WAIT_READY_TIME, Metric.WAIT_REGISTER_TIME)
        .withFailures(EventKind.COMPLETION_RECEIVE_QUEUE)
        .unlessShared();
  }

  private static ChartSpec sendOutstanding() {
    return ChartSpec.of(
            "Send queue, outstanding",
            AxisUnit.COUNT,
            Series.area(
                "WRITE",
                Palette.IN_TRANSIT,
                new Reading.Difference(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED)),
            Series.dashed(
                "SEND",
                Palette.SENT,
                new Reading.Difference(Metric.SENDS_POSTED, Metric.SENDS_COMPLETED)))
        .withCeiling("depth", Metric.SEND_QUEUE_DEPTH, NEARLY_FULL)
        .whenShared(
            new ChartSpec.Stack(
                "Shared queue, outstanding",
                List.of(
                    Series.area(
                        "WRITE",
                        Palette.IN_TRANSIT,
                        new Reading.Difference(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED)),
                    Series.dashed(
                        "SEND",
                        Palette.SENT,
                        new Reading.Difference(Metric.SENDS_POSTED, Metric.SENDS_COMPLETED)),
                    Series.area(
                        "RECEIVE",
                        Palette.RECEIVE,
                        new Reading.Difference(Metric.RECEIVES_POSTED, Metric.RECEIVES_COMPLETED))),
                new ChartSpec.Ceiling(
                    "entries",
                    List.of(Metric.SEND_QUEUE_DEPTH, Metric.RECEIVE_QUEUE_DEPTH),
                    NEARLY_FULL),
                List.of()));
  }

  private static ChartSpec receiveOutstanding() {
    return ChartSpec.of(
            "Receive queue, outstanding",
            AxisUnit.COUNT,
            Series.area(
                "RECEIVE",
                Palette.RECEIVE,
                new Reading.Difference(Metric.RECEIVES_POSTED, Metric.RECEIVES_COMPLETED)))
        .withCeiling("depth", Metric.RECEIVE_QUEUE_DEPTH, NEARLY_FULL)
        .unlessShared();
  }

  private static String facts(SessionTelemetry telemetry) {
    Metrics metrics = telemetry.metrics();
    Wait waiting = telemetry.waitingFor();
    long sent = metrics.get(Metric.WRITES_COMPLETED) + metrics.get(Metric.SENDS_COMPLETED);
    long toSend = metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
    long received = metrics.get(Metric.RECEIVES_COMPLETED);
    long toReceive = metrics.get(Metric.RECEIVES_POSTED);
    String queues =
        metrics.sharesCompletionQueue()
            ? "dropped %s%s · shared queue %s of %s ended"
                .formatted(
                    Format.count(metrics.get(Metric.COMPLETIONS_DROPPED)),
                    metrics.get(Metric.COMPLETIONS_MET) == 0
                        ? ""
                        : " · handled by another wait %s"
                            .formatted(Format.count(metrics.get(Metric.COMPLETIONS_MET))),
                    Format.count(sent + received),
                    Format.count(toSend + toReceive))
            : "send queue %s of %s ended · receive queue %s of %s"
                .formatted(
                    Format.count(sent),
                    Format.count(toSend),
                    Format.count(received),
                    Format.count(toReceive));
    long waits = metrics.get(Metric.SEND_CONTEXT_WAITS);
    return "failed in both queues %s%s · %s%s"
        .formatted(
            Format.count(metrics.get(Metric.FAILED_COMPLETIONS)),
            waiting == null ? "" : " · waits for %s".formatted(waiting.text()),
            queues,
            waits == 0
                ? ""
                : " · %s: %s".formatted(Figure.SEND_CONTEXT_WAITS.title(), Format.count(waits)));
  }
}
