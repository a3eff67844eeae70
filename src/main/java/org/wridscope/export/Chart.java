// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.wridscope.export.EndReading.Sample;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;

/**
 * Draws metrics over time as a small vector graphic: at most as many points as it is wide, however
 * many samples there are.
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

  /** What the values are. */
  enum Unit {
    BYTES(1024, Format::bytes),
    BYTES_PER_SECOND(1024, Format::rate),
    COUNT(1000, Format::count),
    COUNT_PER_SECOND(1000, value -> Format.perSecond((double) value));

    private final int step;
    private final LongFunction<String> text;

    Unit(int step, LongFunction<String> text) {
      this.step = step;
      this.text = text;
    }
  }

  /**
   * A line.
   *
   * @param colour a class of the style sheet
   * @param rate whether it shows how fast the values grow, not the values
   * @param metrics whose sum it shows
   */
  record Line(String label, String colour, boolean rate, List<Metric> metrics) {
    static Line gauge(String label, String colour, Metric metric) {
      return new Line(label, colour, false, List.of(metric));
    }

    static Line rate(String label, String colour, Metric... metrics) {
      return new Line(label, colour, true, List.of(metrics));
    }

    long of(Sample sample) {
      return metrics.stream().mapToLong(sample.metrics()::get).sum();
    }
  }

  /** A point of a line; a rate is that from the point before to this one. */
  private record Point(long nanos, double value) {}

  private final String title;
  private final Unit unit;
  private final List<Line> lines;
  private final List<Sample> samples;
  private final long from;
  private final long to;
  private final List<List<Point>> points = new ArrayList<>();
  private final double top;

  /**
   * @param from the left edge
   * @param to the right edge, later than that
   */
  Chart(String title, Unit unit, List<Sample> samples, long from, long to, Line... lines) {
    this.title = title;
    this.unit = unit;
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
    top = most == 0 ? 0 : round(most, unit.step);
  }

  /** Whether there is anything to see. */
  boolean isBlank() {
    return top == 0;
  }

  private int stride() {
    return Math.max(1, Math.ceilDiv(samples.size(), MOST_POINTS));
  }

  /** The highest of neighbours, so that peaks stay. */
  private List<Point> gauges(Line line) {
    var found = new ArrayList<Point>();
    for (int i = 0; i < samples.size(); i += stride()) {
      long highest = 0;
      for (int j = i; j < Math.min(samples.size(), i + stride()); j++) {
        highest = Math.max(highest, line.of(samples.get(j)));
      }
      found.add(new Point(samples.get(i).nanos(), highest));
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

  /** The next 1, 2 or 5 times a power of ten of a power of the unit. */
  private static double round(double value, int step) {
    double unit = 1;
    while (value / unit >= step) {
      unit *= step;
    }
    for (double decade = 1; ; decade *= 10) {
      for (int digit : new int[] {1, 2, 5}) {
        if (digit * decade * unit >= value) {
          return digit * decade * unit;
        }
      }
    }
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
        title + ", at most " + unit.text.apply((long) top));
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
    return TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  }

  private void grid(Html html) throws IOException {
    for (double share : new double[] {0, 0.5, 1}) {
      String y = number(y(share * top));
      html.empty("path", "class", "grid", "d", "M%d %sH%d".formatted(LEFT, y, WIDTH - RIGHT));
      html.element(
          "text",
          share == 0 ? "0" : unit.text.apply((long) (share * top)),
          "class",
          "tick end",
          "x",
          String.valueOf(LEFT - 5),
          "y",
          number(y(share * top) + 4));
    }
    long step = tick(to - from);
    for (long at = 0; at <= to - from; at += step) {
      double x = x(from + at);
      // The last one would be cut off at the edge.
      boolean last = x > WIDTH - 30;
      html.element(
          "text",
          at == 0 ? "0" : Format.duration(at),
          "class",
          last ? "tick end" : "tick middle",
          "x",
          number(last ? WIDTH - RIGHT : x),
          "y",
          String.valueOf(HEIGHT - 6));
    }
  }

  /** Nanoseconds from tick to tick, a round number. */
  private static long tick(long span) {
    long decade = 1;
    while (decade * 10 <= span / TICKS && decade < TimeUnit.DAYS.toNanos(1)) {
      decade *= 10;
    }
    for (int digit : new int[] {1, 2, 5}) {
      if (span / (decade * digit) <= TICKS) {
        return decade * digit;
      }
    }
    return decade * 10;
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

  /** Where the first stretch of a rate begins: at the first sample. */
  private double begin(List<Point> of) {
    return Math.min(x(samples.getFirst().nanos()), x(of.getFirst().nanos()));
  }

  private void line(Html html, Line line, List<Point> of, boolean filled) throws IOException {
    if (of.isEmpty()) {
      return;
    }
    var d = new StringBuilder();
    if (line.rate()) {
      // A rate holds from the sample before.
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
