// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.engine.SharedMemoryFolder;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;

@Slow("it tracks processes of their own")
final class CompareTrackerTest extends WriteTrackerContract {
  @TempDir private Path files;

  @TempDir(factory = SharedMemoryFolder.class)
  private Path inMemory;

  @Override
  CompareTracker open(Target target, List<SharedRange> ranges, List<MemorySegment> shared)
      throws IOException {
    return new CompareTracker(ranges, shared);
  }

  /** A file in memory that this process has mapped. */
  private NativeMemory map(Path file, long bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return NativeMemory.mapShared(channel, file, bytes);
    }
  }

  private static CompareTracker tracker(Path file, NativeMemory memory) throws IOException {
    return new CompareTracker(
        ProcessMaps.read(ProcessHandle.current().pid()).sharedOf(file), List.of(memory.segment()));
  }

  private static List<Long> taken(CompareTracker tracker, long pages) throws IOException {
    var bitmap = new DirtyBitmap(pages);
    tracker.take(List.of(bitmap));
    return LongStream.range(0, pages).filter(bitmap::get).boxed().toList();
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.strip();
  }

  private static String allocated(Path file) throws Exception {
    return run("stat", "-c", "%b", file.toString());
  }

  @Test
  void pagesThatTheFileDoesNotHave_areNotAllocated() throws Exception {
    Path file = inMemory.resolve("sparse");
    long pages = (9L << 20) / 4096;
    try (NativeMemory memory = map(file, 9 << 20);
        var tracker = tracker(file, memory)) {
      write(memory, 3, 700);
      String before = allocated(file);
      tracker.start();
      assertThat(taken(tracker, pages)).isEmpty();
      assertThat(allocated(file)).isEqualTo(before);
      assertThat(isZeroBut(tracker, 3, 700)).isTrue();

      write(memory, 64, 65, 2303);
      before = allocated(file);
      assertThat(taken(tracker, pages)).containsExactly(64L, 65L, 2303L);
      assertThat(allocated(file)).isEqualTo(before);

      // As a balloon does.
      run("fallocate", "-p", "-o", "2867200", "-l", "4096", file.toString());
      assertThat(taken(tracker, pages)).containsExactly(700L);
      assertThat(taken(tracker, pages)).isEmpty();
      assertThat(isZeroBut(tracker, 3, 64, 65, 2303)).isTrue();
      write(memory, 700);
      assertThat(taken(tracker, pages)).containsExactly(700L);
    }
  }

  private static void write(NativeMemory memory, long... pages) {
    for (long page : pages) {
      memory.segment().set(ValueLayout.JAVA_BYTE, page * 4096 + 9, (byte) 1);
    }
  }

  /** Whether the copy has what {@link #write} has written there, and nothing else. */
  private static boolean isZeroBut(CompareTracker tracker, long... pages) throws IOException {
    MemorySegment copy = tracker.copies().getFirst().segment();
    try (NativeMemory expected = NativeMemory.allocate(copy.byteSize())) {
      write(expected, pages);
      return copy.mismatch(expected.segment()) < 0;
    }
  }

  @Test
  void aLargeRange_isComparedByAllThreads_toTheLastByte() throws IOException {
    long bytes = (9L << 20) + 4096;
    Path file = inMemory.resolve("large");
    try (NativeMemory memory = map(file, bytes);
        var tracker = tracker(file, memory)) {
      memory.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
      tracker.start();
      memory.segment().set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 2);
      memory.segment().set(ValueLayout.JAVA_BYTE, (4L << 20) - 1, (byte) 3);
      var bitmap = new DirtyBitmap(bytes / 4096);
      tracker.take(List.of(bitmap));
      assertThat(bitmap.count()).isEqualTo(2);
      assertThat(bitmap.get(1023)).isTrue();
      assertThat(bitmap.get(bytes / 4096 - 1)).isTrue();
      assertThat(tracker.copies().getFirst().segment().mismatch(memory.segment())).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileThatIsTruncated_isAnError_andThisProcessGoesOn(boolean memoryFile) throws IOException {
    Path file = (memoryFile ? inMemory : files).resolve("truncated");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      try (NativeMemory memory = NativeMemory.mapShared(channel, file, 1 << 20);
          var tracker = tracker(file, memory)) {
        tracker.start();
        channel.truncate(4096);
        assertThatThrownBy(() -> tracker.take(List.of(new DirtyBitmap(256))))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("truncated");
      }
    }
  }

  /** As a file of 20 KiB is where pages have 16 KiB: the kernel maps whole pages. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileThatEndsWithinAPage_isMapped_andComparedToItsLastByte(boolean memoryFile)
      throws IOException {
    Path file = (memoryFile ? inMemory : files).resolve("uneven");
    try (NativeMemory memory = map(file, 5000)) {
      SharedRange range = ProcessMaps.read(ProcessHandle.current().pid()).sharedOf(file).getFirst();
      assertThat(range.length()).isGreaterThan(5000);
      try (NativeMemory mapped = range.map();
          var tracker = new CompareTracker(List.of(range), List.of(mapped.segment()))) {
        assertThat(mapped.segment().byteSize()).isEqualTo(range.length());
        tracker.start();
        memory.segment().set(ValueLayout.JAVA_BYTE, 4999, (byte) 1);
        assertThat(taken(tracker, range.pages())).containsExactly(1L);
        assertThat(tracker.copies().getFirst().segment().get(ValueLayout.JAVA_BYTE, 4999))
            .isEqualTo((byte) 1);
      }
      assertThat(file).hasSize(5000);
    }
  }

  @Test
  void memoryOfAnotherLength_isRefused() throws IOException {
    Path file = inMemory.resolve("short");
    try (NativeMemory memory = map(file, 8192)) {
      List<SharedRange> ranges = ProcessMaps.read(ProcessHandle.current().pid()).sharedOf(file);
      assertThatThrownBy(
              () -> new CompareTracker(ranges, List.of(memory.segment().asSlice(0, 4096))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("4096");
    }
  }
}
