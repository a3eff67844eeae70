// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.Arrays;
import java.util.List;
import javafx.geometry.Insets;
import javafx.scene.AccessibleRole;
import javafx.scene.Cursor;
import javafx.scene.Node;
import javafx.scene.input.MouseEvent;
import javafx.scene.layout.Pane;
import javafx.scene.paint.Color;
import javafx.scene.shape.Rectangle;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Timeline;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.raster.PixelSurface;
import org.wridscope.ui.raster.Pixels;

/**
 * The whole session in a strip: how many requests were posted when, where completions were unusual,
 * and a frame around the time that is shown, also where that is later than the moment to which a
 * recording was moved. Dragging moves the frame.
 */
final class Minimap {
  private static final double HEIGHT = 24;

  /** The least width of the frame; one of a few nanoseconds must be seen, too. */
  private static final double NARROWEST = 4;

  private static final double FRAME_OPACITY = 0.18;

  private final TimeRange range;
  private final WridNavigation navigation;
  private final PixelSurface surface = new PixelSurface();
  private final Rectangle frame = new Rectangle();
  private final Strip node = new Strip();
  private boolean dark = true;
  private boolean stale = true;
  private long begin;
  private long end = TimeRange.SHORTEST;
  private long drawnNext = -1;
  private long drawnBegin;
  private long drawnEnd;
  private int[] counts = new int[0];

  /** While the frame is dragged, the strip keeps its scale. */
  private boolean dragging;

  /** How far the pointer is from the middle of the shown time while it is dragged. */
  private long grabbed;

  Minimap(TimeRange range, WridNavigation navigation) {
    this.range = range;
    this.navigation = navigation;
    frame.setManaged(false);
    frame.setMouseTransparent(true);
    frame.setArcWidth(3);
    frame.setArcHeight(3);
    surface.node().setManaged(false);
    node.getChildren().addAll(surface.node(), frame);
    node.setId("wrid-minimap");
    node.setAccessibleRole(AccessibleRole.IMAGE_VIEW);
    node.setAccessibleText("The whole time; drag to move the shown part");
    node.setCursor(Cursor.H_RESIZE);
    node.setOnMousePressed(this::press);
    node.setOnMouseDragged(this::drag);
    node.setOnMouseReleased(_ -> dragging = false);
  }

  Node node() {
    return node;
  }

  /** Sets the space beside the strip, so that it lies above the picture. */
  void align(double left, double right) {
    var insets = new Insets(0, right, 2, left);
    if (!insets.equals(node.getPadding())) {
      node.setPadding(insets);
    }
  }

  void theme(boolean darkTheme) {
    dark = darkTheme;
    stale = true;
    frame.setStroke(Palette.CURSOR.color(dark));
    Color fill = Palette.CURSOR.color(dark);
    frame.setFill(Color.color(fill.getRed(), fill.getGreen(), fill.getBlue(), FRAME_OPACITY));
  }

  /** Draws again at the next pulse. */
  void renew() {
    stale = true;
  }

  /**
   * Draws what is new.
   *
   * @param textsDue whether it is time for what changes ten times a second
   */
  void pulse(boolean textsDue) {
    boolean some = navigation.pair() != null && navigation.nextEvent() > 0;
    node.setVisible(some);
    if (!some) {
      return;
    }
    if (!dragging) {
      begin = Math.min(range.originNanos(), range.leftNanos());
      long shown = Math.max(navigation.nowNanos(), range.rightNanos());
      end = Math.max(shown, begin + TimeRange.SHORTEST);
    }
    long next = navigation.nextEvent();
    if (stale || (textsDue && (next != drawnNext || begin != drawnBegin || end != drawnEnd))) {
      stale = false;
      drawnNext = next;
      drawnBegin = begin;
      drawnEnd = end;
      draw();
    }
    layFrame();
  }

  // ------------------------------------------------------------------------------------- drawing

  private void draw() {
    Pixels pixels = surface.pixels();
    int width = pixels.width();
    if (width == 0 || pixels.height() == 0) {
      return;
    }
    if (counts.length < width) {
      counts = new int[width];
    }
    pixels.clear(Palette.UNTOUCHED.argb(dark));
    List<WridModel> models = navigation.models();
    for (QueueType queue : new QueueType[] {QueueType.RECEIVE, QueueType.SEND}) {
      int most = count(models, queue, width);
      int colour = (queue == QueueType.SEND ? Palette.SEND : Palette.RECEIVE).argb(dark);
      for (int x = 0; x < width; x++) {
        if (counts[x] > 0) {
          // One request is still visible.
          double share = 0.2 + 0.8 * Math.sqrt((double) counts[x] / most);
          pixels.run(x, pixels.height() * (1 - share), pixels.height(), colour);
        }
      }
    }
    models.forEach(model -> drawMarks(model.requests().marks(), width));
    surface.changed();
  }

  private int count(List<WridModel> models, QueueType queue, int width) {
    Arrays.fill(counts, 0, width, 0);
    for (WridModel model : models) {
      Timeline posted = model.shown(queue).posted();
      long from = posted.indexOf(begin);
      for (int x = 0; x < width; x++) {
        long to = posted.indexNear(timeOf(x + 1, width), from, posted.end(), from);
        counts[x] += (int) (to - from);
        from = to;
      }
    }
    int most = 1;
    for (int x = 0; x < width; x++) {
      most = Math.max(most, counts[x]);
    }
    return most;
  }

  private void drawMarks(Marks marks, int width) {
    int colour = Palette.FAILED.argb(dark);
    int height = Math.max(1, surface.pixels().height() / 3);
    for (int x = 0; x < width; x++) {
      long until = timeOf(x + 1, width);
      for (long mark = marks.indexOf(timeOf(x, width));
          mark < marks.end() && marks.nanos(mark) < until;
          mark++) {
        if (marks.kind(mark) != Marks.Kind.MET) {
          surface.pixels().fill(x, 0, x + 2, height, colour);
          break;
        }
      }
    }
  }

  private long timeOf(double place, double width) {
    return begin + (long) ((end - begin) * (place / width));
  }

  private void layFrame() {
    double left = node.getPadding().getLeft();
    double width = width();
    double perNano = width / (end - begin);
    double from = Math.clamp((range.leftNanos() - begin) * perNano, 0.0, width);
    double to = Math.clamp((range.rightNanos() - begin) * perNano, 0.0, width);
    double size = Math.max(NARROWEST, to - from);
    frame.setX(Math.min(left + from, left + width - size) + 0.5);
    frame.setWidth(Math.max(0, size - 1));
    frame.setY(0.5);
    frame.setHeight(HEIGHT - 1);
  }

  private double width() {
    return Math.max(
        1, node.getWidth() - node.getPadding().getLeft() - node.getPadding().getRight());
  }

  // ------------------------------------------------------------------------------------- dragging

  private long timeAt(MouseEvent event) {
    return timeOf(event.getX() - node.getPadding().getLeft(), width());
  }

  private void press(MouseEvent event) {
    dragging = true;
    long at = timeAt(event);
    boolean inside = at >= range.leftNanos() && at < range.rightNanos();
    grabbed = inside ? at - middle() : 0;
    if (!inside) {
      moveTo(at);
    }
  }

  private void drag(MouseEvent event) {
    moveTo(timeAt(event) - grabbed);
  }

  private long middle() {
    return range.leftNanos() + range.shownNanos() / 2;
  }

  /** Shows the same length of time, as far as possible within the session. */
  private void moveTo(long middle) {
    long half = range.shownNanos() / 2;
    long least = begin + half;
    long most = Math.max(least, end - half);
    long by = Math.clamp(middle, least, most) - middle();
    if (by != 0) {
      range.pan(by);
    }
  }

  /** Places the pixels between the paddings. */
  private final class Strip extends Pane {
    Strip() {
      setMinHeight(HEIGHT + 2);
      setPrefHeight(HEIGHT + 2);
      setMinWidth(0);
    }

    @Override
    protected void layoutChildren() {
      if (surface.place(getPadding().getLeft(), 0, width(), HEIGHT)) {
        stale = true;
      }
    }
  }
}
