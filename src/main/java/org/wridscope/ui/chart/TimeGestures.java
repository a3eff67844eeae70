// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import javafx.scene.input.ScrollEvent;
import org.wridscope.ui.TimeRange;

/**
 * Changes the shared time with the pointer: dragging pans and holds, with Shift it chooses a range;
 * the wheel zooms at the pointer, a double click follows again and then shows the whole session.
 * Time may run along either axis.
 */
final class TimeGestures {
  private static final double ZOOM_STEP = 1.25;

  /** A press that moves less is a click. */
  private static final double CLICK_DISTANCE = 4;

  private final TimeRange range;
  private double pressedAt;
  private double draggedAt;
  private boolean dragging;
  private boolean choosing;
  private long choosingFrom;

  TimeGestures(TimeRange range) {
    this.range = range;
  }

  /**
   * Handles a button that was pressed at a place on the axis.
   *
   * @param moment of that place
   * @param choose whether a drag chooses a range
   */
  void press(double place, long moment, boolean choose) {
    pressedAt = place;
    draggedAt = place;
    dragging = false;
    choosing = choose;
    choosingFrom = moment;
  }

  /**
   * Handles a move of the pointer with the button pressed.
   *
   * @param moment of the place
   * @param length of the whole axis
   */
  void drag(double place, long moment, double length) {
    dragging |= Math.abs(place - pressedAt) > CLICK_DISTANCE;
    if (dragging && choosing) {
      range.choose(choosingFrom, moment);
    } else if (dragging && length > 0 && place != draggedAt) {
      range.pan(Math.round((draggedAt - place) / length * range.shownNanos()));
      draggedAt = place;
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

  /** Follows again; if time follows already, shows the whole session. */
  void followAgain() {
    if (range.isFollowing()) {
      range.spanNanosProperty().set(TimeRange.WHOLE);
    }
    range.followProperty().set(true);
  }
}
