// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.concurrent.TimeUnit;
import javafx.geometry.Point2D;
import javafx.scene.Node;
import javafx.scene.paint.Color;
import javafx.scene.shape.Circle;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.Palette;

/**
 * A ring around what a link from another view has led to; it closes in and fades. It begins when
 * the view is seen.
 */
final class Landing {
  private static final long TIME_NANOS = TimeUnit.MILLISECONDS.toNanos(1_600);
  private static final double WIDEST = 42;
  private static final double NARROWEST = 12;

  /** The ring does not move during this share of the time, so that it can be seen. */
  private static final double ARRIVED = 0.4;

  private final Circle ring = new Circle();
  private boolean wanted;
  private long began;

  Landing() {
    ring.setFill(Color.TRANSPARENT);
    ring.setStrokeWidth(2.5);
    ring.setVisible(false);
    ring.setId("wrid-landing");
  }

  Node node() {
    return ring;
  }

  void theme(boolean dark) {
    ring.setStroke(Palette.CURSOR.color(dark));
  }

  /** Shows a ring from the next pulse on, or none. */
  void begin(boolean shown) {
    wanted = shown;
    began = 0;
    ring.setVisible(false);
  }

  /**
   * Moves the ring.
   *
   * @param place of its middle; null if it is out of sight
   */
  void pulse(long nowNanos, @Nullable Point2D place) {
    if (!wanted) {
      return;
    }
    if (began == 0) {
      began = nowNanos;
    }
    double share = (double) (nowNanos - began) / TIME_NANOS;
    wanted = share < 1;
    ring.setVisible(wanted && place != null);
    if (place != null) {
      ring.setCenterX(place.getX());
      ring.setCenterY(place.getY());
      ring.setRadius(WIDEST - (WIDEST - NARROWEST) * Math.min(1, share / ARRIVED));
      ring.setOpacity(Math.clamp((1 - share) / (1 - ARRIVED), 0.0, 1.0));
    }
  }
}
