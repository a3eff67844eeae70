// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import javafx.geometry.Pos;
import javafx.scene.control.Label;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;

/**
 * The moment that a recording stands at. It always takes the room of the widest text, so that a
 * slider beside it does not move away under the pointer.
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

  /** Has room from now on for a text, which digits have the same width in. */
  void setWidest(String text) {
    widest.setText(text);
  }
}
