// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import javafx.geometry.Bounds;
import javafx.scene.Group;
import javafx.scene.Node;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.Palette;

/**
 * Small texts over a picture. Their nodes are used again for the next picture, which usually has
 * about as many: {@link #begin}, {@link #next} for each text, {@link #end}.
 */
public final class TextPool {
  private final Group group = new Group();
  private final List<Text> texts = new ArrayList<>();
  private final Palette colour;
  private int used;
  private boolean dark = true;

  /**
   * Makes an empty pool.
   *
   * @param colour of texts without a colour of their own
   */
  TextPool(Palette colour) {
    this.colour = colour;
    group.setManaged(false);
    group.setMouseTransparent(true);
    group.setAutoSizeChildren(false);
  }

  /** The node of all texts, at the origin of the node that it is added to. */
  Node node() {
    return group;
  }

  /** Sets the theme of texts that are written from now on. */
  void theme(boolean darkTheme) {
    dark = darkTheme;
  }

  /** Begins a picture. */
  public void begin() {
    used = 0;
  }

  /** The next text, visible, with its words; the caller places it. */
  public Text next(String words) {
    return next(words, colour);
  }

  /** The next text, in a given colour. */
  public Text next(String words, Palette ownColour) {
    if (used == texts.size()) {
      Text fresh = ChartText.small();
      fresh.setManaged(false);
      texts.add(fresh);
      group.getChildren().add(fresh);
      // Without this, the first measurement would use the wrong font.
      fresh.applyCss();
    }
    Text text = texts.get(used++);
    text.setFill(ownColour.color(dark));
    text.setVisible(true);
    ChartText.write(text, words);
    return text;
  }

  /** Takes the last text back: there is no room for it. */
  public void takeBack() {
    used--;
  }

  /** The number of texts of the picture so far. */
  public int count() {
    return used;
  }

  /** Shows all texts except those within an area; null for no such area. */
  void cover(@Nullable Bounds cover) {
    for (Text text : texts) {
      boolean covered = cover != null && text.getBoundsInParent().intersects(cover);
      text.setOpacity(covered ? 0 : 1);
    }
  }

  /** Ends a picture: hides the texts that it does not need. */
  public void end() {
    for (int i = used; i < texts.size(); i++) {
      texts.get(i).setVisible(false);
    }
  }
}
