// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import org.wridscope.export.Chart.Line;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.text.AxisUnit;

/** Writes the charts of an HTML report. */
final class ReportCharts {
  private final Html html;
  private final MigrationReading reading;
  private final long from;
  private final long to;
  private boolean any;

  private ReportCharts(Html html, MigrationReading reading) {
    this.html = html;
    this.reading = reading;
    from = reading.clock().originNanos();
    to = Math.max(reading.lastNanos(), from + 1);
  }

  static void write(Html html, MigrationReading reading) throws IOException {
    new ReportCharts(html, reading).write();
  }

  private void write() throws IOException {
    html.open("section", "id", "charts").element("h2", "Over time");
    html.open("div", "class", "charts");
    for (EndReading end : reading.ends()) {
      write(end);
    }
    html.close();
    html.element(
        "p",
        any
            ? "Time starts at the beginning of the migration; vertical lines are its phases."
            : "No samples were taken.",
        "class",
        "muted");
    html.close();
  }

  private void write(EndReading end) throws IOException {
    if (end.session().role() == Role.SOURCE) {
      // The device of a destination receives writes without notifying the program.
      chart(
          end,
          "Throughput",
          AxisUnit.BYTES_PER_SECOND,
          Line.rate("sent", "send", Metric.RAM_TRANSFERRED),
          Line.gauge(
              "dirtied by the guest", "dirty", Metric.DIRTY_BYTES_RATE, end::knowsDirtyRate));
      chart(
          end,
          "RAM to send",
          AxisUnit.BYTES,
          Line.gauge("remaining", "transit", Metric.RAM_REMAINING),
          Line.gauge("at the start of the round", "dirty", Metric.ROUND_BYTES));
    }
    if (end.session().telemetry().metrics().sharesCompletionQueue()) {
      chart(
          end,
          "Completions of the shared queue, stacked",
          AxisUnit.COUNT_PER_SECOND,
          Line.rate(
              "RECEIVE",
              "receive",
              Metric.RECEIVES_COMPLETED,
              Metric.SENDS_COMPLETED,
              Metric.WRITES_COMPLETED),
          Line.rate("SEND", "transit", Metric.SENDS_COMPLETED, Metric.WRITES_COMPLETED),
          Line.rate("WRITE", "send", Metric.WRITES_COMPLETED));
      chart(
          end,
          "Completions dropped",
          AxisUnit.COUNT,
          Line.gauge("dropped by a wait", "failed", Metric.COMPLETIONS_DROPPED));
    } else {
      chart(
          end,
          "Completions",
          AxisUnit.COUNT_PER_SECOND,
          Line.rate("send queue", "send", Metric.WRITES_COMPLETED, Metric.SENDS_COMPLETED),
          Line.rate("receive queue", "receive", Metric.RECEIVES_COMPLETED));
    }
    chart(
        end,
        "Registered regions",
        AxisUnit.COUNT,
        Line.gauge("alive", "registered", Metric.REGISTRATIONS_ALIVE));
  }

  private void chart(EndReading end, String title, AxisUnit unit, Line... lines)
      throws IOException {
    String where = reading.ends().size() > 1 ? ", " + end.end() : "";
    var chart = new Chart(title + where, unit, end.samples(), from, to, lines);
    if (!chart.isBlank()) {
      chart.write(html, end.session().telemetry().phases());
      any = true;
    }
  }
}
