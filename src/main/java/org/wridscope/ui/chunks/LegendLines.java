// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.ArrayList;
import java.util.List;
import javafx.geometry.Orientation;
import javafx.scene.Node;
import javafx.scene.layout.Pane;

/**
 * Lays items out in as few lines as possible, with about the same number in each line, aligned in
 * columns. Each line begins with a head.
 */
final class LegendLines extends Pane {
  private static final double BETWEEN = 2;

  private final List<Node> items;
  private List<Node> heads = List.of();

  LegendLines(List<? extends Node> items) {
    this.items = List.copyOf(items);
    getChildren().setAll(this.items);
  }

  /** Sets the heads: one for each possible line, so as many as there are items. */
  void setHeads(List<? extends Node> newHeads) {
    getChildren().removeAll(heads);
    heads = List.copyOf(newHeads);
    getChildren().addAll(heads);
  }

  private double headWidth() {
    return heads.stream().mapToDouble(head -> head.prefWidth(-1)).max().orElse(0);
  }

  private double lineHeight() {
    return getChildren().stream().mapToDouble(node -> node.prefHeight(-1)).max().orElse(0);
  }

  /** Widths of the columns, given the number of items in a line. */
  private List<Double> columns(int perLine) {
    var widths = new ArrayList<Double>();
    for (int i = 0; i < items.size(); i++) {
      double width = Math.ceil(items.get(i).prefWidth(-1));
      if (i < perLine) {
        widths.add(width);
      } else {
        widths.set(i % perLine, Math.max(width, widths.get(i % perLine)));
      }
    }
    return widths;
  }

  /** The number of items in a line. */
  private int perLine(double width) {
    for (int lines = 1; lines < items.size(); lines++) {
      int perLine = Math.ceilDiv(items.size(), lines);
      double needed =
          headWidth() + columns(perLine).stream().mapToDouble(Double::doubleValue).sum();
      if (needed <= width) {
        return perLine;
      }
    }
    return 1;
  }

  @Override
  public Orientation getContentBias() {
    return Orientation.HORIZONTAL;
  }

  @Override
  protected double computePrefHeight(double width) {
    int lines = Math.ceilDiv(items.size(), width < 0 ? items.size() : perLine(width));
    return lines * (lineHeight() + BETWEEN) - BETWEEN;
  }

  @Override
  protected void layoutChildren() {
    int perLine = perLine(getWidth());
    List<Double> columns = columns(perLine);
    double height = lineHeight();
    double x = 0;
    for (int i = 0; i < items.size(); i++) {
      int column = i % perLine;
      if (column == 0) {
        x = headWidth();
      }
      int line = i / perLine;
      items.get(i).resizeRelocate(x, line * (height + BETWEEN), columns.get(column), height);
      x += columns.get(column);
    }
    for (int line = 0; line < heads.size(); line++) {
      Node head = heads.get(line);
      head.setVisible(line * perLine < items.size());
      head.resizeRelocate(0, line * (height + BETWEEN), headWidth(), height);
    }
  }
}
