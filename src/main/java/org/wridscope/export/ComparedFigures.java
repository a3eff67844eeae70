// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Figure.Better;
import org.wridscope.figures.Reading;
import org.wridscope.files.WholeFile;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.Metric;
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

  public ComparedFigures {
    rows = List.copyOf(rows);
  }

  /**
   * A figure of both.
   *
   * @param what its name
   * @param left in the unit; null if it is not known
   * @param right in the unit; null if it is not known
   * @param more whether more of it is better, less, or neither
   */
  public record Row(
      String what,
      Role end,
      Metric.Unit unit,
      @Nullable Long left,
      @Nullable Long right,
      Better more) {
    /** How much more the right one is; null if one of them is not known. */
    public @Nullable Long difference() {
      return left == null || right == null ? null : right - left;
    }

    /** How many times the left one the right one is; null if that cannot be said. */
    public @Nullable Double ratio() {
      return left == null || right == null || left == 0 ? null : (double) right / left;
    }

    /** Which is better: "left", "right", or nothing where neither is or that cannot be said. */
    public String better() {
      Long difference = difference();
      if (difference == null || difference == 0 || more == Better.NEITHER) {
        return "";
      }
      return difference > 0 == (more == Better.MORE) ? "right" : "left";
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
    Reading one = left.reading();
    Reading other = right.reading();
    for (Figure figure : Figure.values()) {
      Long first = value(figure, one);
      Long second = value(figure, other);
      if (figure.isCompared() && (isSome(first) || isSome(second))) {
        rows.add(new Row(figure.title(), end, figure.unit(), first, second, figure.better()));
      }
    }
    addPhases(rows, end, left, right);
  }

  private static boolean isSome(@Nullable Long value) {
    return value != null && value != 0;
  }

  private static @Nullable Long value(Figure figure, Reading reading) {
    OptionalLong value = figure.in(reading);
    return value.isPresent() ? value.getAsLong() : null;
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
              nanos(other.get(part)),
              Better.LESS));
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
        new Column<>("unit", row -> row.unit().symbol()),
        new Column<>("left: " + left, Row::left),
        new Column<>("right: " + right, Row::right),
        new Column<>("difference", Row::difference),
        new Column<>(
            "ratio",
            row -> {
              Double ratio = row.ratio();
              return ratio == null ? null : new BigDecimal(ratio, MathContext.DECIMAL32);
            }),
        new Column<>("better", Row::better));
  }
}
