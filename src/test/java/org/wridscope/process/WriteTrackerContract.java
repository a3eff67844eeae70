// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;

/**
 * What every {@link WriteTracker} does, with a process that writes. Pages are those of the kernel,
 * of which one that is reported may be only a part.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class WriteTrackerContract {
  private static final int PAGE = NativeMemory.hostPage();
  private static final int TOGETHER = PAGE / RamBlock.PAGE_SIZE;

  /** Pages of the two ranges; the second one ends within a word of its bitmap. */
  private static final List<Integer> PAGES = List.of(4096, 301);

  @TempDir private Path directory;

  /** Has mapped the files of one test after the other: a JVM takes seconds to start in the VM. */
  private static @Nullable Target kept;

  private final List<NativeMemory> mapped = new ArrayList<>();
  private final List<MemorySegment> shared = new ArrayList<>();
  private final List<SharedRange> ranges = new ArrayList<>();
  private Target target;
  private WriteTracker tracker;
  private Set<String> descriptors;

  /** Opens the tracker under test. */
  abstract WriteTracker open(Target target, List<SharedRange> ranges, List<MemorySegment> shared)
      throws IOException;

  @BeforeEach
  final void openTracker() throws IOException {
    List<Path> files = new ArrayList<>();
    for (int pages : PAGES) {
      Path file = directory.resolve("ram-of-" + pages);
      try (var content = new RandomAccessFile(file.toFile(), "rw")) {
        content.setLength((long) pages * PAGE);
      }
      files.add(file);
    }
    target = kept != null && kept.isAlive() ? kept : Target.mapping();
    kept = target;
    target.map(files);
    ProcessMaps maps = ProcessMaps.read(target.pid());
    for (Path file : files) {
      SharedRange range = maps.sharedOf(file).getFirst();
      NativeMemory memory = range.map();
      ranges.add(range);
      mapped.add(memory);
      shared.add(memory.segment());
    }
    descriptors = target.descriptors();
    tracker = open(target, ranges, shared);
  }

  @AfterEach
  final void closeTracker() {
    if (tracker != null) {
      tracker.close();
    }
    mapped.forEach(NativeMemory::close);
  }

  /** What a test leaves that failed in the middle of a command, or of tracking, is not known. */
  @RegisterExtension
  static final AfterTestExecutionCallback ENDS_TARGET =
      context -> {
        if (context.getExecutionException().isPresent()) {
          endTarget();
        }
      };

  @AfterAll
  static void endTarget() {
    if (kept != null) {
      kept.close();
      kept = null;
    }
  }

  final Target target() {
    return target;
  }

  final WriteTracker tracker() {
    return tracker;
  }

  private static List<DirtyBitmap> bitmaps() {
    return PAGES.stream().map(pages -> new DirtyBitmap((long) pages * TOGETHER)).toList();
  }

  /** The pages that were written, for each range. */
  private List<List<Long>> take() throws IOException {
    List<DirtyBitmap> bitmaps = bitmaps();
    tracker.take(bitmaps);
    return bitmaps.stream().map(WriteTrackerContract::pages).toList();
  }

  private static List<Long> pages(DirtyBitmap bitmap) {
    List<Long> pages = new ArrayList<>();
    long part = bitmap.nextSet(0);
    while (part < bitmap.pages()) {
      long page = part / TOGETHER;
      pages.add(page);
      part = bitmap.nextSet((page + 1) * TOGETHER);
    }
    return pages;
  }

  private List<Long> write(int range, int value, long... pages) throws IOException {
    for (long page : pages) {
      target.writePage(range, page, value);
    }
    return Arrays.stream(pages).boxed().toList();
  }

  @Test
  void pagesThatAreWritten_areReportedOnce_whetherTheyWereWrittenBeforeOrNot() throws IOException {
    write(0, 1, 5, 64, 4095);
    write(1, 1, 300);
    tracker.start();
    assertThat(take()).containsExactly(List.of(), List.of());
    List<Long> first = write(0, 2, 0, 5, 63, 64, 511, 512, 4095);
    List<Long> second = write(1, 2, 0, 299, 300);
    assertThat(take()).containsExactly(first, second);
    assertThat(take()).containsExactly(List.of(), List.of());
    assertThat(write(0, 3, 5, 100)).isEqualTo(take().getFirst());
    assertThat(take()).containsExactly(List.of(), List.of());
  }

  @Test
  void take_intoABitmapWithPages_keepsThem() throws IOException {
    tracker.start();
    target.writePage(0, 70, 1);
    List<DirtyBitmap> bitmaps = bitmaps();
    bitmaps.getFirst().set(7L * TOGETHER);
    tracker.take(bitmaps);
    assertThat(pages(bitmaps.getFirst())).containsExactly(7L, 70L);
  }

  @Test
  void everySecondPage_isReportedAsSuch() throws IOException {
    tracker.start();
    for (int value = 1; value < 3; value++) {
      assertThat(target.execute("everySecondPage " + value)).isEqualTo("ok");
      List<Long> written = take().getFirst();
      assertThat(written).hasSize(2048).allMatch(page -> page % 2 == 0);
    }
  }

  @Test
  void allPages_areReported() throws IOException {
    tracker.start();
    assertThat(target.execute("fill 9")).isEqualTo("ok");
    assertThat(take()).extracting(List::size).isEqualTo(PAGES);
  }

  @Test
  void pagesThatTheKernelWrites_areReported() throws IOException {
    Path source = Files.write(directory.resolve("source"), new byte[] {1, 2, 3, 4});
    tracker.start();
    assertThat(target.execute("readFile 77 " + source)).isEqualTo("ok");
    assertThat(take().getFirst()).containsExactly(77L);
  }

  @Test
  void pagesThatAreWritten_andLeaveThePageTable_areReported() throws IOException {
    // Soft-dirty bits show only that a page is gone which was there before.
    write(0, 1, 600);
    tracker.start();
    write(0, 2, 20, 600, 601);
    assertThat(target.execute("drop 600")).isEqualTo("ok");
    assertThat(take().getFirst()).contains(20L, 600L, 601L);
    write(0, 3, 601);
    assertThat(take().getFirst()).containsExactly(601L);
  }

  /** In a round in which they first appeared, later, and without having been written since. */
  @Test
  void pagesThatAreGivenBack_areReported_andSoAreTheyWhenTheyComeAgain() throws IOException {
    write(0, 1, 5, 600, 601);
    tracker.start();
    giveBack(600);
    assertThat(take().getFirst()).containsExactly(600L);
    write(0, 2, 5, 601, 700);
    assertThat(take().getFirst()).containsExactly(5L, 601L, 700L);
    giveBack(601);
    giveBack(700);
    assertThat(take().getFirst()).containsExactly(601L, 700L);
    write(0, 3, 600, 700);
    assertThat(take().getFirst()).containsExactly(600L, 700L);
    write(0, 4, 701);
    giveBack(701);
    // It was zero before, and is again: it may be reported.
    assertThat(take().getFirst()).isSubsetOf(701L);
    assertThat(shared.getFirst().get(ValueLayout.JAVA_BYTE, 601L * PAGE)).isZero();
    assertThat(take()).containsExactly(List.of(), List.of());
  }

  private void giveBack(long page) throws IOException {
    assertThat(target.execute("giveBack " + page)).isEqualTo("ok");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void copyOfReportedPages_isEqualToTheMemory_howeverItIsWritten(long seed) throws IOException {
    write(0, 4, 1, 2, 3);
    tracker.start();
    List<MemorySegment> copies = copies();
    for (int round = 0; round < 6; round++) {
      assertThat(target.execute("storm " + (seed * 1000 + round))).isEqualTo("ok");
      if (!tracker.needsQuietTarget()) {
        follow(copies);
        follow(copies);
      }
      assertThat(Long.parseLong(target.execute("calm"))).isNotNegative();
      if (tracker.needsQuietTarget()) {
        follow(copies);
      }
    }
    follow(copies);
    for (int i = 0; i < copies.size(); i++) {
      assertThat(shared.get(i).mismatch(copies.get(i))).as("range %d", i).isEqualTo(-1);
    }
    assertThat(take()).containsExactly(List.of(), List.of());
  }

  private List<MemorySegment> copies() {
    return tracker instanceof CompareTracker comparing
        ? comparing.copies().stream().map(NativeMemory::segment).toList()
        : shared.stream()
            .map(range -> MemorySegment.ofArray(range.toArray(ValueLayout.JAVA_BYTE)))
            .toList();
  }

  /** Copies what was written, as a source sends it. */
  private void follow(List<MemorySegment> copies) throws IOException {
    List<DirtyBitmap> bitmaps = bitmaps();
    tracker.take(bitmaps);
    if (!(tracker instanceof CompareTracker)) {
      for (int i = 0; i < copies.size(); i++) {
        for (long page : pages(bitmaps.get(i))) {
          MemorySegment.copy(shared.get(i), page * PAGE, copies.get(i), page * PAGE, PAGE);
        }
      }
    }
  }

  @Test
  void close_leavesNothing_andTheProcessGoesOn() throws IOException {
    tracker.start();
    assertThat(target.execute("storm 5")).isEqualTo("ok");
    tracker.take(bitmaps());
    tracker.close();
    tracker.close();
    assertThat(Long.parseLong(target.execute("calm"))).isPositive();
    assertThat(target.hasUserfault()).isFalse();
    assertThat(target.isTraced()).isFalse();
    assertThat(target.descriptors()).isEqualTo(descriptors);
  }

  @Test
  void take_afterTheProcessHasEnded_saysSo() throws IOException {
    if (tracker instanceof CompareTracker) {
      // The memory of a process that has ended is still there.
      return;
    }
    tracker.start();
    target.close();
    assertThatThrownBy(this::take)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Long.toString(target.pid()))
        .hasMessageEndingWith(".");
  }
}
