// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import javafx.geometry.VPos;
import javafx.scene.text.Font;
import javafx.scene.text.FontWeight;
import javafx.scene.text.Text;

/** Texts of charts. */
public final class ChartText {
  private ChartText() {}

  /** An empty text for ticks and marks. */
  public static Text small() {
    return sized(10.5);
  }

  /** An empty text for legends and messages. */
  public static Text normal() {
    return sized(11.5);
  }

  /** An empty bold text, as large as {@link #normal}. */
  public static Text heading() {
    Text text = normal();
    text.setFont(Font.font(null, FontWeight.BOLD, text.getFont().getSize()));
    text.setStyle(text.getStyle() + " -fx-font-weight: bold;");
    return text;
  }

  private static Text sized(double size) {
    var text = new Text();
    // The font is for measuring before style sheets are applied; the style holds afterwards.
    text.setFont(Font.font(size));
    text.setStyle("-fx-font-size: " + size + "px;");
    text.setTextOrigin(VPos.TOP);
    text.setMouseTransparent(true);
    return text;
  }

  /** Sets the text only if it differs: each change causes a layout. */
  public static void write(Text node, String text) {
    if (!text.equals(node.getText())) {
      node.setText(text);
    }
  }
}
