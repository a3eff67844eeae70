// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongToDoubleFunction;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.input.ContextMenuEvent;
import javafx.scene.input.KeyCombination;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.ScrollEvent;
import javafx.scene.layout.Pane;
import javafx.scene.layout.Region;
import javafx.scene.text.Text;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.TimeTicks;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.raster.Pen;
import org.wridscope.ui.raster.PixelSurface;

/**
 * A picture over the shared stretch of time, with all that such pictures have in common: pixels,
 * time axis, cursor, gestures, texts, and a sentence if there is nothing to draw. Its {@link
 * Content} draws the picture.
 *
 * <p>The wheel zooms at the pointer, a tilted wheel pans, dragging pans and holds, dragging with
 * Shift chooses a range and a click with Shift none, dragging with Ctrl shows what was dragged
 * over, a click with the middle button and M set a marker, plus and minus zoom around the middle. A
 * click selects what is under the pointer. A double click beside everything follows again and, when
 * time follows already, shows the whole session.
 */
public final class TimePlot {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The space below a picture without labels. */
  private static final double BOTTOM_MARGIN = 4;

  private static final double WIDEST_SENTENCE = 420;

  /** The least distance of two marks of phases; many short rounds would turn the picture grey. */
  private static final double MARK_DISTANCE = 8;

  /** The length of the stroke that marks a moment at which something was found. */
  private static final double MARK_LENGTH = 6;

  /** Draws the picture of a plot and handles clicks and keys. */
  public interface Content {
    /** Draws all pixels, and places the texts over them. */
    void draw();

    /**
     * Writes texts that change with the pointer or with time: ten times a second, and at once when
     * the cursor has moved.
     */
    void write();

    /**
     * Selects what lies at a place.
     *
     * @return whether there was something
     */
    default boolean choose(double x, double y) {
      return false;
    }

    /**
     * The moment of what lies at a place.
     *
     * @param nanos the moment of the place itself
     */
    default long exactMoment(double x, double y, long nanos) {
      return nanos;
    }

    /** The moment of what is selected, if it is in this picture. */
    default OptionalLong selectedMoment() {
      return OptionalLong.empty();
    }

    /** What can be done with what is selected, for the context menu. */
    default List<MenuItem> menuItems() {
      return List.of();
    }

    /**
     * Handles a key that the plot has no use for.
     *
     * @return whether it meant something
     */
    default boolean onKey(KeyEvent event) {
      return false;
    }
  }

  /**
   * The direction of time in a plot, and the space around its picture.
   *
   * @param top for a heading
   * @param left for labels, if the plot is at least {@code narrow} wide
   * @param behind the part of the picture after the end of the time axis; strokes at the end are
   *     not cut off there
   */
  public record Frame(
      TimeAxis.Direction direction,
      double top,
      double left,
      double narrow,
      double right,
      double behind) {

    /** For a plot whose time runs to the right. */
    public static Frame toTheRight(double top, double left, double narrow) {
      return new Frame(TimeAxis.Direction.RIGHT, top, left, narrow, 6, 0);
    }

    /** For a plot whose time runs downwards. */
    public static Frame downwards(double top, double left, double narrow) {
      return new Frame(TimeAxis.Direction.DOWN, top, left, narrow, 0, 7);
    }
  }

  private final TimeRange range;
  private final Frame frame;
  private final Content content;
  private final TimeGestures gestures;
  private final TimeAxis axis;
  private final PixelSurface surface = new PixelSurface();
  private final Pen pen = new Pen(surface.pixels());
  private final List<TextPool> pools = new ArrayList<>();
  private final Text sentence = ChartText.normal();
  private final Plot node = new Plot();
  private final ContextMenu menu = new ContextMenu();

  private boolean dark = true;
  private boolean active;
  private boolean wantsTimes = true;
  private boolean stale = true;
  private long drawnLeft;
  private long drawnRight;
  private int drawnMarks;
  private long textAt;
  private double pointerX = Double.NaN;
  private double pointerY;

  /**
   * Makes an empty plot.
   *
   * @param description what screen readers call it
   */
  public TimePlot(TimeRange range, Frame frame, String description, Content content) {
    this.range = range;
    this.frame = frame;
    this.content = content;
    gestures = new TimeGestures(range);
    axis = new TimeAxis(range, frame.direction());
    node.getStyleClass().add("chart-view");
    node.setAccessibleRole(AccessibleRole.IMAGE_VIEW);
    node.setAccessibleText(description);
    add(surface.node());
    add(axis.node());
    add(sentence);
    node.addEventHandler(MouseEvent.ANY, this::mouse);
    node.addEventHandler(ScrollEvent.SCROLL, this::wheel);
    node.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    node.setFocusTraversable(true);
    node.setOnContextMenuRequested(this::requestMenu);
  }

  public Region node() {
    return node;
  }

  /** Adds a node over all others; it takes no part in layout. */
  public void add(Node child) {
    child.setManaged(false);
    child.setMouseTransparent(true);
    node.getChildren().add(child);
  }

  /** Adds texts over the picture, below the cursor. */
  public TextPool addTexts(Palette colour) {
    var pool = new TextPool(colour);
    pools.add(pool);
    node.getChildren().add(node.getChildren().indexOf(axis.node()), pool.node());
    return pool;
  }

  /** Sets whether gestures change the shared time; they must not while nothing is shown. */
  public void setActive(boolean newActive) {
    active = newActive;
  }

  /** Sets whether times are written beside the picture if there is enough room. */
  public void setTimeLabels(boolean shown) {
    if (wantsTimes != shown) {
      wantsTimes = shown;
      stale = true;
      node.requestLayout();
    }
  }

  public void theme(boolean darkTheme) {
    dark = darkTheme;
    node.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    axis.theme(dark);
    pools.forEach(pool -> pool.theme(dark));
    sentence.setFill(Palette.TEXT.color(dark));
    stale = true;
  }

  // ------------------------------------------------------------------------------------- frames

  /** Makes the next {@link #pulse} draw and write everything again. */
  public void renew() {
    stale = true;
    textAt = 0;
  }

  /** Whether the shown stretch of time differs from the one that was drawn. */
  public boolean hasMoved() {
    return drawnLeft != range.leftNanos() || drawnRight != range.rightNanos();
  }

  /** Whether the next {@link #pulse} writes texts. */
  public boolean isTextDue(long nowNanos) {
    return textAt == 0 || nowNanos - textAt >= TEXT_NANOS;
  }

  /**
   * Draws and writes what has changed; called once for each frame.
   *
   * @param changed whether the picture differs from the one that was drawn
   */
  public void pulse(long nowNanos, boolean changed) {
    boolean renewed = stale;
    if (stale || changed || drawnMarks != range.marksVersion()) {
      draw();
    }
    if (isPointedAt()) {
      range.cursorNanosProperty().set(axis.timeAt(axis.along(pointerX, pointerY)));
    }
    axis.layChosen();
    axis.layMarkers();
    boolean cursorMoved = axis.layCursor();
    if (isTextDue(nowNanos) || renewed || cursorMoved) {
      textAt = nowNanos;
      content.write();
    }
  }

  private void draw() {
    stale = false;
    drawnLeft = range.leftNanos();
    drawnRight = range.rightNanos();
    pen.setScale(surface.scale());
    content.draw();
    drawMarks();
    axis.layLabels();
    surface.changed();
  }

  /** Draws short strokes at the edge of the picture where something was found. */
  private void drawMarks() {
    drawnMarks = range.marksVersion();
    TimeRange.Marks marks = range.marks();
    int count = (int) (axis.length() * surface.scale());
    if (marks == null || isBlank() || count <= 0) {
      return;
    }
    boolean down = frame.direction() == TimeAxis.Direction.DOWN;
    int size = pen.unit(MARK_LENGTH);
    int colour = Palette.CURSOR.argb(dark);
    long left = range.leftNanos();
    double shown = range.shownNanos();
    long at = marks.next(left);
    while (at < range.rightNanos()) {
      int i = (int) ((at - left) / shown * count);
      if (down) {
        surface.pixels().fill(0, i, size, i + pen.unit(1), colour);
      } else {
        surface.pixels().fill(i, 0, i + pen.unit(1), size, colour);
      }
      // One stroke for all in the same column.
      at = marks.next(Math.max(at + 1, left + (long) ((i + 1) / (double) count * shown)));
    }
  }

  /**
   * Draws the lines of the time axis, and a dotted line where each phase begins.
   *
   * @param pixelOf the place of a moment in the picture, in pixels
   */
  public void drawTime(List<Phase> phases, LongToDoubleFunction pixelOf) {
    boolean down = frame.direction() == TimeAxis.Direction.DOWN;
    TimeTicks ticks = axis.ticks();
    int grid = Palette.GRID.argb(dark);
    for (int i = 0; i < ticks.count(); i++) {
      double place = pixelOf.applyAsDouble(range.originNanos() + ticks.at(i));
      if (down) {
        pen.across(place, grid);
      } else {
        pen.down(place, grid);
      }
    }
    int mark = Palette.MARK.argb(dark);
    double last = Double.NEGATIVE_INFINITY;
    for (Phase phase : phases) {
      double place = pixelOf.applyAsDouble(phase.nanos());
      if (place - last >= MARK_DISTANCE * surface.scale()) {
        last = place;
        if (down) {
          pen.dotsAcross(place, mark);
        } else {
          pen.dotsDown(place, mark);
        }
      }
    }
  }

  /** Writes a sentence over the picture; empty for none. */
  public void say(String words) {
    ChartText.write(sentence, words);
    sentence.setVisible(!words.isEmpty());
    if (sentence.isVisible()) {
      sentence.setWrappingWidth(Math.clamp(width() - 16, 0.0, WIDEST_SENTENCE));
      sentence.relocate(
          Math.rint(left() + (width() - sentence.getLayoutBounds().getWidth()) / 2),
          Math.rint(top() + (height() - sentence.getLayoutBounds().getHeight()) / 2));
    }
  }

  // -------------------------------------------------------------------------------------- places

  public PixelSurface surface() {
    return surface;
  }

  /** A pen for {@link #surface}, in the scale of its screen. */
  public Pen pen() {
    return pen;
  }

  public TimeAxis axis() {
    return axis;
  }

  public boolean isDark() {
    return dark;
  }

  /** Whether there are no pixels to draw. */
  public boolean isBlank() {
    return surface.pixels().width() == 0 || surface.pixels().height() == 0;
  }

  /** Whether there is room for labels at the left of the picture. */
  public boolean hasGutter() {
    return left() > 0;
  }

  // The edges of the picture, in the coordinates of the node.

  public double left() {
    return node.getWidth() < frame.narrow() ? 0 : frame.left();
  }

  public double right() {
    return Math.max(left(), node.getWidth() - frame.right());
  }

  public double top() {
    return frame.top();
  }

  public double bottom() {
    boolean below = frame.direction() == TimeAxis.Direction.RIGHT;
    double margin = !below ? 0 : showsTimes() ? TimeAxis.HEIGHT : BOTTOM_MARGIN;
    return Math.max(top(), node.getHeight() - margin);
  }

  public double width() {
    return right() - left();
  }

  public double height() {
    return bottom() - top();
  }

  private boolean showsTimes() {
    return wantsTimes
        && (frame.direction() == TimeAxis.Direction.DOWN
            ? hasGutter()
            : node.getHeight() > top() + 2 * TimeAxis.HEIGHT);
  }

  /** The column of pixels at a place. */
  public double pixelX(double x) {
    return (x - left()) * surface.scale();
  }

  /** The line of pixels at a place. */
  public double pixelY(double y) {
    return (y - top()) * surface.scale();
  }

  // ------------------------------------------------------------------------------------ pointing

  /** Whether the pointer is over the picture. */
  public boolean isPointedAt() {
    return !Double.isNaN(pointerX);
  }

  public double pointerX() {
    return pointerX;
  }

  public double pointerY() {
    return pointerY;
  }

  private void mouse(MouseEvent event) {
    if (event.getEventType() == MouseEvent.MOUSE_MOVED) {
      point(event);
    } else if (event.getEventType() == MouseEvent.MOUSE_EXITED) {
      pointAway();
    } else if (event.getEventType() == MouseEvent.MOUSE_PRESSED) {
      node.requestFocus();
      // What the picture stands in would take the keyboard.
      event.consume();
      double place = axis.along(event.getX(), event.getY());
      gestures.press(place, axis.timeAt(place), TimeGestures.Drag.of(event));
    } else if (event.getEventType() == MouseEvent.MOUSE_DRAGGED && active) {
      double place = axis.along(event.getX(), event.getY());
      gestures.drag(place, axis.timeAt(place), axis.length());
      axis.layZoom(gestures.zooming());
      point(event);
    } else if (event.getEventType() == MouseEvent.MOUSE_RELEASED) {
      gestures.release();
      axis.layZoom(null);
    } else if (event.getEventType() == MouseEvent.MOUSE_CLICKED
        && event.getButton() == MouseButton.MIDDLE
        && active) {
      setMarker(event.getX(), event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_CLICKED
        && event.getButton() == MouseButton.PRIMARY
        && !gestures.isDragging()) {
      click(event);
    }
  }

  private void click(MouseEvent event) {
    if (event.isShiftDown()) {
      range.chooseNone();
      return;
    }
    boolean something = content.choose(event.getX(), event.getY());
    // A fourth click is the second one of another double click.
    boolean twice = event.getClickCount() > 0 && event.getClickCount() % 2 == 0;
    if (!something && twice) {
      gestures.followAgain();
    }
  }

  private void requestMenu(ContextMenuEvent event) {
    event.consume();
    if (active) {
      menu.getItems().setAll(menuItems(event));
      menu.show(node, event.getScreenX(), event.getScreenY());
    }
  }

  /** What can be done with what is under the pointer, or selected, and with the time there. */
  List<MenuItem> menuItems(ContextMenuEvent event) {
    long at;
    if (event.isKeyboardTrigger()) {
      at = content.selectedMoment().orElse(range.leftNanos() + range.shownNanos() / 2);
    } else {
      boolean _ = content.choose(event.getX(), event.getY());
      double place = axis.along(event.getX(), event.getY());
      at = content.exactMoment(event.getX(), event.getY(), axis.timeAt(place));
    }
    var items = new ArrayList<>(content.menuItems());
    if (!items.isEmpty()) {
      items.add(new SeparatorMenuItem());
    }
    addTimeItems(items, at);
    return items;
  }

  private void addTimeItems(List<MenuItem> items, long at) {
    TimeRange.Span chosen = range.chosen();
    items.addAll(
        List.of(
            item("Show less time here", "Plus", () -> range.zoom(0.25, at)),
            item("Show more time", "Minus", () -> range.zoom(4, at)),
            item("Follow, and show the whole time", "", gestures::showAll),
            new SeparatorMenuItem(),
            item("Set a marker here", "M", () -> range.setMarker(at))));
    if (!range.markers().moments().isEmpty()) {
      items.add(item("Remove the markers", "Shift+M", range::removeMarkers));
    }
    items.add(
        item(
            "Choose the shown time as the range",
            "Shortcut+G",
            () -> range.choose(range.leftNanos(), range.rightNanos())));
    if (chosen != null) {
      items.addAll(
          List.of(
              item(
                  "Show only the range",
                  "",
                  () -> range.hold(chosen.fromNanos(), chosen.toNanos())),
              item("Clear the range", "Esc", range::chooseNone)));
    }
  }

  private static MenuItem item(String text, String keys, Runnable action) {
    var item = new MenuItem(text);
    item.setOnAction(_ -> action.run());
    if (!keys.isEmpty()) {
      item.setAccelerator(KeyCombination.keyCombination(keys));
    }
    return item;
  }

  private void point(MouseEvent event) {
    boolean inside = event.getX() >= left() && event.getX() <= right() && event.getY() >= top();
    if (!inside) {
      pointAway();
      return;
    }
    pointerX = event.getX();
    pointerY = event.getY();
    textAt = 0;
  }

  private void pointAway() {
    if (isPointedAt()) {
      range.cursorNanosProperty().set(TimeRange.NO_CURSOR);
      pointerX = Double.NaN;
      textAt = 0;
    }
  }

  private void wheel(ScrollEvent event) {
    if (active && axis.length() > 0) {
      long around = axis.timeAt(axis.along(event.getX(), event.getY()));
      gestures.wheel(event, around, axis.length());
    }
  }

  private void key(KeyEvent event) {
    if (event.isShortcutDown() || event.isAltDown() || event.isMetaDown()) {
      return; // a shortcut of the window
    }
    boolean used =
        switch (event.getCode()) {
          case PLUS, ADD, EQUALS -> zoom(0.5);
          case MINUS, SUBTRACT -> zoom(2);
          case M -> mark(event.isShiftDown());
          default -> content.onKey(event);
        };
    if (used) {
      event.consume();
    }
  }

  /** Sets a marker at the pointer, otherwise at what is selected; or removes all. */
  private boolean mark(boolean remove) {
    if (remove) {
      range.removeMarkers();
    } else if (active && isPointedAt()) {
      setMarker(pointerX, pointerY);
    } else if (active) {
      content.selectedMoment().ifPresent(range::setMarker);
    }
    return active;
  }

  private void setMarker(double x, double y) {
    range.setMarker(content.exactMoment(x, y, axis.timeAt(axis.along(x, y))));
  }

  private boolean zoom(double factor) {
    if (active) {
      range.zoom(factor, range.leftNanos() + range.shownNanos() / 2);
    }
    return active;
  }

  /** Places the picture and its axis. */
  private final class Plot extends Pane {
    Plot() {
      setMinSize(0, 0);
      setPrefSize(400, 300);
    }

    @Override
    protected void layoutChildren() {
      axis.place(left(), right(), top(), Math.max(top(), bottom() - frame.behind()));
      axis.setLabelled(showsTimes());
      if (surface.place(left(), top(), width(), height())) {
        draw();
        axis.layCursor();
        textAt = 0;
      }
    }
  }
}
