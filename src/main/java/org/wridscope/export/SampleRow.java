// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;

/** A row of {@link ExportTable#SAMPLES}. */
record SampleRow(Session session, long nanos, Metrics metrics, Clock clock) {
  static final List<Column<SampleRow>> COLUMNS =
      Stream.concat(
              Stream.of(
                  new Column<SampleRow>("end", row -> EndReading.end(row.session.role())),
                  new Column<SampleRow>("time_s", row -> row.clock.seconds(row.nanos)),
                  new Column<SampleRow>("utc", row -> row.clock.utc(row.nanos))),
              Stream.of(Metric.values())
                  .map(metric ->
                      new Column<SampleRow>(name(metric), row -> row.metrics.get(metric))))
          .toList();

  /** The name of the column for a metric, including its unit. */
  static String name(Metric metric) {
    return name(metric.name(), metric.unit());
  }

  /** The name of a value, including its unit. */
  static String name(String of, Metric.Unit unit) {
    String name = of.toLowerCase(Locale.ROOT);
    return switch (unit) {
      case COUNT -> name;
      case PAGES -> name.endsWith("pages") ? name : name + "_pages";
      case BYTES -> name.contains("bytes") ? name : name + "_bytes";
      case BYTES_PER_SECOND -> name.replace("_bytes_rate", "_rate") + "_bytes_per_s";
      case NANOSECONDS -> name + "_ns";
    };
  }

  static void forEach(SessionPair ends, Clock clock, RowSink<SampleRow> sink) throws IOException {
    for (Session session : ends.sessions()) {
      EndReading.forEachSample(
          session, (nanos, metrics) -> sink.row(new SampleRow(session, nanos, metrics, clock)));
    }
  }
}
