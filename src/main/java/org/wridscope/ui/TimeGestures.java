// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.input.ScrollEvent;

/**
 * What dragging, the wheel and double clicks do to the shared time: drag to pan and hold, turn to
 * zoom around the pointer, double-click to follow again and then to see the whole. For views whose
 * time runs along one axis, whichever.
 */
public final class TimeGestures {
  private static final double ZOOM_STEP = 1.25;

  /** A press that moves less is a click. */
  private static final double CLICK_DISTANCE = 4;

  private final TimeRange range;
  private double pressedAt;
  private double draggedAt;
  private boolean dragging;

  public TimeGestures(TimeRange range) {
    this.range = range;
  }

  /** A button went down at a place on the axis. */
  public void press(double place) {
    pressedAt = place;
    draggedAt = place;
    dragging = false;
  }

  /**
   * The pointer moved with the button down.
   *
   * @param length of the whole axis
   */
  public void drag(double place, double length) {
    dragging |= Math.abs(place - pressedAt) > CLICK_DISTANCE;
    if (dragging && length > 0 && place != draggedAt) {
      range.pan(Math.round((draggedAt - place) / length * range.shownNanos()));
      draggedAt = place;
    }
  }

  /** Whether the last press has become a drag, so that its end is no click. */
  public boolean isDragging() {
    return dragging;
  }

  /**
   * The wheel was turned, or tilted, which moves time.
   *
   * @param around the moment under the pointer
   * @param length of the whole axis
   */
  public void wheel(ScrollEvent event, long around, double length) {
    if (event.getDeltaX() != 0) {
      range.pan(Math.round(-event.getDeltaX() / Math.max(1, length) * range.shownNanos()));
    } else if (event.getDeltaY() != 0) {
      range.zoom(event.getDeltaY() > 0 ? 1 / ZOOM_STEP : ZOOM_STEP, around);
    }
    event.consume();
  }

  /** Follows again, and shows the whole when it follows already. */
  public void followAgain() {
    if (range.isFollowing()) {
      range.spanNanosProperty().set(TimeRange.WHOLE);
    }
    range.followProperty().set(true);
  }
}
