// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.wridscope.export.EndReading.Sample;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.TimeTicks;
import org.wridscope.text.ValueAxis;

/**
 * Draws metrics over time as a small vector graphic. However many samples there are, it has no more
 * points than pixels across.
 */
final class Chart {
  private static final int WIDTH = 420;
  private static final int HEIGHT = 170;
  private static final int LEFT = 62;
  private static final int RIGHT = 6;
  private static final int TOP = 8;
  private static final int BOTTOM = 22;
  private static final int MOST_POINTS = 240;
  private static final int MOST_MARKS = 40;
  private static final int TICKS = 4;

  /**
   * A line.
   *
   * @param colour a CSS class
   * @param rate whether it shows the growth of the values, not the values
   * @param metrics the metrics whose sum is shown
   * @param known whether it has a value at a moment
   */
  record Line(
      String label, String colour, boolean rate, List<Metric> metrics, Predicate<Metrics> known) {
    static Line gauge(String label, String colour, Metric metric) {
      return gauge(label, colour, metric, _ -> true);
    }

    /** One that begins where its value is known. */
    static Line gauge(String label, String colour, Metric metric, Predicate<Metrics> known) {
      return new Line(label, colour, false, List.of(metric), known);
    }

    static Line rate(String label, String colour, Metric... metrics) {
      return new Line(label, colour, true, List.of(metrics), _ -> true);
    }

    long of(Sample sample) {
      return metrics.stream().mapToLong(sample.metrics()::get).sum();
    }
  }

  /** A point of a line; a rate covers the time since the previous point. */
  private record Point(long nanos, double value) {}

  private final String title;
  private final List<Line> lines;
  private final List<Sample> samples;
  private final long from;
  private final long to;
  private final List<List<Point>> points = new ArrayList<>();
  private final ValueAxis axis;
  private final boolean blank;

  /**
   * @param from the time at the left edge
   * @param to the time at the right edge, later than {@code from}
   */
  Chart(String title, AxisUnit unit, List<Sample> samples, long from, long to, Line... lines) {
    this.title = title;
    this.lines = List.of(lines);
    this.samples = samples.stream().filter(s -> s.nanos() >= from && s.nanos() <= to).toList();
    this.from = from;
    this.to = to;
    double most = 0;
    for (Line line : lines) {
      List<Point> found = line.rate() ? rates(line) : gauges(line);
      points.add(found);
      most = Math.max(most, found.stream().mapToDouble(Point::value).max().orElse(0));
    }
    blank = most == 0;
    axis = ValueAxis.of(unit, most, TICKS);
  }

  /** Whether all values are 0. */
  boolean isBlank() {
    return blank;
  }

  private int stride() {
    return Math.max(1, Math.ceilDiv(samples.size(), MOST_POINTS));
  }

  /** Takes the highest of neighbouring values, so that peaks remain visible. */
  private List<Point> gauges(Line line) {
    var found = new ArrayList<Point>();
    for (int i = 0; i < samples.size(); i += stride()) {
      long nanos = samples.get(i).nanos();
      samples.subList(i, Math.min(samples.size(), i + stride())).stream()
          .filter(sample -> line.known.test(sample.metrics()))
          .mapToLong(line::of)
          .max()
          .ifPresent(highest -> found.add(new Point(nanos, highest)));
    }
    return found;
  }

  private List<Point> rates(Line line) {
    var found = new ArrayList<Point>();
    for (int i = stride(); i < samples.size(); i += stride()) {
      Sample before = samples.get(i - stride());
      Sample now = samples.get(i);
      double seconds = (now.nanos() - before.nanos()) / 1e9;
      long grown = line.of(now) - line.of(before);
      found.add(new Point(now.nanos(), seconds <= 0 ? 0 : Math.max(0, grown / seconds)));
    }
    return found;
  }

  void write(Html html, List<Phase> phases) throws IOException {
    html.open("figure", "class", "chart").open("figcaption");
    html.element("strong", title);
    for (Line line : lines) {
      html.open("span", "class", "key");
      html.element("i", "", "class", "swatch " + line.colour()).text(line.label()).close();
    }
    html.close();
    html.open(
        "svg",
        "viewBox",
        "0 0 %d %d".formatted(WIDTH, HEIGHT),
        "role",
        "img",
        "aria-label",
        title + ", up to " + axis.unit().text(axis.top()));
    grid(html);
    marks(html, phases);
    for (int i = lines.size() - 1; i >= 0; i--) {
      line(html, lines.get(i), points.get(i), i == 0);
    }
    html.close().close();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private double x(long nanos) {
    return LEFT + (double) (nanos - from) / (to - from) * (WIDTH - LEFT - RIGHT);
  }

  private double y(double value) {
    return TOP + axis.yOf(value, HEIGHT - TOP - BOTTOM);
  }

  private void grid(Html html) throws IOException {
    for (int i = 0; i <= axis.ticks(); i++) {
      double value = i * axis.step();
      html.empty(
          "path",
          "class",
          "grid",
          "d",
          "M%d %sH%d".formatted(LEFT, number(y(value)), WIDTH - RIGHT));
      html.element(
          "text",
          axis.unit().tick(value),
          "class",
          "tick end",
          "x",
          String.valueOf(LEFT - 5),
          "y",
          number(y(value) + 4));
    }
    TimeTicks times = TimeTicks.of(0, to - from, TICKS);
    for (int i = 0; i < times.count(); i++) {
      double x = x(from + times.at(i));
      // A centered label would be cut off at the right edge.
      boolean last = x > WIDTH - 30;
      html.element(
          "text",
          times.label(i),
          "class",
          last ? "tick end" : "tick middle",
          "x",
          number(last ? WIDTH - RIGHT : x),
          "y",
          String.valueOf(HEIGHT - 6));
    }
  }

  private void marks(Html html, List<Phase> phases) throws IOException {
    List<Phase> inside = phases.stream().filter(p -> p.nanos() >= from && p.nanos() <= to).toList();
    if (inside.size() > MOST_MARKS) {
      return;
    }
    for (Phase phase : inside) {
      html.open(
          "path",
          "class",
          "mark",
          "d",
          "M%s %dV%d".formatted(number(x(phase.nanos())), TOP, HEIGHT - BOTTOM));
      html.element("title", phase.name()).close();
    }
  }

  /** Where a rate begins: at the first sample. */
  private double begin(List<Point> of) {
    return Math.min(x(samples.getFirst().nanos()), x(of.getFirst().nanos()));
  }

  private void line(Html html, Line line, List<Point> of, boolean filled) throws IOException {
    if (of.isEmpty()) {
      return;
    }
    var d = new StringBuilder();
    if (line.rate()) {
      // A rate covers the time since the previous sample.
      d.append("M%s %s".formatted(number(begin(of)), number(y(of.getFirst().value()))));
      for (Point point : of) {
        d.append("V%sH%s".formatted(number(y(point.value())), number(x(point.nanos()))));
      }
    } else {
      for (int i = 0; i < of.size(); i++) {
        Point point = of.get(i);
        d.append(i == 0 ? "M" : "L")
            .append("%s %s".formatted(number(x(point.nanos())), number(y(point.value()))));
      }
    }
    if (filled) {
      double first = line.rate() ? begin(of) : x(of.getFirst().nanos());
      html.empty(
          "path",
          "class",
          "area " + line.colour(),
          "d",
          d + "V%sH%sZ".formatted(number(y(0)), number(first)));
    }
    html.empty(
        "path", "class", (filled ? "line " : "line dashed ") + line.colour(), "d", d.toString());
  }
}
