// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.AccessibleRole;
import javafx.scene.control.Label;
import javafx.scene.control.OverrunStyle;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.Region;

/**
 * A whole as one bar, with a stretch for each of its parts. A stretch has the longest of its texts
 * that fits into it.
 */
public final class PartsBar extends Region {
  /** About the width of a letter. */
  private static final double LETTER = 7.2;

  private final double height;
  private final List<Label> labels = new ArrayList<>();
  private List<Stretch> shown = List.of();

  /**
   * A part of the whole.
   *
   * @param style class in the style sheet
   * @param tooltip what it is
   */
  public record Part(String style, String tooltip) {}

  /**
   * The present share of a part.
   *
   * @param share 0 to 1; a part of 0 is not shown
   * @param texts alternatives to write in it, the longest first
   */
  public record Stretch(double share, List<String> texts) {}

  /**
   * Makes an empty bar.
   *
   * @param style class of all parts
   * @param parts from left to right; they keep that order
   */
  public PartsBar(String style, double height, List<Part> parts) {
    this.height = height;
    setAccessibleRole(AccessibleRole.TEXT);
    for (Part part : parts) {
      var label = new Label();
      label.getStyleClass().addAll(style, part.style());
      label.setTooltip(new Tooltip(part.tooltip()));
      label.setTextOverrun(OverrunStyle.CLIP);
      label.setManaged(false);
      label.setVisible(false);
      labels.add(label);
      getChildren().add(label);
    }
  }

  /**
   * Shows other shares.
   *
   * @param stretches one for each part, in their order
   * @param spoken the same in words, for screen readers
   */
  public void set(List<Stretch> stretches, String spoken) {
    if (!stretches.equals(shown)) {
      shown = List.copyOf(stretches);
      setAccessibleText(spoken);
      requestLayout();
    }
  }

  @Override
  protected void layoutChildren() {
    double x = 0;
    for (int i = 0; i < shown.size(); i++) {
      Stretch stretch = shown.get(i);
      double width = Math.rint(getWidth() * stretch.share());
      String text =
          stretch.texts().stream()
              .filter(each -> width > LETTER * each.length() + 2)
              .findFirst()
              .orElse("");
      Label label = labels.get(i);
      label.setText(text);
      label.setVisible(stretch.share() > 0);
      label.resizeRelocate(x, 0, Math.max(1, width - 1), height);
      x += width;
    }
  }

  @Override
  protected double computePrefHeight(double width) {
    return height;
  }

  @Override
  protected double computeMinHeight(double width) {
    return height;
  }
}
