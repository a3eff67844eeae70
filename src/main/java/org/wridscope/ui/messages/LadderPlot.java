// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import javafx.scene.control.MenuItem;
import javafx.scene.input.KeyEvent;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ladder;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chart.ChartText;
import org.wridscope.ui.chart.TextPool;
import org.wridscope.ui.chart.TimePlot;
import org.wridscope.ui.raster.Argb;

/** The picture of a ladder: a line for each end, and arrows between them. */
final class LadderPlot implements TimePlot.Content {
  private static final TimePlot.Frame FRAME = TimePlot.Frame.downwards(38, 98, 320);

  /** The distance from the edges of the picture to the lines of the two ends. */
  private static final double MARGIN = 64;

  /** With more distance between the two lines, an arrow is hard to follow. */
  private static final double WIDEST = 1200;

  private static final double LABEL_HEIGHT = 14;
  private static final double REACH = 6;

  /** With less height for each message than this, arrows have neither heads nor labels. */
  private static final double CROWDED = 4;

  /** The length of an arrow whose other end is not known, as a share of the whole way. */
  private static final double STUMP = 0.3;

  private final TimeRange range;
  private final Consumer<Ladder.Rung> selector;
  private final Predicate<KeyEvent> keys;
  private final Predicate<Ladder.Rung> found;
  private final BooleanSupplier heartbeats;
  private final Supplier<List<MenuItem>> menu;
  private final TimePlot plot;
  private final Arrows arrows;
  private final TextPool labels;
  private final Text readOut = ChartText.normal();
  private final Text sourceName = ChartText.normal();
  private final Text destinationName = ChartText.normal();

  private @Nullable SessionPair pair;
  private @Nullable Ladder ladder;
  private Ladder.@Nullable Rung chosen;
  private List<Ladder.Rung> rungs = List.of();
  private boolean complete = true;
  private boolean crowded;

  /**
   * Makes an empty picture.
   *
   * @param selector is given the message that was clicked
   * @param keys returns whether a key meant something
   * @param found returns whether a message is one that is searched for
   * @param heartbeats returns whether heartbeats are shown, too
   * @param menu what can be done with the selected message
   */
  LadderPlot(
      TimeRange range,
      Consumer<Ladder.Rung> selector,
      Predicate<KeyEvent> keys,
      Predicate<Ladder.Rung> found,
      BooleanSupplier heartbeats,
      Supplier<List<MenuItem>> menu) {
    this.found = found;
    this.heartbeats = heartbeats;
    this.menu = menu;
    this.range = range;
    this.selector = selector;
    this.keys = keys;
    plot = new TimePlot(range, FRAME, "Control messages between source and destination", this);
    plot.node().setId("message-ladder");
    arrows = new Arrows(plot.surface().pixels(), plot.pen());
    labels = plot.addTexts(Palette.CURSOR);
    List.of(readOut, sourceName, destinationName).forEach(plot::add);
  }

  TimePlot plot() {
    return plot;
  }

  void show(@Nullable SessionPair newPair, @Nullable Ladder newLadder) {
    pair = newPair;
    ladder = newLadder;
    chosen = null;
    rungs = List.of();
    plot.setActive(newPair != null);
    plot.renew();
  }

  /** Sets the message that is drawn as selected. */
  void setChosen(Ladder.@Nullable Rung rung) {
    chosen = rung;
  }

  /** Sets whether all events were read. */
  void setComplete(boolean all) {
    complete = all;
  }

  void theme(boolean dark) {
    plot.theme(dark);
    readOut.setFill(Palette.TEXT.color(dark));
    sourceName.setFill(Palette.CURSOR.color(dark));
    destinationName.setFill(Palette.CURSOR.color(dark));
  }

  // ------------------------------------------------------------------------------------- drawing

  private double yOf(long nanos) {
    return plot.axis().placeOf(nanos);
  }

  /** The line of the source. */
  double sourceX() {
    return plot.left() + Math.max(MARGIN, (plot.right() - plot.left() - WIDEST) / 2);
  }

  /** The line of the destination. */
  double destinationX() {
    return Math.max(sourceX() + 20, plot.right() - (sourceX() - plot.left()));
  }

  @Override
  public void draw() {
    int most = 2 * plot.surface().pixels().height();
    rungs =
        ladder == null
            ? List.of()
            : LadderModel.between(
                ladder, range.leftNanos(), range.rightNanos(), most, this::isShown);
    plot.say(reason());
    if (plot.isBlank()) {
      return;
    }
    boolean dark = plot.isDark();
    int ground = Palette.GROUND.argb(dark);
    arrows.begin(ground);
    plot.drawTime(
        pair == null ? List.of() : pair.leading().telemetry().phases(),
        nanos -> plot.pixelY(yOf(nanos)));
    plot.pen().down(plot.pixelX(sourceX()), Palette.LIMIT.argb(dark));
    plot.pen().down(plot.pixelX(destinationX()), Palette.LIMIT.argb(dark));
    crowded = rungs.size() > plot.height() / CROWDED;
    for (Ladder.Rung rung : rungs) {
      int colour = colour(rung).argb(dark);
      arrow(rung, crowded ? Argb.mix(ground, colour, 0.55) : colour, !crowded);
    }
    for (Ladder.Rung rung : rungs) {
      if (found.test(rung)) {
        arrow(rung, Palette.CURSOR.argb(dark), !crowded);
      }
    }
    if (chosen != null) {
      arrow(chosen, Palette.CURSOR.argb(dark), true);
    }
    layLabels();
    layNames();
  }

  /** Whether a message is shown: heartbeats are not, unless they are wanted or searched for. */
  boolean isShown(Ladder.Rung rung) {
    return !rung.isHeartbeat() || heartbeats.getAsBoolean() || found.test(rung);
  }

  private static Palette colour(Ladder.Rung rung) {
    if (LadderModel.isBad(rung)) {
      return Palette.FAILED;
    }
    return rung.from() == Role.SOURCE ? Palette.SEND : Palette.RECEIVE;
  }

  private void arrow(Ladder.Rung rung, int colour, boolean head) {
    boolean right = rung.from() == Role.SOURCE;
    double from = plot.pixelX(right ? sourceX() : destinationX());
    double to = plot.pixelX(right ? destinationX() : sourceX());
    double y0 = plot.pixelY(yOf(rung.firstNanos()));
    double y1 = plot.pixelY(yOf(rung.lastNanos()));
    if (rung.receivedNanos() == Ladder.UNKNOWN) {
      to = from + (to - from) * STUMP;
    } else if (rung.sentNanos() == Ladder.UNKNOWN) {
      from = to - (to - from) * STUMP;
    }
    arrows.line(from, y0, to, y1, colour);
    if (head && rung.dropped()) {
      plot.pen().cross(to, y1, colour);
    } else if (head) {
      arrows.head(to, y1, right, colour);
    }
  }

  /** Labels each arrow where it begins, unless another label is there. */
  private void layLabels() {
    labels.begin();
    double freeLeft = plot.top();
    double freeRight = plot.top();
    for (Ladder.Rung rung : crowded ? List.<Ladder.Rung>of() : rungs) {
      boolean left = rung.from() == Role.SOURCE;
      double y = yOf(rung.firstNanos());
      if (y < (left ? freeLeft : freeRight) || y > plot.bottom() - 2) {
        continue;
      }
      Palette colour = LadderModel.isBad(rung) ? Palette.FAILED : Palette.CURSOR;
      Text text = labels.next(LadderModel.label(rung), colour);
      double width = text.getLayoutBounds().getWidth();
      double x = left ? sourceX() + 8 : destinationX() - 8 - width;
      // Above its arrow, or below it where that would be outside of the picture.
      double top = Math.rint(y - LABEL_HEIGHT < plot.top() ? y + 2 : y - LABEL_HEIGHT);
      text.relocate(Math.rint(x), top);
      arrows.erase(
          plot.pixelX(x - 2),
          plot.pixelY(top),
          plot.pixelX(x + width + 2),
          plot.pixelY(top + LABEL_HEIGHT - 2));
      if (left) {
        freeLeft = y + LABEL_HEIGHT;
      } else {
        freeRight = y + LABEL_HEIGHT;
      }
    }
    labels.end();
  }

  private void layNames() {
    sourceName.setVisible(pair != null);
    destinationName.setVisible(pair != null);
    if (pair == null) {
      return;
    }
    ChartText.write(sourceName, pair.source() == null ? "source (not here)" : "source");
    ChartText.write(
        destinationName, pair.destination() == null ? "destination (not here)" : "destination");
    layName(sourceName, sourceX());
    layName(destinationName, destinationX());
  }

  private void layName(Text name, double middle) {
    double width = name.getLayoutBounds().getWidth();
    double most = Math.max(4, plot.node().getWidth() - width - 4);
    name.relocate(Math.rint(Math.clamp(middle - width / 2, 4, most)), plot.top() - 18);
  }

  private String reason() {
    if (pair == null || ladder == null) {
      return "Select a migration to see its control messages.";
    }
    if (!pair.leading().telemetry().monitored()) {
      return "No messages: this migration was started without monitoring.";
    }
    if (ladder.count(Role.SOURCE) + ladder.count(Role.DESTINATION) == 0) {
      return "Control messages appear here as soon as the two ends are connected.";
    }
    return !rungs.isEmpty()
        ? ""
        : hidden() > 0
            ? "No control message other than heartbeats in this stretch of time."
            : "No control message in this stretch of time.";
  }

  @Override
  public void write() {
    Ladder.Rung pointed = plot.isPointedAt() ? at(plot.pointerX(), plot.pointerY()) : null;
    ChartText.write(
        readOut, pointed != null ? LadderModel.line(pointed, range.originNanos()) : counts());
    readOut.relocate(8, 3);
  }

  private String counts() {
    if (ladder == null || pair == null) {
      return "";
    }
    var text =
        new StringBuilder(
            "%s from the source, %s from the destination"
                .formatted(
                    Format.count(shownOf(Role.SOURCE)), Format.count(shownOf(Role.DESTINATION))));
    if (hidden() > 0) {
      text.append("; %s hidden".formatted(Format.counted(hidden(), "heartbeat")));
    }
    TimeRange.Span span = range.chosen();
    if (span != null) {
      text.append(
          "; in the range: %s and %s"
              .formatted(
                  Format.count(countIn(ladder, Role.SOURCE, span)),
                  Format.count(countIn(ladder, Role.DESTINATION, span))));
    }
    if (crowded) {
      text.append("; zoom in to tell them apart");
    }
    if (!complete) {
      text.append(", reading…");
    }
    if (pair.sessions().size() == 2 && !ladder.isPaired()) {
      text.append("; events are missing, so they cannot be paired");
    }
    return text.toString();
  }

  private long shownOf(Role from) {
    return ladder == null
        ? 0
        : ladder.count(from) - (heartbeats.getAsBoolean() ? 0 : ladder.heartbeats(from));
  }

  private long hidden() {
    return ladder == null || heartbeats.getAsBoolean()
        ? 0
        : ladder.heartbeats(Role.SOURCE) + ladder.heartbeats(Role.DESTINATION);
  }

  private long countIn(Ladder of, Role from, TimeRange.Span span) {
    long first = of.indexOf(from, span.fromNanos());
    long end = of.indexOf(from, span.toNanos());
    return heartbeats.getAsBoolean() || of.heartbeats(from) == 0
        ? end - first
        : LongStream.range(first, end)
            .filter(number -> !of.rung(from, number).isHeartbeat())
            .count();
  }

  // ------------------------------------------------------------------------------------ pointing

  /** The message whose arrow passes nearest to a place. */
  private Ladder.@Nullable Rung at(double x, double y) {
    Ladder.Rung best = null;
    double distance = REACH;
    double share = (x - sourceX()) / Math.max(1, destinationX() - sourceX());
    for (Ladder.Rung rung : rungs) {
      boolean right = rung.from() == Role.SOURCE;
      double along = Math.clamp(right ? share : 1 - share, 0.0, 1.0);
      double y0 = yOf(rung.firstNanos());
      double off = Math.abs(y0 + along * (yOf(rung.lastNanos()) - y0) - y);
      if (off < distance) {
        distance = off;
        best = rung;
      }
    }
    return best;
  }

  @Override
  public boolean choose(double x, double y) {
    Ladder.Rung rung = at(x, y);
    if (rung != null) {
      selector.accept(rung);
    }
    return rung != null;
  }

  @Override
  public List<MenuItem> menuItems() {
    return menu.get();
  }

  @Override
  public boolean onKey(KeyEvent event) {
    return keys.test(event);
  }
}
