// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.ShownState;
import org.wridscope.ui.raster.Pixels;

final class ChunkMapPainterTest {

  /**
   * Draws random changes, changed cells only, and compares every pixel with a picture of all chunks
   * that is drawn from nothing.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void changedCells_ofRandomChangesZoomsAndPans_makeTheSamePictureAsAllChunks(long seed) {
    var random = new SplittableRandom(seed);
    int ends = random.nextInt(1, 3);
    var tables = new ArrayList<List<ChunkTable>>();
    var models = new ArrayList<ChunkMapModel>();
    int[][] shape = new int[ends][];
    for (int end = 0; end < ends; end++) {
      int ram = 1 << random.nextInt(3, 17);
      List<ChunkTable> blocks =
          List.of(
              new ChunkTable(0, "pc.ram", (long) ram << 20, 0),
              new ChunkTable(1, "vga.vram", 16L << 20, 0),
              new ChunkTable(2, "pc.bios", 4096, 0));
      tables.add(blocks);
      models.add(new ChunkMapModel(blocks));
      shape[end] = blocks.stream().mapToInt(ChunkTable::chunkCount).toArray();
    }
    Pixels pixels = Pixels.of(random.nextInt(40, 300), random.nextInt(60, 260));
    double scale = random.nextInt(1, 3);
    var layout = new ChunkMapLayout();
    layout.setShape(shape);
    layout.resize(pixels.width(), pixels.height(), scale);
    var painter = new ChunkMapPainter(pixels, layout);
    painter.setScale(scale);
    painter.setModels(models);
    painter.paintAll();
    long now = 1;
    for (int round = 0; round < 60; round++) {
      if (random.nextInt(6) == 0) {
        layout.zoom(random.nextDouble(0.3, 5), random.nextInt(200), random.nextInt(200));
        layout.pan(random.nextInt(-99, 99), random.nextInt(-99, 99), random.nextInt(200));
        painter.paintAll();
      }
      now += random.nextLong(300_000_000);
      for (int end = 0; end < ends; end++) {
        change(random, tables.get(end));
        painter.select(end);
        models.get(end).update(painter::changed);
        painter.flush();
        models.get(end).fade(now, painter::changed);
      }
      painter.flush();
      compare("seed %d, round %d".formatted(seed, round), pixels, layout, painter, models, scale);
    }
  }

  private static void change(SplittableRandom random, List<ChunkTable> blocks) {
    int changes = random.nextInt(4) == 0 ? random.nextInt(3000) : random.nextInt(5);
    for (int i = 0; i < changes; i++) {
      ChunkTable block = blocks.get(random.nextInt(blocks.size()));
      int chunk = random.nextInt(block.chunkCount());
      int run = Math.min(block.chunkCount() - chunk, random.nextInt(1, 30));
      ChunkState state = ChunkState.of(random.nextInt(6));
      for (int k = 0; k < run; k++) {
        block.setState(chunk + k, state);
      }
      if (random.nextInt(3) == 0) {
        block.setReleases(chunk, chunk + run, ChunkRelease.of(random.nextInt(4)));
      }
    }
  }

  private static int higher(int state, int other) {
    return state < 0 || ShownState.of(other).rank() > ShownState.of(state).rank() ? other : state;
  }

  private static void compare(
      String what,
      Pixels pixels,
      ChunkMapLayout layout,
      ChunkMapPainter painter,
      List<ChunkMapModel> models,
      double scale) {
    int[][] state = new int[pixels.height()][pixels.width()];
    int[][] glow = new int[pixels.height()][pixels.width()];
    boolean[][] shaped = new boolean[pixels.height()][pixels.width()];
    for (int[] line : state) {
      Arrays.fill(line, -1);
    }
    for (Strip strip : layout.strips()) {
      byte[] states = models.get(strip.end()).states(strip.block());
      byte[] levels = models.get(strip.end()).glow(strip.block());
      int edge = layout.hasEdges(strip) ? layout.edge() : 0;
      for (int chunk = 0; chunk < strip.chunks(); chunk++) {
        int row = chunk / strip.columns();
        int column = chunk % strip.columns();
        int left = strip.xOf(column);
        int right = Math.max(left + 1, strip.xOf(column + 1) - edge);
        int bottom = strip.yOf(row + 1) - edge;
        boolean large =
            edge > 0
                && Math.min(right - left, bottom - strip.yOf(row))
                    >= Math.round(ChunkMapPainter.SHAPED_CELL * scale);
        for (int y = Math.max(0, strip.yOf(row)); y < Math.min(bottom, pixels.height()); y++) {
          for (int x = Math.max(0, left); x < Math.min(right, pixels.width()); x++) {
            state[y][x] = higher(state[y][x], states[chunk]);
            glow[y][x] = Math.max(glow[y][x], levels[chunk]);
            shaped[y][x] = large && x != left && y != strip.yOf(row);
          }
        }
      }
    }
    for (int y = 0; y < pixels.height(); y++) {
      for (int x = 0; x < pixels.width(); x++) {
        int expected =
            state[y][x] < 0
                ? painter.ground()
                : painter.colourOf(ShownState.of(state[y][x]), glow[y][x]);
        // A large cell may contain a shape, which another test checks.
        if (!shaped[y][x] && pixels.get(x, y) != expected) {
          assertThat(Integer.toHexString(pixels.get(x, y)))
              .as("%s, pixel (%d,%d) of %s", what, x, y, layout.hit(x, y))
              .isEqualTo(Integer.toHexString(expected));
        }
      }
    }
  }

  @Test
  void paintSample_ofEachState_differsInShapeOrHasNone() {
    var pictures = new ArrayList<String>();
    for (ShownState state : ShownState.values()) {
      Pixels sample = Pixels.of(13, 13);
      var painter = new ChunkMapPainter(Pixels.of(1, 1), new ChunkMapLayout());
      painter.paintSample(sample, state);
      var picture = new StringBuilder();
      for (int i = 0; i < 169; i++) {
        picture.append(sample.get(i % 13, i / 13) == painter.colourOf(state, 0) ? '.' : '#');
      }
      assertThat(picture.charAt(0)).isEqualTo('.');
      if (picture.indexOf("#") >= 0) {
        pictures.add(picture.toString());
      }
    }
    assertThat(pictures).hasSize(7).doesNotHaveDuplicates();
  }

  @Test
  void setColours_withASingleState_dimsAllOthers() {
    var painter = new ChunkMapPainter(Pixels.of(1, 1), new ChunkMapLayout());
    int before = painter.colourOf(ShownState.IN_TRANSIT, 0);
    int other = painter.colourOf(ShownState.DIRTY_AGAIN, 0);
    painter.setColours(true, ShownState.IN_TRANSIT);
    assertThat(painter.colourOf(ShownState.IN_TRANSIT, 0)).isEqualTo(before);
    assertThat(painter.colourOf(ShownState.DIRTY_AGAIN, 0)).isNotEqualTo(other);
    assertThat(painter.colourOf(ShownState.DIRTY_AGAIN, ChunkMapModel.GLOW))
        .isEqualTo(painter.colourOf(ShownState.DIRTY_AGAIN, 0));
  }
}
