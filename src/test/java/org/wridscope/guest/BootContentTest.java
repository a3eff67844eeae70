// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.ZeroPages;

final class BootContentTest {

  private static long zeroPages(BootContent content, long pages) {
    long zero = 0;
    for (long page = 0; page < pages; page++) {
      zero += content.isZero(page) ? 1 : 0;
    }
    return zero;
  }

  @ParameterizedTest
  @ValueSource(longs = {64, 512, 1000, 4096, 4099, 5000, 262144})
  void isZero_anyShare_holdsForThatShareOfTheBlock(long pages) {
    for (double share : new double[] {0, 0.01, 0.1, 1 / 3.0, 0.4, 0.5, 0.9, 0.99, 1}) {
      BootContent content = new BootContent(3, 0, pages, share);
      assertThat((double) zeroPages(content, pages))
          .as("share %s of %d pages", share, pages)
          .isCloseTo(pages * share, within(Math.max(1, pages * 0.01)));
    }
  }

  @Test
  void isZero_mostZeroPagesLieInHugePages_andSomeAlone() {
    long pages = 64 * BootContent.REGION;
    BootContent content = new BootContent(1, 0, pages, 0.4);
    long inExtents = 0;
    long alone = 0;
    for (long page = 0; page < pages; page += BootContent.REGION) {
      long zero = 0;
      for (long i = page; i < page + BootContent.REGION; i++) {
        zero += content.isZero(i) ? 1 : 0;
        boolean last = i + 1 == pages;
        if (content.isZero(i) && (i == 0 || !content.isZero(i - 1))) {
          alone += last || !content.isZero(i + 1) ? 1 : 0;
        }
      }
      inExtents += zero == BootContent.REGION ? zero : 0;
    }
    double zero = pages * 0.4;
    assertThat(inExtents / zero).isBetween(0.85, 0.97);
    assertThat(alone / zero).isBetween(0.03, 0.15);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "700, 0.3", "1536, 0.5", "2000, 1"})
  void fill_andPage_agree(int pages, double share) {
    BootContent content = new BootContent(-9, 2, pages, share);
    long[] words = new long[BootContent.WORDS];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate((long) pages * RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE);
      for (int region = 0; region < content.regions(); region++) {
        content.fill(memory, region);
      }
      for (int page = 0; page < pages; page++) {
        content.page(page, words);
        long offset = (long) page * RamBlock.PAGE_SIZE;
        MemorySegment filled = memory.asSlice(offset, RamBlock.PAGE_SIZE);
        assertThat(filled.mismatch(MemorySegment.ofArray(words))).as("page %d", page).isEqualTo(-1);
        assertThat(ZeroPages.isZero(memory, offset, RamBlock.PAGE_SIZE))
            .as("page %d", page)
            .isEqualTo(content.isZero(page));
      }
    }
  }

  @Test
  void pages_areAllDifferent() {
    BootContent content = new BootContent(5, 0, 20_000, 0);
    Set<Long> first = new HashSet<>();
    long[] words = new long[BootContent.WORDS];
    for (long page = 0; page < 20_000; page++) {
      content.page(page, words);
      assertThat(first.add(words[0])).as("page %d", page).isTrue();
    }
  }

  @Test
  void theSameSeed_givesTheSame_andAnotherSeedOrBlockSomethingElse() {
    assertThat(image(1, 0)).isEqualTo(image(1, 0));
    assertThat(image(1, 0)).isNotEqualTo(image(2, 0)).isNotEqualTo(image(1, 1));
  }

  private static byte[] image(long seed, int block) {
    int pages = 1100;
    BootContent content = new BootContent(seed, block, pages, 0.5);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate((long) pages * RamBlock.PAGE_SIZE, 8);
      for (int region = 0; region < content.regions(); region++) {
        content.fill(memory, region);
      }
      return memory.toArray(ValueLayout.JAVA_BYTE);
    }
  }
}
