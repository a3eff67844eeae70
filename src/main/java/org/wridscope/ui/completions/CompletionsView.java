// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.completions;

import java.util.List;
import javafx.scene.Node;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.Palette;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.AxisUnit;
import org.wridscope.ui.chart.ChartGrid;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;
import org.wridscope.ui.chart.Series.Style;

/**
 * The send queue and the receive queue of both ends: completions per second by kind, and work that
 * was posted and has not completed, with the depth of the queue as its ceiling.
 */
public final class CompletionsView implements View {
  /** A queue's depth is drawn as soon as it is this full; before, it would flatten everything. */
  private static final double NEARLY_FULL = 0.1;

  private final ChartGrid grid;

  /** Makes an empty view over the shared stretch of time. */
  public CompletionsView(TimeRange range) {
    grid =
        new ChartGrid(
            "Completions",
            range,
            List.of(sendQueue(), receiveQueue(), sendOutstanding(), receiveOutstanding()),
            "Select a session to see the completions of its send and receive queue.",
            CompletionsView::facts);
  }

  private static ChartSpec sendQueue() {
    return ChartSpec.of(
            "Send queue",
            AxisUnit.COUNT_PER_SECOND,
            new Series(
                "WRITE", Palette.SEND, new Reading.Rate(Metric.WRITES_COMPLETED), Style.AREA),
            new Series(
                "SEND", Palette.SENT, new Reading.Rate(Metric.SENDS_COMPLETED), Style.DASHED))
        .withWaits(Metric.WAIT_SEND_QUEUE_TIME)
        .withFailures(EventKind.COMPLETION_SEND_QUEUE);
  }

  private static ChartSpec receiveQueue() {
    return ChartSpec.of(
            "Receive queue",
            AxisUnit.COUNT_PER_SECOND,
            new Series(
                "RECEIVE",
                Palette.RECEIVE,
                new Reading.Rate(Metric.RECEIVES_COMPLETED),
                Style.AREA))
        .withWaits(Metric.WAIT_READY_TIME, Metric.WAIT_REGISTER_TIME)
        .withFailures(EventKind.COMPLETION_RECEIVE_QUEUE);
  }

  private static ChartSpec sendOutstanding() {
    return ChartSpec.of(
            "Send queue, outstanding",
            AxisUnit.COUNT,
            new Series(
                "WRITE",
                Palette.IN_TRANSIT,
                new Reading.Difference(Metric.WRITES_POSTED, Metric.WRITES_COMPLETED),
                Style.AREA),
            new Series(
                "SEND",
                Palette.SENT,
                new Reading.Difference(Metric.SENDS_POSTED, Metric.SENDS_COMPLETED),
                Style.DASHED))
        .withCeiling("depth", Metric.SEND_QUEUE_DEPTH, NEARLY_FULL);
  }

  private static ChartSpec receiveOutstanding() {
    return ChartSpec.of(
            "Receive queue, outstanding",
            AxisUnit.COUNT,
            new Series(
                "RECEIVE",
                Palette.RECEIVE,
                new Reading.Difference(Metric.RECEIVES_POSTED, Metric.RECEIVES_COMPLETED),
                Style.AREA))
        .withCeiling("depth", Metric.RECEIVE_QUEUE_DEPTH, NEARLY_FULL);
  }

  private static String facts(SessionTelemetry telemetry) {
    Metrics metrics = telemetry.metrics();
    String waiting = telemetry.waitingFor();
    return "send queue %s of %s completed, ring empty %s times · receive queue %s of %s · failed %s%s"
        .formatted(
            Format.count(
                metrics.get(Metric.WRITES_COMPLETED) + metrics.get(Metric.SENDS_COMPLETED)),
            Format.count(metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED)),
            Format.count(metrics.get(Metric.SEND_CONTEXT_WAITS)),
            Format.count(metrics.get(Metric.RECEIVES_COMPLETED)),
            Format.count(metrics.get(Metric.RECEIVES_POSTED)),
            Format.count(metrics.get(Metric.FAILED_COMPLETIONS)),
            waiting == null ? "" : " · waits for " + waiting);
  }

  @Override
  public String title() {
    return grid.title();
  }

  @Override
  public Node node() {
    return grid.node();
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    grid.show(pair);
  }

  @Override
  public void pulse(long nowNanos) {
    grid.pulse(nowNanos);
  }

  @Override
  public void theme(boolean dark) {
    grid.theme(dark);
  }
}
