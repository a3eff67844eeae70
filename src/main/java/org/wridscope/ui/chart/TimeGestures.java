// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import javafx.scene.input.MouseEvent;
import javafx.scene.input.ScrollEvent;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.TimeRange;

/**
 * Changes the shared time with the pointer: dragging pans and holds, with Shift it chooses a range,
 * with Ctrl it shows only what was dragged over; the wheel zooms at the pointer, a double click
 * follows again and then shows the whole session. Time may run along either axis.
 */
final class TimeGestures {
  private static final double ZOOM_STEP = 1.25;

  /** A press that moves less is a click. */
  private static final double CLICK_DISTANCE = 4;

  private final TimeRange range;
  private double pressedAt;
  private double draggedAt;
  private boolean dragging;
  private Drag drag = Drag.PAN;
  private long from;
  private long to;

  /** What a drag does. */
  enum Drag {
    PAN,
    /** Chooses a range. */
    CHOOSE,
    /** Shows only what is dragged over, when the button is released. */
    ZOOM;

    static Drag of(MouseEvent event) {
      return event.isShiftDown() ? CHOOSE : event.isShortcutDown() ? ZOOM : PAN;
    }
  }

  TimeGestures(TimeRange range) {
    this.range = range;
  }

  /**
   * Handles a button that was pressed at a place on the axis.
   *
   * @param moment of that place
   * @param what what a drag does
   */
  void press(double place, long moment, Drag what) {
    pressedAt = place;
    draggedAt = place;
    dragging = false;
    drag = what;
    from = moment;
    to = moment;
  }

  /**
   * Handles a move of the pointer with the button pressed.
   *
   * @param moment of the place
   * @param length of the whole axis
   */
  void drag(double place, long moment, double length) {
    dragging |= Math.abs(place - pressedAt) > CLICK_DISTANCE;
    to = moment;
    if (dragging && drag == Drag.CHOOSE) {
      range.choose(from, moment);
    } else if (dragging && drag == Drag.PAN && length > 0 && place != draggedAt) {
      range.pan(Math.round((draggedAt - place) / length * range.shownNanos()));
      draggedAt = place;
    }
  }

  /** What will be shown when the button is released; null if that changes nothing. */
  TimeRange.@Nullable Span zooming() {
    return dragging && drag == Drag.ZOOM && from != to
        ? new TimeRange.Span(Math.min(from, to), Math.max(from, to))
        : null;
  }

  /** Handles a button that was released. */
  void release() {
    TimeRange.Span span = zooming();
    if (span != null) {
      range.hold(span.fromNanos(), span.toNanos());
      drag = Drag.PAN;
    }
  }

  /** Whether the last press has become a drag; its end is then not a click. */
  boolean isDragging() {
    return dragging;
  }

  /**
   * Handles the wheel: turning zooms, tilting pans.
   *
   * @param around the moment under the pointer
   * @param length of the whole axis
   */
  void wheel(ScrollEvent event, long around, double length) {
    if (event.getDeltaX() != 0) {
      range.pan(Math.round(-event.getDeltaX() / Math.max(1, length) * range.shownNanos()));
    } else if (event.getDeltaY() != 0) {
      range.zoom(event.getDeltaY() > 0 ? 1 / ZOOM_STEP : ZOOM_STEP, around);
    }
    event.consume();
  }

  /** Follows again, and shows the whole session. */
  void showAll() {
    range.spanNanosProperty().set(TimeRange.WHOLE);
    range.followProperty().set(true);
  }

  /** Follows again; if time follows already, shows the whole session. */
  void followAgain() {
    if (range.isFollowing()) {
      range.spanNanosProperty().set(TimeRange.WHOLE);
    }
    range.followProperty().set(true);
  }
}
