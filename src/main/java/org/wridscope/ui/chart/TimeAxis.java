// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.List;
import javafx.scene.Group;
import javafx.scene.Node;
import javafx.scene.shape.Line;
import javafx.scene.shape.Rectangle;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.TimeTicks;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;

/**
 * The shared time along one side of a picture: the places of moments, the labels, and the shared
 * cursor with its moment.
 */
public final class TimeAxis {
  /** The direction of time. */
  public enum Direction {
    /** To the right; the labels are below the picture. */
    RIGHT,
    /** Downwards; the labels are at the left of the picture. */
    DOWN
  }

  /** The height of a label, with the space around it. */
  static final double HEIGHT = 16;

  private static final double LABEL_DISTANCE = 84;

  /** Times with nanoseconds have more digits. */
  private static final double FINE_LABEL_DISTANCE = 122;

  private static final double LABEL_DISTANCE_DOWN = 44;
  private static final long FINE_NANOS = 2_000_000;
  private static final double CHOSEN_OPACITY = 0.16;

  /** The space between a label and the picture at its right. */
  private static final double GAP = 6;

  private final TimeRange range;
  private final Direction direction;
  private final Group group = new Group();
  private final TextPool labels = new TextPool(Palette.TEXT);
  private final Rectangle chosen = new Rectangle();
  private final Rectangle zoom = new Rectangle();
  private final List<Marker> markers = List.of(new Marker("1"), new Marker("2"));
  private final Line cursor = new Line();
  private final Rectangle flagGround = new Rectangle();
  private final Text flag = ChartText.small();
  private double left;
  private double right;
  private double top;
  private double bottom;
  private boolean labelled = true;

  TimeAxis(TimeRange range, Direction direction) {
    this.range = range;
    this.direction = direction;
    group.setManaged(false);
    group.setMouseTransparent(true);
    chosen.setVisible(false);
    chosen.setOpacity(CHOSEN_OPACITY);
    zoom.setVisible(false);
    zoom.setOpacity(CHOSEN_OPACITY);
    cursor.setVisible(false);
    flag.setVisible(false);
    flagGround.setVisible(false);
    flagGround.setArcWidth(4);
    flagGround.setArcHeight(4);
    group.getChildren().addAll(labels.node(), chosen, zoom);
    markers.forEach(marker -> group.getChildren().add(marker.node));
    group.getChildren().addAll(cursor, flagGround, flag);
  }

  /** The node of labels and cursor; takes no part in layout and no mouse events. */
  Node node() {
    return group;
  }

  void theme(boolean dark) {
    labels.theme(dark);
    chosen.setFill(Palette.CURSOR.color(dark));
    zoom.setFill(Palette.SEND.color(dark));
    markers.forEach(marker -> marker.theme(dark));
    cursor.setStroke(Palette.CURSOR.color(dark));
    flagGround.setFill(Palette.CURSOR.color(dark));
    flag.setFill(Palette.GROUND.color(dark));
  }

  /** Sets the edges of the picture; the labels stand outside of them. */
  void place(double newLeft, double newRight, double newTop, double newBottom) {
    left = newLeft;
    right = newRight;
    top = newTop;
    bottom = newBottom;
  }

  /** Sets whether the moments of ticks and cursor are written beside the picture. */
  void setLabelled(boolean shown) {
    labelled = shown;
  }

  private boolean runsDown() {
    return direction == Direction.DOWN;
  }

  /** The coordinate of a place in the direction of time. */
  double along(double x, double y) {
    return runsDown() ? y : x;
  }

  private double begin() {
    return runsDown() ? top : left;
  }

  /** The length of the picture in the direction of time. */
  double length() {
    return runsDown() ? bottom - top : right - left;
  }

  /** The ticks of the shown stretch. */
  TimeTicks ticks() {
    long from = range.leftNanos() - range.originNanos();
    double apart =
        runsDown()
            ? LABEL_DISTANCE_DOWN
            : range.shownNanos() < FINE_NANOS ? FINE_LABEL_DISTANCE : LABEL_DISTANCE;
    int most = (int) Math.max(1, length() / apart);
    return TimeTicks.of(from, from + range.shownNanos(), most);
  }

  /** The place of a moment: its x where time runs to the right, otherwise its y. */
  public double placeOf(long nanos) {
    return begin() + (double) (nanos - range.leftNanos()) / range.shownNanos() * length();
  }

  /** The moment at a place. */
  public long timeAt(double place) {
    double share = (place - begin()) / Math.max(1, length());
    return range.leftNanos() + Math.round(share * range.shownNanos());
  }

  /** Writes the labels. */
  void layLabels() {
    labels.begin();
    TimeTicks ticks = ticks();
    for (int i = 0; labelled && i < ticks.count(); i++) {
      Text text = labels.next(ticks.label(i));
      double width = text.getLayoutBounds().getWidth();
      double place = placeOf(range.originNanos() + ticks.at(i));
      if (runsDown()) {
        text.relocate(Math.rint(left - GAP - width), labelTop(place));
      } else if (place + width / 2 <= right + GAP && place >= left - 1) {
        text.relocate(Math.rint(place - width / 2), bottom + 2);
      } else {
        labels.takeBack();
      }
    }
    labels.end();
  }

  /** The upper edge of a label beside the picture. */
  private static double labelTop(double place) {
    return Math.rint(place - 7);
  }

  /** Covers the chosen range with a veil. */
  void layChosen() {
    cover(chosen, range.chosen());
  }

  /** Covers what will be shown when the button is released; null for nothing. */
  void layZoom(TimeRange.@Nullable Span span) {
    cover(zoom, span);
  }

  private void cover(Rectangle veil, TimeRange.@Nullable Span span) {
    double end = begin() + length();
    double from = span == null ? 0 : Math.clamp(placeOf(span.fromNanos()), begin(), end);
    double to = span == null ? 0 : Math.clamp(placeOf(span.toNanos()), begin(), end);
    veil.setVisible(to > from);
    if (veil.isVisible()) {
      veil.setX(runsDown() ? left : from);
      veil.setY(runsDown() ? from : top);
      // A range of a few nanoseconds can still be seen.
      double size = Math.max(1, to - from);
      veil.setWidth(runsDown() ? right - left : size);
      veil.setHeight(runsDown() ? size : bottom - top);
    }
  }

  /** Shows the markers. */
  void layMarkers() {
    List<Long> moments = range.markers().moments();
    for (int i = 0; i < markers.size(); i++) {
      double place = i < moments.size() ? placeOf(moments.get(i)) : Double.NaN;
      markers.get(i).lay(place, place >= begin() && place <= begin() + length());
    }
  }

  /** A line through the picture, with a number at its end. */
  private final class Marker {
    private static final double FLAG = 13;

    private final Line line = new Line();
    private final Rectangle ground = new Rectangle(FLAG, FLAG);
    private final Text number = ChartText.small();
    private final Group node = new Group(line, ground, number);

    Marker(String text) {
      number.setText(text);
      line.getStrokeDashArray().setAll(6.0, 3.0);
      node.setVisible(false);
    }

    void theme(boolean dark) {
      line.setStroke(Palette.DIRTY.color(dark));
      ground.setFill(Palette.DIRTY.color(dark));
      // Readable on yellow in both themes.
      number.setFill(Palette.CURSOR.color(false));
    }

    void lay(double place, boolean visible) {
      node.setVisible(visible);
      if (!visible) {
        return;
      }
      line.setStartX(runsDown() ? left : place);
      line.setEndX(runsDown() ? right : place);
      line.setStartY(runsDown() ? place : top);
      line.setEndY(runsDown() ? place : bottom);
      double x = runsDown() ? right - FLAG : Math.rint(place);
      // Above the times: names of phases are at the top.
      double y = runsDown() ? Math.rint(place) : bottom - FLAG;
      ground.setX(x);
      ground.setY(y);
      number.relocate(Math.rint(x + (FLAG - number.getLayoutBounds().getWidth()) / 2), y);
    }
  }

  /** Whether the cursor is within the picture. */
  boolean hasCursor() {
    return cursor.isVisible();
  }

  /** Moves the cursor to where it is now. Returns whether it was elsewhere before. */
  boolean layCursor() {
    double place = range.hasCursor() ? placeOf(range.cursorNanosProperty().get()) : Double.NaN;
    boolean visible = place >= begin() && place <= begin() + length();
    double before = runsDown() ? cursor.getStartY() : cursor.getStartX();
    boolean moved = visible != cursor.isVisible() || (visible && place != before);
    cursor.setVisible(visible);
    flag.setVisible(visible && labelled);
    flagGround.setVisible(flag.isVisible());
    if (!visible) {
      labels.cover(null);
      return moved;
    }
    cursor.setStartX(runsDown() ? left : place);
    cursor.setEndX(runsDown() ? right : place);
    cursor.setStartY(runsDown() ? place : top);
    cursor.setEndY(runsDown() ? place : bottom);
    if (flag.isVisible()) {
      layFlag(place);
    }
    return moved;
  }

  private void layFlag(double place) {
    long step = Math.clamp(range.shownNanos() / 2000, 1, 100_000_000);
    long moment = range.cursorNanosProperty().get() - range.originNanos();
    ChartText.write(flag, TimeTicks.label(moment, step));
    double width = flag.getLayoutBounds().getWidth();
    double x =
        runsDown()
            ? left - GAP - width
            : Math.clamp(place - width / 2, left, Math.max(left, right - width));
    double y = runsDown() ? labelTop(place) : bottom + 2;
    flag.relocate(Math.rint(x), y);
    flagGround.setX(Math.rint(x) - 4);
    flagGround.setY(y - 1);
    flagGround.setWidth(width + 8);
    flagGround.setHeight(HEIGHT - 1);
    labels.cover(flagGround.getBoundsInParent());
  }
}
