// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ShownState;
import org.wridscope.ui.Palette;
import org.wridscope.ui.raster.Argb;
import org.wridscope.ui.raster.Pixels;

/**
 * Draws a chunk map: all of it, or only the cells of chunks that changed. If chunks share a pixel,
 * it has the colour of the state that matters most, and the strongest glow of them.
 */
final class ChunkMapPainter {
  /** From this size on, cells have a shape as well as a colour; in units of the scene graph. */
  static final int SHAPED_CELL = 9;

  private static final int STATES = ShownState.values().length;
  private static final int[] RANKS = ranks();
  private static final double GLOW_SHARE = 0.45;
  private static final double DIMMED_SHARE = 0.16;
  private static final double SHAPE_SHARE = 0.55;

  private final Pixels pixels;
  private final ChunkMapLayout layout;
  private final int[][] colours = new int[STATES][ChunkMapModel.GLOW + 1];
  private final int[][] shapes = new int[STATES][ChunkMapModel.GLOW + 1];
  private final int[] outside = new int[STATES];
  private List<ChunkMapModel> models = List.of();
  private List<ConcernedChunks> concerned = List.of();
  private int ground;
  private int shapedFrom = SHAPED_CELL;

  // The cell that changed last; it is drawn when a change of another cell is reported.
  private @Nullable Strip pending;
  private int pendingRow;
  private int pendingFrom;
  private int pendingTo;
  private @Nullable Strip strip;
  private int end;

  ChunkMapPainter(Pixels pixels, ChunkMapLayout layout) {
    this.pixels = pixels;
    this.layout = layout;
    setColours(true, null);
  }

  /** Sets what to draw, one model for each end of the layout. */
  void setModels(List<ChunkMapModel> models) {
    this.models = models;
    strip = null;
    pending = null;
  }

  /** Sets which chunks are not dimmed, one set for each end; empty to dim none. */
  void setConcerned(List<ConcernedChunks> concerned) {
    this.concerned = concerned;
  }

  /** Sets the number of pixels for each unit of the scene graph. */
  void setScale(double scale) {
    shapedFrom = (int) Math.round(SHAPED_CELL * scale);
  }

  /**
   * Chooses colours.
   *
   * @param single the only state that is not dimmed; null to dim none
   */
  void setColours(boolean dark, @Nullable ShownState single) {
    ground = Palette.GROUND.argb(dark);
    int bright = dark ? 0xffffffff : 0xff000000;
    for (int i = 0; i < STATES; i++) {
      ShownState state = ShownState.of(i);
      int full = Argb.mix(ground, Palette.of(state).argb(dark), weight(state));
      outside[i] = Argb.mix(ground, full, DIMMED_SHARE);
      int colour = single == null || single == state ? full : outside[i];
      for (int level = 0; level <= ChunkMapModel.GLOW; level++) {
        double share = GLOW_SHARE * level / ChunkMapModel.GLOW;
        boolean dimmed = single != null && single != state;
        colours[i][level] = dimmed ? colour : Argb.mix(colour, bright, share * (dark ? 1 : 0.7));
        shapes[i][level] = Argb.mix(colours[i][level], ground, dimmed ? 0.2 : SHAPE_SHARE);
      }
    }
  }

  /** Weakens states that fill most of the map in the end, so that activity stands out. */
  private static double weight(ShownState state) {
    return switch (state) {
      case SENT -> 0.55;
      case ZERO -> 0.75;
      case GIVEN_BACK -> 0.8;
      case NOT_REGISTERED, REGISTERED, DIRTY_AGAIN, IN_TRANSIT, QUEUED, PUT_OFF -> 1;
    };
  }

  private static int[] ranks() {
    return Arrays.stream(ShownState.values()).mapToInt(ShownState::rank).toArray();
  }

  /** The colour of cells in a state and with a glow. */
  int colourOf(ShownState state, int glow) {
    return colours[state.ordinal()][glow];
  }

  int ground() {
    return ground;
  }

  /** Draws everything in view. */
  void paintAll() {
    pending = null;
    pixels.clear(ground);
    for (Strip each : layout.strips()) {
      int first = Math.max(0, each.rowAt(0));
      int last = Math.min(each.rows() - 1, each.rowAt(Math.max(0, pixels.height() - 1)));
      for (int row = first; row <= last; row++) {
        int column = Math.max(0, each.columnAt(0));
        while (column < each.columns() && each.xOf(column) < pixels.width()) {
          int next = nextCell(each, column);
          paint(each, row, column, next);
          column = next;
        }
      }
    }
  }

  /** The first column of the cell after the one that begins with this column. */
  private static int nextCell(Strip strip, int column) {
    return strip.cell() >= 1
        ? column + 1
        : Math.min(strip.columns(), strip.firstColumnAt(strip.xOf(column) + 1));
  }

  /** Sets the end of the next changes. */
  void select(int which) {
    flush();
    end = which;
    strip = null;
  }

  /**
   * Marks chunks from {@code from} to before {@code to} as changed, ascending within a block;
   * {@link #flush} draws them at the latest.
   */
  void changed(int block, int from, int to) {
    Strip own = strip;
    if (own == null || own.block() != block) {
      flush();
      own = layout.stripOf(end, block);
      strip = own;
      if (own == null) {
        return;
      }
    }
    int columns = own.columns();
    int row = from / columns;
    int column = from - row * columns;
    for (int left = to - from; left > 0; row++) {
      int stop = Math.min(columns, column + left);
      if (own.yOf(row + 1) > 0 && own.yOf(row) < pixels.height()) {
        touch(own, row, column, stop);
      }
      left -= stop - column;
      column = 0;
    }
  }

  /** Marks the cells of some columns of a row as changed. */
  private void touch(Strip own, int row, int from, int to) {
    int stop = Math.min(to, own.firstColumnAt(pixels.width()));
    int column = Math.max(from, own.columnAt(0));
    if (own.cell() < 1 && column < stop) {
      column = own.firstColumnAt(own.xOf(column));
    }
    while (column < stop) {
      int next = nextCell(own, column);
      if (own != pending || row != pendingRow || column != pendingFrom) {
        flush();
        pending = own;
        pendingRow = row;
        pendingFrom = column;
        pendingTo = next;
      }
      column = next;
    }
  }

  /** Draws the pending cell. */
  void flush() {
    if (pending != null) {
      paint(pending, pendingRow, pendingFrom, pendingTo);
      pending = null;
    }
  }

  private void paint(Strip own, int row, int from, int to) {
    ChunkMapModel model = models.get(own.end());
    int first = row * own.columns() + from;
    int stop = Math.min(own.chunks(), row * own.columns() + to);
    if (first >= stop) {
      return;
    }
    byte[] states = model.states(own.block());
    byte[] glow = model.glow(own.block());
    int state = 0;
    int level = 0;
    for (int i = first; i < stop; i++) {
      state = RANKS[states[i]] > RANKS[state] ? states[i] : state;
      level = Math.max(level, glow[i]);
    }
    int x0 = own.xOf(from);
    int y0 = own.yOf(row);
    int edge = layout.hasEdges(own) ? layout.edge() : 0;
    int x1 = own.xOf(to) - edge;
    int y1 = own.yOf(row + 1) - edge;
    boolean dimmed =
        !concerned.isEmpty() && !concerned.get(own.end()).has(own.block(), first, stop);
    int colour = dimmed ? outside[state] : colours[state][level];
    if (x1 - x0 <= 1 && x0 >= 0 && x0 < pixels.width()) {
      int[] argb = pixels.argb();
      int below = Math.min(y1, pixels.height());
      for (int y = Math.max(0, y0); y < below; y++) {
        argb[y * pixels.stride() + x0] = colour;
      }
    } else {
      pixels.fill(x0, y0, x1, y1, colour);
      if (!dimmed && edge > 0 && Math.min(x1 - x0, y1 - y0) >= shapedFrom) {
        shape(pixels, ShownState.of(state), x0, y0, x1, y1, shapes[state][level]);
      }
    }
  }

  /** Fills a picture with a cell in this state, for a legend. */
  void paintSample(Pixels into, ShownState state) {
    int i = state.ordinal();
    into.clear(colours[i][0]);
    shape(into, state, 0, 0, into.width(), into.height(), shapes[i][0]);
  }

  /** Draws the shape of a state, which distinguishes it without its colour. */
  private static void shape(
      Pixels into, ShownState state, int x0, int y0, int x1, int y1, int colour) {
    int right = Math.min(x1, into.width());
    int bottom = Math.min(y1, into.height());
    for (int y = Math.max(0, y0); y < bottom; y++) {
      double v = (y + 0.5 - y0) / (y1 - y0) - 0.5;
      for (int x = Math.max(0, x0); x < right; x++) {
        double u = (x + 0.5 - x0) / (x1 - x0) - 0.5;
        if (isInShape(state, u, v)) {
          into.argb()[y * into.stride() + x] = colour;
        }
      }
    }
  }

  /** Coordinates range from -0.5 to 0.5; the corners belong to no shape. */
  private static boolean isInShape(ShownState state, double u, double v) {
    return switch (state) {
      case NOT_REGISTERED, SENT -> false;
      case ZERO -> {
        double square = u * u + v * v;
        yield square >= 0.035 && square <= 0.11;
      }
      case REGISTERED -> Math.abs(u + v) < 0.11 && Math.max(Math.abs(u), Math.abs(v)) < 0.36;
      case DIRTY_AGAIN ->
          Math.min(Math.abs(u + v), Math.abs(u - v)) < 0.1
              && Math.max(Math.abs(u), Math.abs(v)) < 0.34;
      case IN_TRANSIT -> u > -0.26 && Math.abs(v) < (0.34 - u) * 0.62;
      case QUEUED -> u < 0.26 && Math.abs(v) < (0.34 + u) * 0.62;
      case PUT_OFF -> Math.abs(u) > 0.08 && Math.abs(u) < 0.26 && Math.abs(v) < 0.3;
      case GIVEN_BACK -> Math.abs(v) < 0.1 && Math.abs(u) < 0.32;
    };
  }
}
