// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.control.Control;
import javafx.scene.control.Tooltip;

/** Explains inputs: in a tool tip, and to a screen reader. */
public final class Hints {
  private static final double WIDTH = 380;

  private Hints() {}

  /** Explains a control. */
  public static void explain(Control control, String sentences) {
    control.setTooltip(tip(sentences));
    control.setAccessibleHelp(sentences);
  }

  /** A tool tip of several lines. */
  public static Tooltip tip(String sentences) {
    var tip = new Tooltip(sentences);
    tip.setWrapText(true);
    tip.setMaxWidth(WIDTH);
    return tip;
  }
}
