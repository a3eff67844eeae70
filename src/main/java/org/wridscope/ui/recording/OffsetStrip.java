// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.List;
import javafx.beans.property.LongProperty;
import javafx.scene.AccessibleRole;
import javafx.scene.Cursor;
import javafx.scene.canvas.Canvas;
import javafx.scene.canvas.GraphicsContext;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.layout.Region;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;
import org.wridscope.ui.Menus;
import org.wridscope.ui.Palette;
import org.wridscope.ui.SelectionMenu;

/**
 * Two migrations as bars along one time axis, the first above the second, with a mark where each
 * phase begins and a line at the moment at which both are aligned. Dragging moves the second bar,
 * and so do the arrow keys; a double click moves it back.
 */
final class OffsetStrip extends Region {
  private static final double HEIGHT = 34;
  private static final double BAR = 11;
  private static final double MARGIN = 12;
  private static final long STEP = 1_000_000;
  private static final long SMALL_STEP = 1_000;
  private static final long LARGE_STEP = 100_000_000;

  /**
   * A migration on the common axis. All times are nanoseconds after the moment of alignment,
   * without the offset.
   *
   * @param marks where its phases begin
   */
  record Bar(long begin, long end, List<Long> marks) {}

  private record Shown(@Nullable Bar first, @Nullable Bar second, long offset) {}

  private final LongProperty offset;
  private final Canvas canvas = new Canvas();
  private @Nullable Shown shown;
  private boolean dark = true;
  private boolean dragging;
  private double pressedAt;
  private long pressedOffset;
  private double nanosPerPixel = 1;
  private double zeroAt;

  OffsetStrip(LongProperty offset) {
    this.offset = offset;
    setId("compare-strip");
    setFocusTraversable(true);
    setMinSize(80, HEIGHT);
    setPrefSize(320, HEIGHT);
    setMaxSize(Double.MAX_VALUE, HEIGHT);
    setCursor(Cursor.H_RESIZE);
    setAccessibleRole(AccessibleRole.SLIDER);
    setAccessibleText("Offset of the right migration");
    getStyleClass().add("offset-strip");
    getChildren().add(canvas);
    Tooltip.install(
        this,
        new Tooltip(
            "The left migration above the right one, with a mark where each phase begins. Drag"
                + " to move the right one,\n"
                + "or press the arrow keys: 1 ms, with Ctrl 1 µs, with Shift 100 ms. A double"
                + " click moves it back."));
    addEventHandler(MouseEvent.MOUSE_PRESSED, this::press);
    addEventHandler(MouseEvent.MOUSE_DRAGGED, this::drag);
    addEventHandler(MouseEvent.MOUSE_RELEASED, _ -> dragging = false);
    addEventHandler(MouseEvent.MOUSE_CLICKED, this::click);
    addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    Menus.install(
        this,
        () ->
            List.of(
                SelectionMenu.item("offset-none", "Move the right one back", () -> offset.set(0)),
                Menus.copy("the offset", () -> Format.exactDuration(Math.abs(offset.get())))));
    focusedProperty().subscribe(_ -> draw());
  }

  void theme(boolean darkTheme) {
    dark = darkTheme;
    draw();
  }

  /** Shows two migrations; null for one that is not chosen. */
  void show(@Nullable Bar first, @Nullable Bar second) {
    var now = new Shown(first, second, offset.get());
    if (!now.equals(shown)) {
      shown = now;
      draw();
    }
  }

  @Override
  protected void layoutChildren() {
    canvas.setWidth(getWidth());
    canvas.setHeight(getHeight());
    draw();
  }

  private void press(MouseEvent event) {
    requestFocus();
    event.consume();
    dragging = event.getButton() == MouseButton.PRIMARY;
    pressedAt = event.getX();
    pressedOffset = offset.get();
  }

  private void drag(MouseEvent event) {
    if (dragging) {
      offset.set(pressedOffset + Math.round((event.getX() - pressedAt) * nanosPerPixel));
    }
  }

  private void click(MouseEvent event) {
    if (event.getButton() == MouseButton.PRIMARY && event.getClickCount() == 2) {
      offset.set(0);
    }
  }

  private void key(KeyEvent event) {
    long step = event.isShiftDown() ? LARGE_STEP : event.isShortcutDown() ? SMALL_STEP : STEP;
    switch (event.getCode()) {
      case RIGHT -> offset.set(offset.get() + step);
      case LEFT -> offset.set(offset.get() - step);
      case HOME, BACK_SPACE, DELETE -> offset.set(0);
      default -> {
        return;
      }
    }
    event.consume();
  }

  /** Fits both bars into the strip; while one is dragged, the scale stays. */
  private void fit(Shown of) {
    if (dragging) {
      return;
    }
    long from = 0;
    long to = 1;
    if (of.first != null) {
      from = Math.min(from, of.first.begin);
      to = Math.max(to, of.first.end);
    }
    if (of.second != null) {
      from = Math.min(from, of.second.begin + of.offset);
      to = Math.max(to, of.second.end + of.offset);
    }
    nanosPerPixel = (to - from) / Math.max(1, getWidth() - 2 * MARGIN);
    zeroAt = MARGIN - from / nanosPerPixel;
  }

  private void draw() {
    Shown of = shown;
    GraphicsContext pen = canvas.getGraphicsContext2D();
    pen.clearRect(0, 0, canvas.getWidth(), canvas.getHeight());
    if (of == null || getWidth() <= 0) {
      return;
    }
    fit(of);
    double middle = getHeight() / 2;
    draw(pen, of.first, 0, Palette.SEND, middle - BAR - 2);
    draw(pen, of.second, of.offset, Palette.RECEIVE, middle + 2);
    pen.setFill(Palette.CURSOR.color(dark));
    pen.fillRect(Math.rint(zeroAt), 1, 1, getHeight() - 2);
    if (isFocused()) {
      pen.setStroke(Palette.SEND.color(dark));
      pen.strokeRoundRect(0.5, 0.5, getWidth() - 1, getHeight() - 1, 6, 6);
    }
  }

  private void draw(GraphicsContext pen, @Nullable Bar bar, long by, Palette colour, double top) {
    if (bar == null) {
      return;
    }
    double left = xOf(bar.begin + by);
    pen.setFill(colour.color(dark));
    pen.fillRect(left, top, Math.max(1, xOf(bar.end + by) - left), BAR);
    pen.setFill(Palette.GROUND.color(dark));
    for (long mark : bar.marks) {
      pen.fillRect(xOf(mark + by), top, 1, BAR);
    }
  }

  private double xOf(long nanos) {
    return Math.rint(zeroAt + nanos / nanosPerPixel);
  }
}
