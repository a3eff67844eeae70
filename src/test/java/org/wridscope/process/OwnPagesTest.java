// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;

final class OwnPagesTest {

  /**
   * Finds writes as a kernel does whose pages are larger: all that is in the page.
   *
   * @param page in bytes
   */
  private record LargePages(CompareTracker exact, int page) implements WriteTracker {
    @Override
    public void start() throws IOException {
      exact.start();
    }

    @Override
    public void take(List<DirtyBitmap> into) throws IOException {
      DirtyBitmap bitmap = into.getFirst();
      var written = new DirtyBitmap(bitmap.pages());
      exact.take(List.of(written));
      int together = page / RamBlock.PAGE_SIZE;
      for (long i = written.nextSet(0); i < written.pages(); i = written.nextSet(i + 1)) {
        for (int j = 0; j < together; j++) {
          bitmap.set(i / together * together + j);
        }
      }
    }

    @Override
    public boolean needsQuietTarget() {
      return false;
    }

    @Override
    public String description() {
      return "comparing large pages";
    }

    @Override
    public void close() {
      exact.close();
    }
  }

  private static boolean isFound(int hostPage, int found) throws IOException {
    try (var pages = new OwnPages(hostPage)) {
      SharedRange range = pages.range();
      try (NativeMemory mapped = range.map();
          var tracker =
              new LargePages(
                  new CompareTracker(List.of(range), List.of(mapped.segment())), found)) {
        return pages.isFoundBy(tracker);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 16384, 65536})
  void aWrite_isFound_whereThePagesOfTheKernelAre(int hostPage) throws IOException {
    assertThat(isFound(hostPage, hostPage)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"4096, 8192", "16384, 65536"})
  void moreThanThePageThatWasWritten_isNoWay(int hostPage, int found) throws IOException {
    assertThat(isFound(hostPage, found)).isFalse();
  }
}
