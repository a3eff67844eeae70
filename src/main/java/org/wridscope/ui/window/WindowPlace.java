// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import javafx.geometry.Rectangle2D;

/**
 * Where a window is on the desktop.
 *
 * @param x of the left edge; with the others, where it is when it is not maximized
 */
record WindowPlace(double x, double y, double width, double height, boolean maximized) {
  /** Height of a title bar, by which a window is moved. */
  private static final double TITLE = 30;

  /** So much of the title bar must be on a screen. */
  private static final double REACHABLE = 120;

  /**
   * The place to open the window at: this one if the title bar can be reached there, otherwise the
   * middle of the first screen. It is not larger than its screen.
   *
   * @param screens their usable parts, the primary one first; not empty
   */
  WindowPlace on(List<Rectangle2D> screens) {
    for (Rectangle2D screen : screens) {
      double shown = Math.min(x + width, screen.getMaxX()) - Math.max(x, screen.getMinX());
      if (shown >= REACHABLE && y >= screen.getMinY() && y + TITLE <= screen.getMaxY()) {
        return new WindowPlace(
            x,
            y,
            Math.min(width, screen.getWidth()),
            Math.min(height, screen.getHeight()),
            maximized);
      }
    }
    Rectangle2D screen = screens.getFirst();
    double fittingWidth = Math.min(width, screen.getWidth());
    double fittingHeight = Math.min(height, screen.getHeight());
    return new WindowPlace(
        screen.getMinX() + (screen.getWidth() - fittingWidth) / 2,
        screen.getMinY() + (screen.getHeight() - fittingHeight) / 2,
        fittingWidth,
        fittingHeight,
        maximized);
  }
}
