// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;
import org.jspecify.annotations.Nullable;

/** One view of the selected migration; lives as long as the window. For the JavaFX thread only. */
public interface View {

  /** Title of its tab, one word. */
  String title();

  /** The node that shows it, always the same one. */
  Node node();

  /**
   * Which sessions to show from now on.
   *
   * @param pair null when none is selected
   */
  void show(@Nullable SessionPair pair);

  /**
   * Reads telemetry and draws; called once per frame while the view is visible.
   *
   * @param nowNanos {@link System#nanoTime()} of this frame
   */
  void pulse(long nowNanos);

  /**
   * The theme changed. A view that draws pixels takes its colours from here; one made of nodes
   * needs nothing, as style sheets follow by themselves.
   */
  default void theme(boolean dark) {}
}
