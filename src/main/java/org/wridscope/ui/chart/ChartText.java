// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import javafx.geometry.VPos;
import javafx.scene.text.Font;
import javafx.scene.text.Text;

/** Texts of charts. */
public final class ChartText {
  private ChartText() {}

  /** For ticks and marks. */
  public static Text small() {
    return sized(10.5);
  }

  /** For legends and messages. */
  public static Text normal() {
    return sized(11.5);
  }

  private static Text sized(double size) {
    var text = new Text();
    // Both: the font measures right before style sheets are applied, the style holds afterwards.
    text.setFont(Font.font(size));
    text.setStyle("-fx-font-size: " + size + "px;");
    text.setTextOrigin(VPos.TOP);
    text.setMouseTransparent(true);
    return text;
  }

  /** Changes the text only if it differs, for each change is laid out anew. */
  public static void write(Text node, String text) {
    if (!text.equals(node.getText())) {
      node.setText(text);
    }
  }
}
