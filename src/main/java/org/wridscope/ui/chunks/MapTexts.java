// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javafx.scene.text.Text;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkTable;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.chart.ChartText;

/** The texts of a chunk map: names and sizes of the RAM blocks, and headings of the ends. */
final class MapTexts {
  /** Least and largest width of the labels at the left of the map. */
  private static final double LEAST_WIDTH = 124;

  private static final double MOST_WIDTH = 200;

  private static final double ONE_LINE = 10;
  private static final double TWO_LINES = 27;
  private static final double MARGIN = 6;

  private final ChunkMapLayout layout;
  private final Text empty = unmanaged(ChartText.normal());
  private final List<Text> labels = new ArrayList<>();
  private final List<Text> headings = new ArrayList<>();
  private List<Session> ends = List.of();
  private List<List<ChunkTable>> blocks = List.of();
  private boolean dark = true;
  private double width = LEAST_WIDTH;

  MapTexts(ChunkMapLayout layout) {
    this.layout = layout;
  }

  private static Text unmanaged(Text text) {
    text.setManaged(false);
    return text;
  }

  /** Makes the texts of other RAM blocks, which the layout has already. */
  void show(List<Session> newEnds, List<List<ChunkTable>> newBlocks) {
    ends = newEnds;
    blocks = newBlocks;
    labels.clear();
    headings.clear();
    layout.strips().forEach(_ -> labels.add(unmanaged(ChartText.small())));
    if (ends.size() > 1) {
      ends.forEach(_ -> headings.add(unmanaged(ChartText.normal())));
    }
    width = LEAST_WIDTH;
    Text measured = ChartText.small();
    blocks.stream()
        .flatMap(List::stream)
        .forEach(block -> {
          measured.setText(block.name());
          width = Math.max(width, measured.getLayoutBounds().getWidth() + 2 * MARGIN + 1);
        });
    width = Math.min(MOST_WIDTH, Math.ceil(width));
    empty.setVisible(layout.strips().isEmpty());
    empty.setText(
        ends.isEmpty()
            ? "Select a migration to see the chunks of its RAM."
            : ends.stream().allMatch(end -> end.status().isEnd())
                ? "The migration ended before both sides exchanged their RAM blocks."
                : "The RAM blocks appear here once both sides have exchanged them.");
    theme(dark);
  }

  /** The labels and headings. */
  List<Text> nodes() {
    return Stream.concat(labels.stream(), headings.stream()).toList();
  }

  /**
   * Width of the labels at the left of the map, in units of the scene graph: the names are whole,
   * unless one is very long.
   */
  double width() {
    return width;
  }

  /** The text shown instead of a map. */
  Text empty() {
    return empty;
  }

  void theme(boolean darkTheme) {
    dark = darkTheme;
    labels.forEach(label -> label.setFill(Palette.TEXT.color(dark)));
    headings.forEach(heading -> heading.setFill(Palette.CURSOR.color(dark)));
    empty.setFill(Palette.TEXT.color(dark));
  }

  /** Puts the empty text into the middle of a region of this size. */
  void centreEmpty(double width, double height) {
    empty.setWrappingWidth(Math.max(0, Math.min(360, width - 16)));
    empty.relocate(
        Math.rint((width - empty.getLayoutBounds().getWidth()) / 2),
        Math.rint((height - empty.getLayoutBounds().getHeight()) / 2));
  }

  /**
   * Places the texts beside their strips.
   *
   * @param scale pixels for each unit of the scene graph
   * @param pixels height of the view in pixels
   * @param height of the view in units of the scene graph
   * @param labelled whether there is space for labels
   */
  void layOut(double scale, int pixels, double height, boolean labelled) {
    List<Strip> strips = layout.strips();
    for (int i = 0; i < strips.size(); i++) {
      placeLabel(labels.get(i), strips.get(i), scale, pixels, labelled);
    }
    for (int end = 0; end < headings.size(); end++) {
      double y = layout.headingOf(end) / scale;
      Text heading = headings.get(end);
      heading.setVisible(y > -layout.headingHeight() / scale && y < height);
      heading.setText(
          SessionPair.heading(ends.get(end))
              + (blocks.get(end).isEmpty() ? ": its RAM blocks are not known yet" : ""));
      heading.relocate(MARGIN, Math.rint(y + 2));
    }
  }

  private void placeLabel(Text label, Strip strip, double scale, int pixels, boolean labelled) {
    double top = Math.max(0, strip.y() / scale);
    double bottom = Math.min(pixels, ChunkMapLayout.bottomOf(strip)) / scale;
    label.setVisible(labelled && bottom - top >= ONE_LINE);
    if (label.isVisible()) {
      ChunkTable block = blocks.get(strip.end()).get(strip.block());
      String size = Format.bytes(block.length());
      boolean tall = bottom - top >= TWO_LINES;
      fit(label, block.name(), tall ? "\n" + size : "  " + size);
      double labelHeight = label.getLayoutBounds().getHeight();
      double y = tall ? top : Math.min(top, (top + bottom - labelHeight) / 2);
      label.relocate(MARGIN, Math.rint(Math.max(0, y)));
    }
  }

  /**
   * Sets a name and a size. If there is no room for both, the size gives way, and then the middle
   * of the name, because names of QEMU's RAM blocks differ at both ends: the device, and what it
   * is.
   */
  private void fit(Text label, String name, String size) {
    double room = width - 2 * MARGIN;
    label.setText(name + size);
    if (label.getLayoutBounds().getWidth() > room && size.charAt(0) != '\n') {
      label.setText(name);
    }
    for (int kept = name.length() - 2;
        kept >= 2 && label.getLayoutBounds().getWidth() > room;
        kept--) {
      label.setText(
          name.substring(0, kept / 2)
              + "…"
              + name.substring(name.length() - (kept - kept / 2))
              + (size.charAt(0) == '\n' ? size : ""));
    }
  }
}
