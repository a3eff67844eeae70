// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.ShownState;
import org.wridscope.text.Format;

/**
 * Draws the chunks of RAM blocks, row by row; in large blocks, a cell stands for several chunks.
 */
final class ChunkPicture {
  private static final int COLUMNS = 64;
  private static final int MOST_CELLS = COLUMNS * 64;

  /** Distance of neighbouring cells, including a gap of one unit. */
  private static final int PITCH = 10;

  private static final int MOST_BLOCKS = 16;
  private static final ShownState[] STATES = ShownState.values();

  private ChunkPicture() {}

  static void write(Html html, List<ChunkTable> blocks) throws IOException {
    html.open("div", "class", "maps").open("p", "class", "keys");
    for (ShownState state : STATES) {
      long count = blocks.stream().mapToLong(block -> block.count(state)).sum();
      if (count > 0) {
        html.open("span", "class", "key").element("i", "", "class", "swatch " + colour(state));
        html.text("%s %s".formatted(Format.count(count), state.text())).close();
      }
    }
    html.close();
    for (ChunkTable block : blocks.subList(0, Math.min(blocks.size(), MOST_BLOCKS))) {
      block(html, block);
    }
    if (blocks.size() > MOST_BLOCKS) {
      html.element(
          "p",
          "%d more RAM blocks are not drawn.".formatted(blocks.size() - MOST_BLOCKS),
          "class",
          "muted");
    }
    html.close();
  }

  private static void block(Html html, ChunkTable block) throws IOException {
    int perCell = Math.ceilDiv(block.chunkCount(), MOST_CELLS);
    int cells = Math.ceilDiv(block.chunkCount(), perCell);
    html.open("figure", "class", "map").open("figcaption");
    html.element("strong", block.name());
    html.element("span", size(block, perCell), "class", "muted");
    html.close();
    int columns = Math.min(COLUMNS, cells);
    int rows = Math.ceilDiv(cells, COLUMNS);
    html.open(
        "svg",
        "viewBox",
        "0 0 %d %d".formatted(columns * PITCH, rows * PITCH),
        "width",
        String.valueOf(columns * PITCH),
        "role",
        "img",
        "aria-label",
        "chunks of " + block.name());
    int[] shown = new int[cells];
    for (int cell = 0; cell < cells; cell++) {
      int end = Math.min(block.chunkCount(), (cell + 1) * perCell);
      for (int chunk = cell * perCell; chunk < end; chunk++) {
        ShownState state = block.shown(chunk);
        if (state.rank() > STATES[shown[cell]].rank()) {
          shown[cell] = state.ordinal();
        }
      }
    }
    for (ShownState state : STATES) {
      String path = path(shown, state.ordinal());
      if (!path.isEmpty()) {
        html.empty("path", "class", colour(state), "d", path);
      }
    }
    html.close();
    html.close();
  }

  private static String size(ChunkTable block, int perCell) {
    long chunks = block.chunkCount();
    String text = "%s, %s".formatted(Format.bytes(block.length()), Format.counted(chunks, "chunk"));
    return perCell == 1
        ? text
        : text
            + ", %s per cell, which shows the most important state"
                .formatted(Format.count(perCell));
  }

  private static String path(int[] shown, int state) {
    var path = new StringBuilder();
    for (int cell = 0; cell < shown.length; cell++) {
      if (shown[cell] == state) {
        int size = PITCH - 1;
        path.append(
            "M%d %dh%dv%dh-%dz"
                .formatted(cell % COLUMNS * PITCH, cell / COLUMNS * PITCH, size, size, size));
      }
    }
    return path.toString();
  }

  private static String colour(ShownState state) {
    return "chunk-" + state.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
