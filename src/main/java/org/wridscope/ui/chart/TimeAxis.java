// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Group;
import javafx.scene.Node;
import javafx.scene.shape.Line;
import javafx.scene.shape.Rectangle;
import javafx.scene.text.Text;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;

/**
 * The labels of the shared time below a picture, and the shared cursor across it. For views whose
 * time runs to the right.
 */
public final class TimeAxis {
  /** The height that the labels take. */
  public static final double HEIGHT = 16;

  private static final double LABEL_DISTANCE = 84;

  /** Nanoseconds take more digits. */
  private static final double FINE_LABEL_DISTANCE = 122;

  private static final long FINE_NANOS = 2_000_000;

  private final TimeRange range;
  private final Group group = new Group();
  private final List<Text> labels = new ArrayList<>();
  private final Line cursor = new Line();
  private final Rectangle flagGround = new Rectangle();
  private final Text flag = ChartText.small();
  private boolean dark = true;
  private double left;
  private double right;
  private double top;
  private double bottom;
  private boolean labelled = true;

  public TimeAxis(TimeRange range) {
    this.range = range;
    group.setManaged(false);
    group.setMouseTransparent(true);
    cursor.setVisible(false);
    flagGround.setArcWidth(4);
    flagGround.setArcHeight(4);
    group.getChildren().addAll(cursor, flagGround, flag);
  }

  /** What shows it; takes no part in layout and no mouse events. */
  public Node node() {
    return group;
  }

  public void theme(boolean darkTheme) {
    dark = darkTheme;
    labels.forEach(label -> label.setFill(Palette.TEXT.color(dark)));
    cursor.setStroke(Palette.CURSOR.color(dark));
    flagGround.setFill(Palette.CURSOR.color(dark));
    flag.setFill(Palette.GROUND.color(dark));
  }

  /** Takes the place of the picture; the labels stand below it. */
  public void place(double newLeft, double newRight, double newTop, double newBottom) {
    left = newLeft;
    right = newRight;
    top = newTop;
    bottom = newBottom;
  }

  /** Where the ticks of the shown stretch are. */
  public TimeTicks ticks() {
    long from = range.leftNanos() - range.originNanos();
    double apart = range.shownNanos() < FINE_NANOS ? FINE_LABEL_DISTANCE : LABEL_DISTANCE;
    int most = (int) Math.max(1, (right - left) / apart);
    return TimeTicks.of(from, from + range.shownNanos(), most);
  }

  /** Where a moment is. */
  public double xOf(long nanos) {
    return left + (double) (nanos - range.leftNanos()) / range.shownNanos() * (right - left);
  }

  /** The moment at a place. */
  public long timeAt(double x) {
    double share = (x - left) / Math.max(1, right - left);
    return range.leftNanos() + Math.round(share * range.shownNanos());
  }

  /** Whether moments are written below the picture, those of the ticks and that of the cursor. */
  public void setLabelled(boolean shown) {
    labelled = shown;
  }

  /** Writes the labels anew. */
  public void layLabels() {
    TimeTicks ticks = ticks();
    int shown = 0;
    for (int i = 0; labelled && i < ticks.count(); i++) {
      double x = xOf(range.originNanos() + ticks.at(i));
      Text text = label(shown);
      ChartText.write(text, ticks.label(i));
      double half = text.getLayoutBounds().getWidth() / 2;
      if (x + half <= right + 6 && x >= left - 1) {
        text.relocate(Math.rint(x - half), bottom + 2);
        shown++;
      }
    }
    for (int i = shown; i < labels.size(); i++) {
      labels.get(i).setVisible(false);
    }
  }

  private Text label(int index) {
    if (index == labels.size()) {
      Text text = ChartText.small();
      text.setFill(Palette.TEXT.color(dark));
      labels.add(text);
      group.getChildren().addFirst(text);
      text.applyCss();
    }
    Text text = labels.get(index);
    text.setVisible(true);
    return text;
  }

  /** Whether the cursor is within the picture. */
  public boolean hasCursor() {
    return cursor.isVisible();
  }

  /** Moves the cursor to where it is now. Returns whether it was elsewhere before. */
  public boolean layCursor() {
    double x = range.hasCursor() ? xOf(range.cursorNanosProperty().get()) : Double.NaN;
    boolean visible = x >= left && x <= right;
    boolean moved = visible != cursor.isVisible() || (visible && x != cursor.getStartX());
    cursor.setVisible(visible);
    flag.setVisible(visible && labelled);
    flagGround.setVisible(flag.isVisible());
    if (!visible) {
      return moved;
    }
    cursor.setStartX(x);
    cursor.setEndX(x);
    cursor.setStartY(top);
    cursor.setEndY(bottom);
    if (flag.isVisible()) {
      layFlag(x);
    }
    return moved;
  }

  private void layFlag(double x) {
    long step = Math.clamp(range.shownNanos() / 2000, 1, 100_000_000);
    long moment = range.cursorNanosProperty().get() - range.originNanos();
    ChartText.write(flag, TimeTicks.label(moment, step));
    double width = flag.getLayoutBounds().getWidth();
    double from = Math.rint(Math.clamp(x - width / 2, left, Math.max(left, right - width)));
    flag.relocate(from, bottom + 2);
    flagGround.setX(from - 4);
    flagGround.setY(bottom + 1);
    flagGround.setWidth(width + 8);
    flagGround.setHeight(HEIGHT - 1);
  }
}
