// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.files.WholeFile;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;

/**
 * The figures of two migrations, each at the moment that it shows, without those that neither has.
 *
 * @param left name of the first migration
 * @param right name of the second one
 */
public record ComparedFigures(String left, String right, List<Row> rows) {
  private static final String PHASE = "downtime: ";
  private static final double NANOS_PER_MILLISECOND = 1e6;

  /** Names and switches, of which a difference would say nothing. */
  private static final Set<Metric> NO_FIGURES =
      EnumSet.of(
          Metric.COMPLETION_QUEUE_SHARED,
          Metric.QUEUE_PAIR_NUMBER,
          Metric.QUEUE_PAIR_IDS,
          Metric.QUEUE_PAIR_REFERENCES);

  public ComparedFigures {
    rows = List.copyOf(rows);
  }

  /**
   * A figure of both.
   *
   * @param what a phrase
   * @param left in the unit; null if it is not known
   * @param right in the unit; null if it is not known
   */
  public record Row(
      String what, Role end, Metric.Unit unit, @Nullable Long left, @Nullable Long right) {
    /** How much more the right one is; null if one of them is not known. */
    public @Nullable Long difference() {
      return left == null || right == null ? null : right - left;
    }

    /** How many times the left one the right one is; null if that cannot be said. */
    public @Nullable Double ratio() {
      return left == null || right == null || left == 0 ? null : (double) right / left;
    }
  }

  /** The figures of two migrations now, of the ends that both have. */
  public static ComparedFigures of(
      String left, SessionPair leftPair, String right, SessionPair rightPair) {
    var rows = new ArrayList<Row>();
    add(rows, Role.SOURCE, leftPair.source(), rightPair.source());
    add(rows, Role.DESTINATION, leftPair.destination(), rightPair.destination());
    return new ComparedFigures(left, right, rows);
  }

  private static void add(
      List<Row> rows, Role end, @Nullable Session left, @Nullable Session right) {
    if (left == null || right == null) {
      return;
    }
    for (Metric metric : Metric.values()) {
      Long one = value(metric, left);
      Long other = value(metric, right);
      boolean some = isSome(one) || isSome(other);
      if (some && !NO_FIGURES.contains(metric)) {
        rows.add(new Row(name(metric), end, metric.unit(), one, other));
      }
    }
    addRate(rows, end, left, right);
    addPhases(rows, end, left, right);
  }

  /** Its description, unless that needs the name of the metric beside it. */
  private static String name(Metric metric) {
    return switch (metric) {
      case BANDWIDTH_LIMIT -> "bandwidth limit";
      case DOWNTIME_LIMIT -> "downtime limit";
      case TOTAL_TIME -> "how long the migration took";
      case DOWNTIME -> "how long the guest was paused";
      case EXPECTED_DOWNTIME -> "expected downtime: remaining RAM at the last round's bandwidth";
      case SETUP_TIME -> "set-up: connecting, exchanging blocks, pinning";
      case DIRTY_SYNC_COUNT -> "rounds";
      default -> metric.description();
    };
  }

  private static boolean isSome(@Nullable Long value) {
    return value != null && value != 0;
  }

  /** A time that is measured once is 0 until it is known. */
  private static @Nullable Long value(Metric metric, Session of) {
    long value = of.telemetry().metrics().get(metric);
    boolean unknown =
        value == 0
            && metric.unit() == Metric.Unit.NANOSECONDS
            && metric.kind() == Metric.Kind.GAUGE;
    return unknown ? null : value;
  }

  private static void addRate(List<Row> rows, Role end, Session left, Session right) {
    Long one = averageRate(left.telemetry().metrics());
    Long other = averageRate(right.telemetry().metrics());
    if (isSome(one) || isSome(other)) {
      rows.add(
          new Row(
              "RAM processed per second on average",
              end,
              Metric.Unit.BYTES_PER_SECOND,
              one,
              other));
    }
  }

  private static @Nullable Long averageRate(Metrics metrics) {
    long took = metrics.get(Metric.TOTAL_TIME) - metrics.get(Metric.SETUP_TIME);
    return took <= 0 ? null : Math.round(metrics.get(Metric.RAM_PROCESSED) * 1e9 / took);
  }

  private static void addPhases(List<Row> rows, Role end, Session left, Session right) {
    if (!left.status().isEnd() || !right.status().isEnd()) {
      return;
    }
    Map<DowntimePart, Double> one = left.report().downtimePhases();
    Map<DowntimePart, Double> other = right.report().downtimePhases();
    for (DowntimePart part : DowntimePart.values()) {
      if (!one.containsKey(part) && !other.containsKey(part)) {
        continue;
      }
      rows.add(
          new Row(
              PHASE + part.text(),
              end,
              Metric.Unit.NANOSECONDS,
              nanos(one.get(part)),
              nanos(other.get(part))));
    }
  }

  private static @Nullable Long nanos(@Nullable Double milliseconds) {
    return milliseconds == null ? null : Math.round(milliseconds * NANOS_PER_MILLISECOND);
  }

  /**
   * Writes them as CSV on the caller's thread.
   *
   * @param file gets its name once it is complete; the caller closes it
   * @throws IOException when the file cannot be written; its message is a sentence for the user
   */
  public void write(WholeFile file) throws IOException {
    Export.write(
        file,
        out -> {
          try (var table = new CsvTable<>(out, columns())) {
            for (Row row : rows) {
              table.row(row);
            }
          }
        });
  }

  private List<Column<Row>> columns() {
    return List.of(
        new Column<>("figure", Row::what),
        new Column<>("end", row -> row.end().text()),
        new Column<>("unit", row -> unit(row.unit())),
        new Column<>("left: " + left, Row::left),
        new Column<>("right: " + right, Row::right),
        new Column<>("difference", Row::difference),
        new Column<>(
            "ratio",
            row -> {
              Double ratio = row.ratio();
              return ratio == null ? null : new BigDecimal(ratio, MathContext.DECIMAL32);
            }));
  }

  private static String unit(Metric.Unit unit) {
    return switch (unit) {
      case COUNT -> "";
      case PAGES -> "pages";
      case BYTES -> "bytes";
      case BYTES_PER_SECOND -> "bytes/s";
      case NANOSECONDS -> "ns";
    };
  }
}
