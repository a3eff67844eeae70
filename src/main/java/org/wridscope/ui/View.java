// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;

/** A view of the selected migration; lives as long as the window. For the JavaFX thread only. */
public interface View {

  /** The title of its tab, one word. */
  String title();

  /** The node that shows it, always the same one. */
  Node node();

  /**
   * Shows other sessions.
   *
   * @param pair null if none is selected
   */
  void show(@Nullable SessionPair pair);

  /**
   * Reads telemetry and draws; called once per frame while the view is visible.
   *
   * @param nowNanos {@link System#nanoTime()} of this frame
   */
  void pulse(long nowNanos);

  /**
   * Applies a theme. Needed only by views that draw pixels; the nodes of others get their colours
   * from style sheets.
   */
  default void theme(boolean dark) {}
}
