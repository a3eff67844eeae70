// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.List;
import org.wridscope.analysis.DeviceTroubles;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.ui.Palette;
import org.wridscope.ui.raster.Argb;
import org.wridscope.ui.raster.Pen;
import org.wridscope.ui.raster.Pixels;

/**
 * Draws requests into pixels, at a cost that depends on the size of the picture, not on the number
 * of requests. If more requests are shown than can be told apart, each column shows how many there
 * are, found with two binary searches; otherwise each request is a line.
 */
final class WridPainter {
  /** The largest number of requests for each column of pixels that are drawn as lines. */
  private static final double LINES_PER_COLUMN = 1.5;

  /** The least distance of two crosses in one lane, in units of the scene graph. */
  private static final double MARK_DISTANCE = 7;

  /** The largest number of marks that are read for one place. */
  private static final int MARKS_LOOKED_AT = 256;

  private static final double FLIGHT_SHARE = 0.38;
  private static final double COVERED_SHARE = 0.5;
  private static final double TROUBLE_SHARE = 0.3;

  private final Pixels pixels;
  private final Pen pen;
  private final Shapes shapes;
  private boolean dark = true;
  private long left;
  private long right;
  private long now;
  private double perNano;
  private int[] counts = new int[0];
  private int[] others = new int[0];
  private int[] open = new int[0];

  WridPainter(Pixels pixels, Pen pen) {
    this.pixels = pixels;
    this.pen = pen;
    shapes = new Shapes(pixels, pen);
  }

  /** A request that is selected. */
  record Chosen(WridModel model, QueueType queue, long id) {}

  /**
   * Begins a picture of a stretch of time.
   *
   * @param nowNanos the moment that open requests reach
   */
  void begin(long leftNanos, long rightNanos, long nowNanos, boolean darkTheme) {
    left = leftNanos;
    right = rightNanos;
    now = nowNanos;
    dark = darkTheme;
    perNano = pixels.width() / (double) (right - left);
    if (counts.length < pixels.width() + 1) {
      counts = new int[pixels.width() + 1];
      others = new int[pixels.width() + 1];
      open = new int[pixels.width() + 1];
    }
    pixels.clear(colour(Palette.GROUND));
  }

  private int colour(Palette palette) {
    return palette.argb(dark);
  }

  long leftNanos() {
    return left;
  }

  long rightNanos() {
    return right;
  }

  /** The place of a moment, in pixels. */
  double xOf(long nanos) {
    return (nanos - left) * perNano;
  }

  private long timeOf(int column) {
    return left + (long) (column / perNano);
  }

  /** Draws one end. */
  void paint(WridModel model, Lanes.End lanes, List<Chosen> chosen) {
    ground(lanes);
    waits(model.requests().waits(), lanes.waits());
    troubles(model.requests().counted().troubles(), lanes.device());
    queue(model, QueueType.SEND, lanes.send(), chosen);
    queue(model, QueueType.RECEIVE, lanes.receive(), chosen);
    marks(model, lanes);
  }

  private void ground(Lanes.End lanes) {
    int edge = colour(Palette.GRID);
    for (Lanes.Band band :
        List.of(
            lanes.send().posts(),
            lanes.send().completions(),
            lanes.receive().posts(),
            lanes.receive().completions())) {
      pixels.fill(0, band.top(), pixels.width(), band.top() + 1, edge);
      pixels.fill(0, band.bottom() - 1, pixels.width(), band.bottom(), edge);
    }
    int last = (lanes.device().height() > 0 ? lanes.device() : lanes.waits()).bottom();
    pixels.fill(0, last, pixels.width(), last + 1, colour(Palette.MARK));
  }

  // -------------------------------------------------------------------------------------- waits

  private void waits(Waits waits, Lanes.Band band) {
    int plain = colour(Palette.WAIT);
    int hatch = Argb.mix(plain, colour(Palette.TEXT), 0.35);
    int period = pen.unit(6);
    long before = waits.waitedUntil(timeOf(0));
    for (int x = 0; x < pixels.width(); x++) {
      long until = Math.min(now, timeOf(x + 1));
      long after = waits.waitedUntil(until);
      double share = (double) (after - before) / Math.max(1, timeOf(x + 1) - timeOf(x));
      before = after;
      int blend = (int) Math.round(Math.clamp(share, 0.0, 1.0) * Argb.WHOLE);
      // Even the shortest wait stays visible.
      int visible = share > 0 ? Math.max(blend, Argb.WHOLE / 5) : 0;
      for (int y = band.top(); visible > 0 && y < band.bottom(); y++) {
        pixels.blend(x, y, (y + x) % period == 0 ? hatch : plain, visible);
      }
    }
    long first = waits.indexOf(left);
    long end = waits.indexOf(right);
    boolean legible = end - first < pixels.width() / 4;
    for (long wait = first; legible && wait < end; wait++) {
      pen.down(xOf(waits.beganNanos(wait)), band.top(), band.bottom(), colour(Palette.TEXT));
    }
  }

  /** Draws the time before each sample that found trouble, and the sample. */
  private void troubles(DeviceTroubles troubles, Lanes.Band band) {
    int colour = colour(Palette.FAILED);
    int pale = Argb.mix(colour(Palette.GROUND), colour, TROUBLE_SHARE);
    int drawn = 0;
    for (long row = troubles.indexOf(left);
        row < troubles.end() && troubles.sinceNanos(row) < right;
        row++) {
      int from = Math.max(drawn, pen.column(Math.max(0, xOf(troubles.sinceNanos(row)))));
      int to = pen.column(Math.min(pixels.width(), xOf(troubles.nanos(row))));
      if (to >= from) {
        pixels.fill(from, band.top(), to, band.bottom(), pale);
        pen.down(to, band.top(), band.bottom(), colour);
        drawn = to + 1;
      }
    }
  }

  // ----------------------------------------------------------------------------------- requests

  private void queue(
      WridModel model, QueueType queue, Lanes.QueueLanes lanes, List<Chosen> chosen) {
    FilteredRequests shown = model.shown(queue);
    FilteredRequests marked = model.marked(queue);
    int colour = colour(queue == QueueType.SEND ? Palette.SEND : Palette.RECEIVE);
    if (isDense(shown)) {
      dense(shown, lanes, colour);
      if (marked != null) {
        ticks(marked, lanes);
      }
    } else {
      lines(shown, lanes, colour);
      if (marked != null && !isDense(marked)) {
        lines(marked, lanes, colour(Palette.CURSOR));
      }
    }
    for (Chosen each : chosen) {
      if (each.model() == model && each.queue() == queue && model.shown(queue).has(each.id())) {
        chosen(shown.requests(), each.id(), lanes);
      }
    }
  }

  /** Whether more requests are shown than can be told apart. */
  boolean isDense(FilteredRequests shown) {
    long posts = shown.posted().indexOf(right) - shown.posted().indexOf(left);
    long ends = shown.ended().indexOf(right) - shown.ended().indexOf(left);
    long flying = shown.posted().indexOf(left) - shown.ended().indexOf(left);
    return Math.max(Math.max(posts, ends), flying) > LINES_PER_COLUMN * pixels.width();
  }

  /** Draws how many requests were posted, ended and in flight in each column. */
  private void dense(FilteredRequests shown, Lanes.QueueLanes lanes, int colour) {
    int width = pixels.width();
    long mostPosts = countInto(shown.posted(), counts);
    long mostEnds = countInto(shown.ended(), others);
    long flying = shown.posted().indexOf(left) - shown.ended().indexOf(left);
    long mostFlying = 1;
    for (int x = 0; x < width; x++) {
      flying += counts[x] - others[x];
      open[x] = Math.clamp(flying, 0, Integer.MAX_VALUE);
      mostFlying = Math.max(mostFlying, open[x]);
    }
    int flight = Argb.mix(colour(Palette.GROUND), colour, FLIGHT_SHARE);
    Lanes.Band band = lanes.flight();
    for (int x = 0; x < width; x++) {
      column(lanes.posts(), x, counts[x], mostPosts, colour);
      column(lanes.completions(), x, others[x], mostEnds, colour);
      double share = (double) open[x] / mostFlying;
      pixels.run(x, band.bottom() - share * band.height(), band.bottom(), flight);
    }
  }

  /** Counts the moments of a timeline in each column; returns the most in one. */
  private long countInto(Timeline timeline, int[] into) {
    long most = 1;
    long from = timeline.indexOf(left);
    long end = timeline.indexOf(right);
    for (int x = 0; x < pixels.width(); x++) {
      // Neighbouring columns have similar counts.
      long to = timeline.indexNear(timeOf(x + 1), from, end, from + (x == 0 ? 0 : into[x - 1]));
      into[x] = (int) Math.max(0, to - from);
      most = Math.max(most, into[x]);
      from = to;
    }
    return most;
  }

  /** Draws a bar from the bottom of a lane, on a scale on which one request is still visible. */
  private void column(Lanes.Band band, int x, int count, long most, int colour) {
    if (count > 0) {
      double share = 0.15 + 0.85 * Math.sqrt((double) count / most);
      pixels.run(x, band.bottom() - 1 - share * (band.height() - 2), band.bottom() - 1, colour);
    }
  }

  /** Marks requests among too many others for lines. */
  private void ticks(FilteredRequests marked, Lanes.QueueLanes lanes) {
    countInto(marked.posted(), counts);
    countInto(marked.ended(), others);
    int colour = colour(Palette.CURSOR);
    for (int x = 0; x < pixels.width(); x++) {
      if (counts[x] > 0) {
        pen.down(x, lanes.posts().top(), lanes.posts().bottom(), colour);
      }
      if (others[x] > 0) {
        pen.down(x, lanes.completions().top(), lanes.completions().bottom(), colour);
      }
    }
  }

  private void lines(FilteredRequests shown, Lanes.QueueLanes lanes, int colour) {
    WorkRequests requests = shown.requests();
    requests.across(
        left,
        id -> {
          if (shown.has(id)) {
            line(requests, id, lanes, colour);
          }
        });
    Timeline posted = shown.posted();
    long end = posted.indexOf(right);
    for (long i = posted.indexOf(left); i < end; i++) {
      if (requests.has(posted.id(i))) {
        line(requests, posted.id(i), lanes, colour);
      }
    }
  }

  private static boolean isWrong(WorkRequests requests, long id) {
    return requests.failed(id) || requests.dropped(id) || requests.overtook(id);
  }

  private void line(WorkRequests requests, long id, Lanes.QueueLanes lanes, int plain) {
    boolean isOpen = requests.isOpen(id);
    boolean covered = requests.coveredBy(id) != WorkRequests.NONE;
    int colour = plain;
    if (isWrong(requests, id)) {
      colour = colour(Palette.FAILED);
    } else if (isOpen && requests.knowsOpen()) {
      colour = colour(Palette.IN_TRANSIT);
    } else if (covered) {
      colour = Argb.mix(colour(Palette.GROUND), plain, COVERED_SHARE);
    }
    draw(requests, id, lanes, colour, colour == plain || covered ? plain : colour);
  }

  private void draw(
      WorkRequests requests, long id, Lanes.QueueLanes lanes, int colour, int postColour) {
    double from = xOf(requests.postedNanos(id));
    Lanes.Band flight = lanes.flight();
    RequestKind kind = requests.kind(id);
    boolean plain = kind == RequestKind.WRITE || kind == RequestKind.RECEIVE;
    // A write is a plain stroke; the others are shorter and have a head.
    int top = lanes.posts().top() + (plain ? 1 : lanes.posts().height() / 4);
    pen.down(from, top, lanes.posts().bottom(), postColour);
    if (!plain) {
      shapes.head(kind, from, top, postColour);
    }
    if (requests.isOpen(id) && !requests.knowsOpen()) {
      return;
    }
    if (requests.isOpen(id)) {
      // A dashed line from halfway down to now, with an open end.
      int middle = flight.middle();
      shapes.line(from, flight.top(), from + Math.min(8, xOf(now) - from), middle, colour);
      int dash = pen.unit(5);
      int end = pen.column(xOf(now));
      for (int x = Math.max(0, pen.column(from) + 8); x < end; x += 2 * dash) {
        pixels.fill(x, middle, Math.min(end, x + dash), middle + pen.unit(1), colour);
      }
      return;
    }
    double to = xOf(requests.endedNanos(id));
    shapes.line(from, flight.top(), to, flight.bottom(), colour);
    if (requests.coveredBy(id) == WorkRequests.NONE) {
      pen.down(to, lanes.completions().top(), lanes.completions().bottom() - 1, colour);
    }
  }

  private void chosen(WorkRequests requests, long id, Lanes.QueueLanes lanes) {
    int colour = colour(Palette.CURSOR);
    draw(requests, id, lanes, colour, colour);
    double from = xOf(requests.postedNanos(id));
    stout(from, lanes.posts(), colour);
    if (!requests.isOpen(id)) {
      stout(xOf(requests.endedNanos(id)), lanes.completions(), colour);
    }
  }

  private void stout(double x, Lanes.Band band, int colour) {
    int column = pen.column(x);
    int half = pen.unit(1);
    pixels.fill(column - half, band.top(), column + half + 1, band.bottom(), colour);
  }

  // -------------------------------------------------------------------------------------- marks

  private void marks(WridModel model, Lanes.End lanes) {
    Marks marks = model.requests().marks();
    if (marks.first() == marks.end()) {
      return;
    }
    for (QueueType queue : QueueType.values()) {
      Lanes.Band band = (queue == QueueType.SEND ? lanes.send() : lanes.receive()).completions();
      int step = pen.unit(MARK_DISTANCE);
      for (int x = 0; x < pixels.width(); x += step) {
        cell(model, queue, band, timeOf(x), timeOf(x + step));
      }
    }
  }

  /** Draws the most important marks of a queue in a stretch of time. */
  private void cell(WridModel model, QueueType queue, Lanes.Band band, long from, long to) {
    Marks marks = model.requests().marks();
    FilteredRequests shown = model.shown(queue);
    long cross = -1;
    long dropped = -1;
    long ring = -1;
    long first = marks.indexOf(from);
    long end = Math.min(marks.end(), first + MARKS_LOOKED_AT);
    for (long mark = first; mark < end && marks.nanos(mark) < to; mark++) {
      if (marks.queue(mark) != queue || !shown.has(marks.request(mark))) {
        continue;
      }
      if (marks.kind(mark) == Marks.Kind.DROPPED) {
        dropped = dropped < 0 ? mark : dropped;
      } else if (marks.kind(mark) == Marks.Kind.MET || marks.kind(mark) == Marks.Kind.SENT_AGAIN) {
        ring = ring < 0 ? mark : ring;
      } else if (cross < 0) {
        cross = mark;
      }
    }
    int colour = colour(Palette.FAILED);
    // One above the other if a completion overtook another one and was dropped because of that.
    int apart = cross >= 0 && dropped >= 0 ? pen.unit(6) : 0;
    if (cross >= 0) {
      pen.cross(xOf(marks.nanos(cross)), band.middle() - apart, colour);
    }
    if (dropped >= 0) {
      shapes.barredRing(
          xOf(marks.nanos(dropped)), band.middle() + apart, colour, colour(Palette.GROUND));
    } else if (cross < 0 && ring >= 0) {
      shapes.ring(
          xOf(marks.nanos(ring)), band.middle(), colour(Palette.TEXT), colour(Palette.GROUND));
    }
  }
}
