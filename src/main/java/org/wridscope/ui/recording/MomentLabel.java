// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import javafx.geometry.Pos;
import javafx.scene.control.Label;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;

/**
 * The shown moment of a recording. It always has the width of the widest text, so that the slider
 * beside it does not move under the pointer.
 */
final class MomentLabel extends StackPane {
  private final Label shown = new Label();
  private final Label widest = new Label();

  MomentLabel(String id) {
    shown.setId(id);
    widest.setVisible(false);
    for (Label label : new Label[] {widest, shown}) {
      label.getStyleClass().addAll("number", "muted");
      label.setMinWidth(Region.USE_PREF_SIZE);
    }
    setMinWidth(Region.USE_PREF_SIZE);
    setAlignment(Pos.CENTER_LEFT);
    getChildren().addAll(widest, shown);
  }

  void setText(String text) {
    shown.setText(text);
  }

  /** Reserves the width of a text; all digits have the same width. */
  void setWidest(String text) {
    widest.setText(text);
  }
}
