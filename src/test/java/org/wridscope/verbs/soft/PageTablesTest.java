// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.memory.NativeMemory;

final class PageTablesTest {
  private static final int PAGE = 4096;

  @ParameterizedTest
  @CsvSource({"0, 64, 0, 64", "1, 64, 1, 63", "4095, 64, 1, 63", "4096, 63, 1, 63", "0, 1, 0, 0"})
  void onlyWholePagesOfTheRange_getMemory(long offset, long pages, int first, int count)
      throws IOException {
    try (var memory = NativeMemory.allocate(64L * PAGE)) {
      long length = offset % PAGE == 0 ? pages * PAGE : pages * PAGE - offset;
      PageTables.populate(memory.segment(), offset, length);
      for (int page = 0; page < 64; page++) {
        assertThat(isPresent(memory.segment(), page))
            .as("page %d", page)
            .isEqualTo(page >= first && page < first + count);
      }
    }
  }

  @Test
  void contents_stay() throws IOException {
    try (var memory = NativeMemory.allocate(64L * PAGE)) {
      memory.segment().set(ValueLayout.JAVA_INT, 5 * PAGE, 42);
      PageTables.populate(memory.segment(), 0, 64L * PAGE);
      assertThat(memory.segment().get(ValueLayout.JAVA_INT, 5 * PAGE)).isEqualTo(42);
    }
  }

  @Test
  void freedMemory_isNotTouched() throws IOException {
    var memory = NativeMemory.allocate(64L * PAGE);
    MemorySegment segment = memory.segment();
    memory.close();
    assertThatIllegalStateException().isThrownBy(() -> PageTables.populate(segment, 0, 64L * PAGE));
  }

  /** See pagemap(5): bit 63 of the eight bytes of a page. */
  private static boolean isPresent(MemorySegment memory, int page) throws IOException {
    try (var pagemap = new RandomAccessFile("/proc/self/pagemap", "r")) {
      pagemap.seek((memory.address() / PAGE + page) * Long.BYTES);
      return Long.reverseBytes(pagemap.readLong()) < 0;
    }
  }
}
