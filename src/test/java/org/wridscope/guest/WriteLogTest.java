// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;

final class WriteLogTest {
  private static final int PAGES = 1000;
  private static final int FIRST = 131;
  private static final int COUNT = 700;

  private final Arena arena = Arena.ofConfined();
  private final AtomicInteger settled = new AtomicInteger();
  private WriteLog log = new WriteLog(List.of(), 0, () -> {});

  @BeforeEach
  void makeLog() {
    RamBlock other = new RamBlock("other", arena.allocate(4096, 4096));
    RamBlock ram = new RamBlock("pc.ram", arena.allocate(PAGES * 4096L, 4096));
    log = new WriteLog(List.of(other, ram), 1, settled::incrementAndGet);
    log.cover(FIRST, COUNT);
  }

  @AfterEach
  void release() {
    arena.close();
  }

  private BitSet fetch() {
    DirtyBitmap bitmap = new DirtyBitmap(PAGES);
    log.fetchAndClear(1, bitmap);
    BitSet pages = new BitSet();
    for (long page = bitmap.nextSet(0); page < PAGES; page = bitmap.nextSet(page + 1)) {
      pages.set((int) page);
    }
    return pages;
  }

  @Test
  void mark_beforeStart_isNotRecorded() {
    log.mark(FIRST);
    assertThat(fetch().isEmpty()).isTrue();
    log.start();
    assertThat(fetch().isEmpty()).isTrue();
  }

  @Test
  void start_letsWritesThatBeganBeforeComeToTheirEnd() {
    log.start();
    assertThat(settled).hasValue(1);
  }

  @Test
  void fetchAndClear_eachPageMarked_isReportedOnce() {
    log.start();
    BitSet marked = new BitSet();
    for (int page = FIRST; page < FIRST + COUNT; page += 1 + page % 5) {
      log.mark(page);
      marked.set(page);
    }
    log.mark(FIRST + COUNT - 1);
    marked.set(FIRST + COUNT - 1);
    assertThat(fetch()).isEqualTo(marked);
    assertThat(fetch().isEmpty()).isTrue();
    log.mark(FIRST);
    assertThat(fetch().stream().toArray()).containsExactly(FIRST);
  }

  @Test
  void fetchAndClear_leavesTheOtherBitsOfTheBitmap() {
    log.start();
    log.mark(FIRST + 1);
    DirtyBitmap bitmap = new DirtyBitmap(PAGES);
    bitmap.set(0);
    bitmap.set(FIRST + 2);
    log.fetchAndClear(1, bitmap);
    assertThat(bitmap.count()).isEqualTo(3);
  }

  @Test
  void fetchAndClear_aBlockThatIsNeverWritten_reportsNothing() {
    log.start();
    log.mark(FIRST);
    DirtyBitmap bitmap = new DirtyBitmap(1);
    log.fetchAndClear(0, bitmap);
    assertThat(bitmap.count()).isZero();
    assertThat(fetch().cardinality()).isEqualTo(1);
  }

  @Test
  void fetchAndClear_aBitmapOfAnotherLength_isRefused() {
    assertThatThrownBy(() -> log.fetchAndClear(1, new DirtyBitmap(PAGES + 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("block pc.ram has 1000 pages, the bitmap 1001");
    assertThatThrownBy(() -> log.fetchAndClear(2, new DirtyBitmap(1)))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void stop_forgetsWhatWasRecorded() {
    log.start();
    log.mark(FIRST);
    log.stop();
    log.mark(FIRST + 1);
    assertThat(fetch().isEmpty()).isTrue();
    log.start();
    assertThat(fetch().isEmpty()).isTrue();
  }

  @Test
  void mark_whileFetchesPassOverItAllTheTime_isNeverLost() throws Exception {
    int pages = 4096;
    int rounds = 300;
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger marked = new AtomicInteger();
    // Only reserves addresses; no page is accessed.
    try (NativeMemory memory = NativeMemory.allocate((long) pages * RamBlock.PAGE_SIZE)) {
      WriteLog busy = new WriteLog(List.of(new RamBlock("pc.ram", memory.segment())), 0, () -> {});
      busy.cover(0, pages);
      busy.start();
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(() -> {
            for (int round = 1; round <= rounds; round++) {
              while (begun.get() < round) {
                Thread.yield();
              }
              for (int page = 0; page < pages; page++) {
                busy.mark(page);
              }
              marked.set(round);
            }
          });
      try {
        for (int round = 1; round <= rounds; round++) {
          DirtyBitmap seen = new DirtyBitmap(pages);
          begun.set(round);
          while (marked.get() < round) {
            busy.fetchAndClear(0, seen);
          }
          busy.fetchAndClear(0, seen);
          assertThat(seen.nextClear(0)).as("round %d", round).isEqualTo(pages);
        }
      } finally {
        begun.set(rounds);
      }
      writer.get(20, TimeUnit.SECONDS);
    }
  }
}
