// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.ui.chunks.ChunkMapLayout.Hit;
import org.wridscope.ui.chunks.ChunkMapLayout.Place;

final class ChunkMapLayoutTest {

  private static ChunkMapLayout layout(int width, int height, double scale, int[]... shape) {
    var layout = new ChunkMapLayout();
    layout.setShape(shape);
    layout.resize(width, height, scale);
    return layout;
  }

  @ParameterizedTest
  @CsvSource({"800,500,1", "800,500,2", "1600,1000,2", "300,200,1", "1234,777,1.25"})
  void fit_ofAGuest_showsEveryChunk(int width, int height, double scale) {
    for (int ram : new int[] {1, 100, 8192, 100_000, 1 << 20}) {
      ChunkMapLayout layout = layout(width, height, scale, new int[] {ram, 16, 1, 1});
      String what = "%d chunks".formatted(ram);
      for (Strip strip : layout.strips()) {
        Place last = layout.placeOf(strip, strip.chunks() - 1);
        assertThat(last.y() + last.height()).as(what).isLessThanOrEqualTo(height);
        assertThat(last.x() + last.width()).as(what).isLessThanOrEqualTo(width);
        assertThat((long) strip.rows() * strip.columns())
            .as(what)
            .isGreaterThanOrEqualTo(strip.chunks());
        assertThat(last.height() * (double) strip.rows()).as(what).isGreaterThan(2.9 * scale);
      }
    }
  }

  @Test
  void fit_ofATinyBlockBesideALargeOne_leavesItVisible() {
    ChunkMapLayout layout = layout(800, 500, 1, new int[] {1 << 20, 1});
    Place tiny = layout.placeOf(layout.strips().get(1), 0);
    assertThat(tiny.width()).isGreaterThanOrEqualTo(16);
    assertThat(tiny.height()).isGreaterThanOrEqualTo(16);
  }

  @Test
  void fit_ofTwoLargeBlocks_isToScale() {
    ChunkMapLayout layout = layout(800, 500, 1, new int[] {40_000, 20_000});
    Strip large = layout.strips().get(0);
    Strip small = layout.strips().get(1);
    double share = large.rows() * large.row() / (small.rows() * small.row());
    assertThat(share).isBetween(1.9, 2.1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void hit_ofAPointInAChunksPlace_findsThatChunk(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 60; round++) {
      ChunkMapLayout layout = random(random);
      for (int i = 0; i < 50; i++) {
        Strip strip = layout.strips().get(random.nextInt(layout.strips().size()));
        int chunk = random.nextInt(strip.chunks());
        Place place = layout.placeOf(strip, chunk);
        int x = place.x() + random.nextInt(place.width());
        int y = place.y() + random.nextInt(place.height());
        if (x >= 0 && x < layout.width()) {
          Hit hit = layout.hit(x, y);
          String what = "seed %d, round %d, chunk %d at %s".formatted(seed, round, chunk, place);
          assertThat(hit).as(what).isNotNull();
          assertThat(hit.strip()).as(what).isSameAs(strip);
          assertThat(chunk).as(what).isBetween(hit.chunk(), hit.chunk() + hit.count() - 1);
          if (strip.cell() >= 1) {
            assertThat(hit.count()).as(what).isEqualTo(1);
          }
        }
      }
    }
  }

  private static ChunkMapLayout random(SplittableRandom random) {
    int ram = 1 << random.nextInt(1, 20);
    int[] shape = {ram, random.nextInt(1, 40), 1};
    int[][] ends = random.nextBoolean() ? new int[][] {shape} : new int[][] {shape, shape};
    ChunkMapLayout layout =
        layout(random.nextInt(20, 1000), random.nextInt(20, 700), random.nextInt(1, 3), ends);
    for (int i = random.nextInt(5); i > 0; i--) {
      layout.zoom(
          random.nextDouble(0.5, 6),
          random.nextDouble(layout.width()),
          random.nextDouble(layout.height()));
      layout.pan(
          random.nextDouble(-300, 300),
          random.nextDouble(-300, 300),
          random.nextDouble(layout.height()));
    }
    return layout;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void zoom_aboutAPoint_keepsTheChunkThatIsThere(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      ChunkMapLayout layout = layout(800, 500, 1, new int[] {1 << 20, 16, 1});
      layout.zoom(random.nextDouble(2, 20), 400, 200);
      int x = random.nextInt(200, 600);
      int y = random.nextInt(150, 250);
      Hit before = layout.hit(x, y);
      assertThat(before).isNotNull();
      layout.zoom(1.25, x, y);
      Hit after = layout.hit(x, y);
      String what = "seed %d, round %d, (%d,%d)".formatted(seed, round, x, y);
      assertThat(after).as(what).isNotNull();
      int columns = before.strip().columns();
      int slack = (int) Math.ceil(3 / after.strip().cell());
      assertThat(Math.abs(after.chunk() / columns - before.chunk() / columns))
          .as(what)
          .isLessThanOrEqualTo(1);
      assertThat(Math.abs(after.chunk() % columns - before.chunk() % columns))
          .as(what)
          .isLessThanOrEqualTo(slack);
    }
  }

  @Test
  void zoom_beyondTheEnds_stopsAtOneChunkAndAtAll() {
    ChunkMapLayout layout = layout(800, 500, 1, new int[] {1 << 20});
    layout.zoom(1e9, 100, 100);
    Strip strip = layout.strips().getFirst();
    assertThat(strip.cell()).isBetween(31.9, 32.1);
    assertThat(strip.row()).isBetween(31.9, 32.1);
    layout.zoom(1e-9, 100, 100);
    assertThat(layout.zoom()).isEqualTo(1);
    assertThat(layout.hit(0, 0)).isNotNull();
    assertThat(layout.hit(0, 0).chunk()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void reveal_ofAnyChunk_bringsItIntoSight(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      ChunkMapLayout layout = layout(600, 400, 1, new int[] {100_000, 16}, new int[] {100_000, 16});
      layout.zoom(random.nextDouble(1, 40), random.nextDouble(600), random.nextDouble(400));
      Strip strip = layout.strips().get(random.nextInt(4));
      int chunk = random.nextInt(strip.chunks());
      layout.reveal(strip, chunk);
      Place place = layout.placeOf(strip, chunk);
      String what = "seed %d, round %d, chunk %d at %s".formatted(seed, round, chunk, place);
      assertThat(place.x()).as(what).isBetween(-1, 600 - place.width() + 1);
      assertThat(place.y()).as(what).isBetween(-1, 400 - place.height() + 1);
      assertThat(layout.reveal(strip, chunk)).as(what).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"0,0", "0,300", "300,0", "1,1"})
  void resize_toNothing_isHarmless(int width, int height) {
    ChunkMapLayout layout = layout(width, height, 1, new int[] {8192, 16}, new int[0]);
    layout.zoom(2, 0, 0);
    layout.pan(5, 5, 0);
    layout.fit();
    assertThat(layout.hit(width, height)).isNull();
    layout.resize(400, 300, 1);
    assertThat(layout.hit(0, (int) layout.headingHeight())).isNotNull();
  }

  @Test
  void hit_betweenStripsAndBesideThem_isNothing() {
    ChunkMapLayout layout = layout(800, 500, 1, new int[] {8192, 16});
    Strip small = layout.strips().get(1);
    assertThat(layout.hit(0, small.y() - 2)).isNull();
    assertThat(layout.hit(799, small.y() + 2)).isNull();
    assertThat(layout.hit(-1, 5)).isNull();
    assertThat(layout.hit(5, -1)).isNull();
  }
}
