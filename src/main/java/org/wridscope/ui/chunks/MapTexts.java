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
  /** Width of the labels at the left of the map, in units of the scene graph. */
  static final double WIDTH = 124;

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
   * Sets a name and a size, and shortens the name until they fit: at the left, because the names of
   * QEMU's RAM blocks often begin with the same path or slot.
   */
  private static void fit(Text label, String name, String size) {
    String shortened = name;
    label.setText(name + size);
    while (label.getLayoutBounds().getWidth() > WIDTH - 2 * MARGIN && shortened.length() > 2) {
      shortened = shortened.substring(1);
      label.setText("…" + shortened + size);
    }
  }
}
