// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import javafx.geometry.Point2D;
import javafx.scene.control.MenuItem;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.shape.Rectangle;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.DeviceTroubles;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Selected;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chart.ChartText;
import org.wridscope.ui.chart.TextPool;
import org.wridscope.ui.chart.TimePlot;

/** The picture of work requests, with the names of its lanes, waits and requests. */
final class WridsPlot implements TimePlot.Content {
  private static final TimePlot.Frame FRAME = TimePlot.Frame.toTheRight(18, 122, 420);
  private static final int HEADING = 16;

  /** The least height of a lane that has a name. */
  private static final int NAME = 10;

  private static final double REACH = 6;

  /** The least height of a lane in which requests are named. */
  private static final double LABELS_FROM_HEIGHT = 12;

  /** The least width of the name of a request. */
  private static final double LABEL_ROOM = 34;

  private static final double LETTER = 6.2;
  private static final int FEWEST_LETTERS = 4;
  private static final int MOST_LABELS = 60;
  private static final String POSTS_UNKNOWN =
      "not known when receives were posted; their completions are in the Log";

  private static final String COMPLETIONS_UNKNOWN =
      "not known which requests have completed, because their wr_ids repeat";

  private static final String NO_RECEIVES = "not captured: posting a receive sends no packet";

  private static final String LEGEND =
      "× out of order, failed or released too early    ⊘ dropped    ○ handled by another wait"
          + "    ┄ not completed    ▨ waits";

  private static final String LEGEND_NARROW =
      "× wrong    ⊘ dropped    ○ handled by another wait    ┄ not completed    ▨ waits";

  private static final String LEGEND_OF_PROGRAM =
      "× failed    ┄ not completed    paler: covered by a later completion";

  private static final String LEGEND_OF_PROGRAM_NARROW =
      "× failed    ┄ not completed    paler: covered";

  private static final String LEGEND_OF_CAPTURE =
      "× failed, NAK or released too early    ○ sent again    ┄ not acknowledged";

  private static final String LEGEND_OF_CAPTURE_NARROW =
      "× failed    ○ sent again    ┄ not acknowledged";

  private final TimeRange range;
  private final WridNavigation navigation;
  private final Consumer<Boolean> toAnomaly;
  private final Supplier<List<MenuItem>> menu;
  private final Landing landing = new Landing();
  private final TimePlot plot;
  private final WridPainter painter;
  private final WridPicker picker;
  private final TextPool laneNames;
  private final TextPool labels;
  private final Text readOut = ChartText.normal();

  /** A line that is longer than the view is cut at its right edge. */
  private final Rectangle readOutClip = new Rectangle();

  private List<Lanes.End> lanes = List.of();
  private long drawnNext = -1;
  private long drawnUntil;

  /** Whether something is being selected here, where the user looks anyway. */
  private boolean choosing;

  /**
   * Makes an empty picture.
   *
   * @param toAnomaly shows the next anomaly, or the one before
   * @param menu what can be done with the selected request
   */
  WridsPlot(
      TimeRange range,
      WridNavigation navigation,
      Consumer<Boolean> toAnomaly,
      Supplier<List<MenuItem>> menu) {
    this.menu = menu;
    this.range = range;
    this.navigation = navigation;
    this.toAnomaly = toAnomaly;
    plot = new TimePlot(range, FRAME, "Work requests from post to completion", this);
    plot.node().setId("wrid-plot");
    painter = new WridPainter(plot.surface().pixels(), plot.pen());
    picker = new WridPicker(painter);
    laneNames = plot.addTexts(Palette.TEXT);
    labels = plot.addTexts(Palette.CURSOR);
    readOut.setClip(readOutClip);
    plot.add(readOut);
    plot.add(landing.node());
  }

  TimePlot plot() {
    return plot;
  }

  void theme(boolean dark) {
    plot.theme(dark);
    readOut.setFill(Palette.TEXT.color(dark));
    landing.theme(dark);
  }

  /** Draws the eye to what was selected, unless it was selected here or is the same as before. */
  void highlight(@Nullable Selected before, @Nullable Selected after) {
    boolean same =
        before instanceof Selected.WorkRequest one
            && after instanceof Selected.WorkRequest other
            && one.isSame(other);
    if (!same) {
      landing.begin(after != null && !choosing);
    }
  }

  /** The place of what is selected, in the coordinates of the plot; null if it is not shown. */
  private @Nullable Point2D placeOfSelected() {
    return navigation
        .landing()
        .map(to -> {
          int index = navigation.models().indexOf(to.model());
          if (index < 0 || index >= lanes.size()) {
            return null;
          }
          Lanes.Band band = to.lane().apply(lanes.get(index));
          double x = plot.axis().placeOf(to.nanos());
          return x < plot.left() || x > plot.right()
              ? null
              : new Point2D(x, plot.top() + band.middle() / plot.surface().scale());
        })
        .orElse(null);
  }

  /** Begins again after other ends were chosen. */
  void begin() {
    lanes = List.of();
    plot.setActive(navigation.pair() != null);
    plot.renew();
  }

  void pulse(long nowNanos) {
    long next = navigation.nextEvent();
    // What goes on, such as a wait, is drawn up to now.
    long until = Math.min(navigation.nowNanos(), range.rightNanos());
    boolean changed =
        plot.hasMoved() || next != drawnNext || until != drawnUntil || !navigation.isComplete();
    drawnNext = next;
    drawnUntil = until;
    plot.pulse(nowNanos, changed);
    landing.pulse(nowNanos, placeOfSelected());
  }

  // ------------------------------------------------------------------------------------- drawing

  @Override
  public void draw() {
    plot.say(navigation.whyEmpty());
    if (plot.isBlank()) {
      return;
    }
    List<WridModel> models = navigation.models();
    double scale = plot.surface().scale();
    int heading = (int) Math.round(HEADING * scale);
    int name = (int) Math.ceil(NAME * scale);
    boolean device = models.stream().anyMatch(WridsPlot::hasTroubles);
    lanes = Lanes.of(plot.surface().pixels().height(), models.size(), heading, name, device);
    painter.begin(range.leftNanos(), range.rightNanos(), navigation.nowNanos(), plot.isDark());
    laneNames.begin();
    labels.begin();
    if (!models.isEmpty()) {
      plot.drawTime(models.getFirst().requests().telemetry().phases(), painter::xOf);
      List<WridPainter.Chosen> chosen = navigation.chosen();
      for (int i = 0; i < models.size(); i++) {
        painter.paint(models.get(i), lanes.get(i), chosen);
        labelWaits(models.get(i).requests(), lanes.get(i).waits());
        labelTroubles(models.get(i).requests().counted().troubles(), lanes.get(i).device());
        labelPosts(models.get(i).shown(QueueType.SEND), lanes.get(i).send().posts());
        labelPosts(models.get(i).shown(QueueType.RECEIVE), lanes.get(i).receive().posts());
        nameLanes(models.get(i), lanes.get(i));
        explainEmptyLanes(models.get(i), lanes.get(i));
      }
    }
    laneNames.end();
    labels.end();
  }

  private boolean hasRoomForLabels(Lanes.Band band) {
    return band.height() >= LABELS_FROM_HEIGHT * plot.surface().scale();
  }

  private void labelWaits(Requests requests, Lanes.Band band) {
    if (!hasRoomForLabels(band)) {
      return;
    }
    Waits waits = requests.waits();
    long first = waits.indexOf(range.leftNanos());
    long last = Math.min(waits.end(), first + MOST_LABELS * 4L);
    for (long wait = first; wait < last; wait++) {
      if (waits.beganNanos(wait) >= range.rightNanos()) {
        return;
      }
      long end = Math.min(navigation.nowNanos(), waits.endedNanos(wait));
      labelSpan(WridText.wait(requests, wait), waits.beganNanos(wait), end, band);
    }
  }

  private static boolean hasTroubles(WridModel model) {
    return model.requests().counted().troubles().end() > 0;
  }

  private void labelTroubles(DeviceTroubles troubles, Lanes.Band band) {
    if (!hasRoomForLabels(band)) {
      return;
    }
    long row = troubles.indexOf(range.leftNanos());
    long last = Math.min(troubles.end(), row + MOST_LABELS * 4L);
    while (row < last && troubles.sinceNanos(row) < range.rightNanos()) {
      long end = troubles.endOfSample(row);
      String words =
          LongStream.range(row, end).mapToObj(troubles::text).collect(Collectors.joining(", "));
      labelSpan(words, troubles.sinceNanos(row), troubles.nanos(row), band);
      row = end;
    }
  }

  /** Writes as much of a text as fits into a stretch of time. */
  private void labelSpan(String words, long fromNanos, long toNanos, Lanes.Band band) {
    double scale = plot.surface().scale();
    double from = Math.max(0, painter.xOf(fromNanos));
    double to = Math.min(plot.surface().pixels().width(), painter.xOf(toNanos));
    label(words, from / scale + 3, (to - from) / scale - 6, band);
  }

  private void labelPosts(FilteredRequests shown, Lanes.Band band) {
    Timeline posted = shown.posted();
    double scale = plot.surface().scale();
    long first = posted.indexOf(range.leftNanos());
    long end = posted.indexOf(range.rightNanos());
    if (!hasRoomForLabels(band) || end - first > MOST_LABELS * 4L) {
      return;
    }
    double width = plot.surface().pixels().width();
    for (long i = first; i < end; i++) {
      double x = painter.xOf(posted.nanos(i));
      double until = i + 1 < end ? painter.xOf(posted.nanos(i + 1)) : width;
      double room = (until - x) / scale - 8;
      if (room >= LABEL_ROOM && shown.requests().has(posted.id(i))) {
        label(WridText.label(shown.requests(), posted.id(i)), x / scale + 5, room, band);
      }
    }
  }

  /** Writes as much of a text as fits. */
  private void label(String words, double x, double room, Lanes.Band band) {
    int letters = (int) (room / LETTER);
    if (letters < FEWEST_LETTERS || labels.count() >= MOST_LABELS) {
      return;
    }
    String cut = words.length() <= letters ? words : words.substring(0, letters - 1) + "…";
    place(labels.next(cut), plot.left() + x, band);
  }

  /**
   * The logs of QEMU and captured packets do not tell when receives were posted; of a program that
   * ran already it may not be known which requests have completed.
   */
  private void explainEmptyLanes(WridModel model, Lanes.End end) {
    Requests requests = model.requests();
    if (requests.receives().end() == 0 && requests.receives().unmatched() > 0) {
      explain(POSTS_UNKNOWN, end.receive().posts());
    } else if (requests.receives().end() == 0 && model.session().ofCapture()) {
      explain(NO_RECEIVES, end.receive().posts());
    }
    if (!requests.sends().seesCompletions()) {
      explain(COMPLETIONS_UNKNOWN, end.send().flight());
    }
  }

  private void explain(String words, Lanes.Band band) {
    if (hasRoomForLabels(band)) {
      label(words, 5, plot.node().getWidth() - plot.left(), band);
    }
  }

  private void place(Text text, double x, Lanes.Band band) {
    double middle = plot.top() + band.middle() / plot.surface().scale();
    text.relocate(Math.rint(x), Math.rint(middle - text.getLayoutBounds().getHeight() / 2));
  }

  private void nameLanes(WridModel model, Lanes.End end) {
    if (isNamed(end.heading())) {
      place(laneNames.next(model.title(), Palette.CURSOR), 6, end.heading());
    }
    nameLane("send queue", end.send().posts());
    nameLane("in flight", end.send().flight());
    nameLane("send completions", end.send().completions());
    nameLane("receive queue", end.receive().posts());
    nameLane("receive completions", end.receive().completions());
    if (model.session().migrates() || model.requests().waits().end() > 0) {
      nameLane("waits", end.waits());
    }
    nameLane("device", end.device());
  }

  private void nameLane(String name, Lanes.Band band) {
    if (isNamed(band)) {
      Text text = laneNames.next(name);
      place(text, plot.left() - 6 - text.getLayoutBounds().getWidth(), band);
    }
  }

  private boolean isNamed(Lanes.Band band) {
    return plot.hasGutter() && band.height() >= NAME * plot.surface().scale();
  }

  @Override
  public void write() {
    WridPicker.Pick pick = plot.isPointedAt() ? pick(plot.pointerX(), plot.pointerY()) : null;
    double left = Math.max(6, plot.left());
    double room = Math.max(0, plot.node().getWidth() - left);
    ChartText.write(readOut, pick != null ? describe(pick) : legend(false));
    if (pick == null && readOut.getLayoutBounds().getWidth() > room) {
      ChartText.write(readOut, legend(true));
    }
    readOutClip.setWidth(room);
    readOutClip.setHeight(readOut.getLayoutBounds().getHeight());
    readOut.relocate(left, 2);
  }

  /**
   * What the signs mean.
   *
   * @param narrow in fewer words
   */
  private String legend(boolean narrow) {
    SessionPair of = navigation.pair();
    if (of == null) {
      return "";
    }
    boolean capture = of.leading().ofCapture();
    String ofCapture = narrow ? LEGEND_OF_CAPTURE_NARROW : LEGEND_OF_CAPTURE;
    if (of.leading().migrates()) {
      return capture ? ofCapture : narrow ? LEGEND_NARROW : LEGEND;
    }
    String ofProgram = narrow ? LEGEND_OF_PROGRAM_NARROW : LEGEND_OF_PROGRAM;
    List<WridModel> models = navigation.models();
    boolean lines =
        models.stream().noneMatch(model -> painter.isDense(model.shown(QueueType.SEND)));
    return models.isEmpty()
        ? ""
        : WridText.operations(models.getFirst().requests().sends().kinds(), lines)
            + (capture ? ofCapture : ofProgram);
  }

  // ------------------------------------------------------------------------------------ pointing

  private WridPicker.@Nullable Pick pick(double x, double y) {
    for (int i = 0; i < lanes.size(); i++) {
      WridPicker.Pick pick =
          picker.at(
              navigation.models().get(i),
              lanes.get(i),
              plot.pixelX(x),
              plot.pixelY(y),
              plot.axis().timeAt(x),
              REACH * plot.surface().scale());
      if (pick != null) {
        return pick;
      }
    }
    return null;
  }

  private String describe(WridPicker.Pick pick) {
    Requests requests = pick.model().requests();
    return switch (pick) {
      case WridPicker.Request(_, var queue, var id) ->
          WridText.line(requests, queue, id, range.originNanos());
      case WridPicker.Wait(_, var id) -> WridText.wait(requests, id);
      case WridPicker.Trouble(_, var row) -> requests.counted().troubles().text(row);
    };
  }

  @Override
  public boolean choose(double x, double y) {
    WridPicker.Pick pick = pick(x, y);
    if (pick != null) {
      choosing = true;
      navigation.select(pick);
      choosing = false;
    }
    return pick != null;
  }

  /** The beginning or the end of what is at a place, whichever is nearer. */
  @Override
  public long exactMoment(double x, double y, long nanos) {
    WridPicker.Pick pick = pick(x, y);
    if (pick == null) {
      return nanos;
    }
    Requests requests = pick.model().requests();
    TimeRange.Span span =
        switch (pick) {
          case WridPicker.Request(_, var queue, var id) -> {
            WorkRequests of = requests.of(queue);
            long posted = of.postedNanos(id);
            yield new TimeRange.Span(posted, of.isOpen(id) ? posted : of.endedNanos(id));
          }
          case WridPicker.Wait(_, var id) ->
              new TimeRange.Span(requests.waits().beganNanos(id), requests.waits().endedNanos(id));
          case WridPicker.Trouble(_, var row) -> {
            DeviceTroubles troubles = requests.counted().troubles();
            yield new TimeRange.Span(troubles.sinceNanos(row), troubles.nanos(row));
          }
        };
    long from = span.fromNanos();
    long to = span.toNanos();
    long nearer = Math.abs(from - nanos) <= Math.abs(to - nanos) ? from : to;
    return Math.abs(plot.axis().placeOf(nearer) - x) <= REACH ? nearer : nanos;
  }

  @Override
  public OptionalLong selectedMoment() {
    return navigation
        .landing()
        .map(place -> OptionalLong.of(place.nanos()))
        .orElse(OptionalLong.empty());
  }

  @Override
  public List<MenuItem> menuItems() {
    return menu.get();
  }

  @Override
  public boolean onKey(KeyEvent event) {
    switch (event.getCode()) {
      case LEFT, RIGHT -> navigation.step(event.getCode() == KeyCode.RIGHT);
      case N -> navigation.goToMarked(!event.isShiftDown());
      case A -> toAnomaly.accept(!event.isShiftDown());
      default -> {
        return false;
      }
    }
    return true;
  }
}
