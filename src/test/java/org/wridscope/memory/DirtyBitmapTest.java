// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DirtyBitmapTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 63, 64, 65, 127, 128, 129, 1000, 4096, 5003})
  void behavesAsABitSet(int pages) {
    for (long seed = 1; seed <= 8; seed++) {
      compareWithBitSet(pages, seed);
    }
  }

  private static void compareWithBitSet(int pages, long seed) {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    DirtyBitmap bitmap = new DirtyBitmap(pages);
    BitSet model = new BitSet(pages);
    for (int i = 0; i < 400; i++) {
      switch (random.nextInt(12)) {
        case 0 -> {
          bitmap.setAll();
          model.set(0, pages);
        }
        case 1, 2, 3 -> {
          int from = random.nextInt(pages + 1);
          int to = random.nextInt(from, pages + 1);
          bitmap.clear(from, to);
          model.clear(from, to);
        }
        case 4, 5, 6, 7 -> {
          int word = random.nextInt(bitmap.wordCount());
          long bits = random.nextLong() >>> random.nextInt(64);
          bitmap.or(word, bits);
          for (int bit = 0; bit < 64; bit++) {
            if ((bits & 1L << bit) != 0 && word * 64 + bit < pages) {
              model.set(word * 64 + bit);
            }
          }
        }
        default -> {
          int page = random.nextInt(pages);
          bitmap.set(page);
          model.set(page);
        }
      }
      assertSame(bitmap, model, random, "seed %d, round %d".formatted(seed, i));
    }
    for (int page = 0; page < pages; page++) {
      assertThat(bitmap.get(page)).as("seed %d, page %d", seed, page).isEqualTo(model.get(page));
    }
  }

  private static void assertSame(
      DirtyBitmap bitmap, BitSet model, RandomGenerator random, String when) {
    int pages = (int) bitmap.pages();
    assertThat(bitmap.count()).as(when).isEqualTo(model.cardinality());
    for (int i = 0; i < 4; i++) {
      int from = random.nextInt(pages + 1);
      int set = model.nextSetBit(from);
      assertThat(bitmap.nextSet(from)).as(when).isEqualTo(set < 0 ? pages : set);
      assertThat(bitmap.nextClear(from))
          .as(when)
          .isEqualTo(Math.min(pages, model.nextClearBit(from)));
      int to = random.nextInt(from, pages + 1);
      assertThat(bitmap.nextClear(from, to))
          .as(when)
          .isEqualTo(Math.min(to, model.nextClearBit(from)));
    }
  }

  @Test
  void set_aPageThatTheBlockHasNot_isRefused() {
    DirtyBitmap bitmap = new DirtyBitmap(65);
    assertThatThrownBy(() -> bitmap.set(65)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> bitmap.set(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> bitmap.get(127)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> bitmap.clear(64, 66)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> bitmap.clear(3, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(bitmap.count()).isZero();
  }

  @Test
  void aBlockWithoutPages_hasNoBitmap() {
    assertThatThrownBy(() -> new DirtyBitmap(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 pages");
  }
}
