// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ZeroPagesTest {
  private static final long LINE = 64;

  @ParameterizedTest
  @CsvSource({"5, 1", "17, 61"})
  void isZero_aByteThatIsNotAnywhereInTheRange_isFalse(long count, int stride) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pages = arena.allocate(count * RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE);
      assertThat(ZeroPages.isZero(pages, 0, pages.byteSize())).isTrue();
      for (long at = 0; at < pages.byteSize(); at += stride) {
        pages.set(ValueLayout.JAVA_BYTE, at, (byte) (1 << at % 8));
        assertThat(ZeroPages.isZero(pages, 0, pages.byteSize())).as("byte %d", at).isFalse();
        pages.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
      }
    }
  }

  @Test
  void isZero_anyRangeOfLines_looksAtThatRangeOnly() {
    long seed = 20250101;
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(40 * RamBlock.PAGE_SIZE, 8);
      for (int i = 0; i < 3000; i++) {
        long lines = memory.byteSize() / LINE - 1;
        // It may begin at any long.
        long from = LINE * random.nextLong(lines) + 8 * random.nextLong(8);
        long to = from + LINE * random.nextLong(lines - from / LINE + 1);
        memory.fill((byte) -1);
        memory.asSlice(from, to - from).fill((byte) 0);
        boolean zero = to == from || random.nextBoolean();
        if (!zero) {
          memory.set(ValueLayout.JAVA_BYTE, random.nextLong(from, to), (byte) 0x80);
        }
        assertThat(ZeroPages.isZero(memory, from, to - from))
            .as("seed %d, round %d, bytes %d to %d", seed, i, from, to)
            .isEqualTo(zero);
      }
    }
  }
}
