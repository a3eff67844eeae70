// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.time.Scheduler;

final class NativeMemoryTest {
  private static final long MIB = 1 << 20;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(longs = {4096, 12288, 2 * MIB - 4096, 2 * MIB, 2 * MIB + 4096, 7 * MIB})
  void allocate_anyNumberOfPages_isAlignedAndZeroAndMappedExactly(long bytes) throws IOException {
    long address;
    try (NativeMemory memory = NativeMemory.allocate(bytes)) {
      MemorySegment segment = memory.segment();
      address = segment.address();
      assertThat(segment.byteSize()).isEqualTo(bytes);
      assertThat(address % (bytes < 2 * MIB ? RamBlock.PAGE_SIZE : 2 * MIB)).isZero();
      assertThat(ZeroPages.isZero(segment, 0, bytes)).isTrue();
      segment.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
      assertThat(Mappings.overlapping(address, bytes)).isEqualTo(bytes);
    }
    assertThat(Mappings.overlapping(address, bytes)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {4096, 12288, 2 * MIB - 4096, 2 * MIB + 4096, 17 * MIB})
  void allocate_againUnderAScheduler_isZeroAndExactlyAsLarge(long bytes) throws Exception {
    Scheduler.run(
        _ -> 0,
        1,
        () -> {
          for (int round = 0; round < 3; round++) {
            try (NativeMemory memory = NativeMemory.allocate(bytes)) {
              assertThat(memory.segment().byteSize()).isEqualTo(bytes);
              assertThat(ZeroPages.isZero(memory.segment(), 0, bytes)).isTrue();
              memory.segment().fill((byte) 1);
            }
          }
          return null;
        });
  }

  @Test
  void allocate_ofAnotherSizeUnderAScheduler_usesWhatWasLeft() throws Exception {
    Scheduler.run(
        _ -> 0,
        1,
        () -> {
          NativeMemory left = NativeMemory.allocate(5 * 4096);
          left.close();
          try (NativeMemory memory = NativeMemory.allocate(7 * 4096)) {
            assertThat(memory.segment().address()).isEqualTo(left.segment().address());
          }
          return null;
        });
  }

  @Test
  void allocate_largeAgainUnderAScheduler_isZero_andTakesNoFurtherPages() throws Exception {
    Scheduler.run(
        _ -> 0,
        1,
        () -> {
          long bytes = 9 * MIB;
          long resident = Long.MAX_VALUE;
          for (int round = 0; round < 3; round++) {
            try (NativeMemory memory = NativeMemory.allocate(bytes)) {
              MemorySegment segment = memory.segment();
              assertThat(Mappings.resident(segment)).isLessThanOrEqualTo(resident);
              for (long at : new long[] {5 * 4096 + 17, bytes - 1}) {
                assertThat(segment.get(ValueLayout.JAVA_BYTE, at)).isZero();
                segment.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
              }
              resident = Mappings.resident(segment);
            }
          }
          return null;
        });
  }

  @Test
  void allocate_moreThanThereAreAddresses_saysHowMuchAndWhatToDo() {
    assertThatThrownBy(() -> NativeMemory.allocate(1L << 50))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1.00 PiB")
        .hasMessageContaining("less RAM")
        .hasMessageNotContaining("\n");
  }

  @Test
  void close_again_isHarmless() throws IOException {
    NativeMemory memory = NativeMemory.allocate(4096);
    memory.close();
    memory.close();
    assertThatThrownBy(() -> memory.segment().get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> memory.populate(0, 4096)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_whileAnotherThreadReads_endsThatThreadWithAnException() throws Exception {
    NativeMemory memory = NativeMemory.allocate(4 * MIB);
    CountDownLatch reading = new CountDownLatch(1);
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(() -> {
          while (ZeroPages.isZero(memory.segment(), 0, 4 * MIB)) {
            reading.countDown();
          }
        });
    assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
    memory.close();
    assertThatThrownBy(() -> reader.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @CsvSource({"1, 4096", "1, 2097152", "2, 71303168", "3, 35651584"})
  void populate_byAnyNumberOfThreads_makesAllOfItResidentAndKeepsIt(int threads, long bytes)
      throws IOException {
    try (NativeMemory memory = NativeMemory.allocate(bytes)) {
      memory.segment().set(ValueLayout.JAVA_LONG, bytes - 8, 0x1122334455667788L);
      memory.populate(threads);
      assertThat(Mappings.resident(memory.segment())).isGreaterThanOrEqualTo(bytes);
      assertThat(memory.segment().get(ValueLayout.JAVA_LONG, bytes - 8))
          .isEqualTo(0x1122334455667788L);
      assertThat(ZeroPages.isZero(memory.segment(), 0, bytes - 8)).isTrue();
    }
  }

  @Test
  void touch_aRange_makesItResidentAndKeepsIt() throws IOException {
    try (NativeMemory memory = NativeMemory.allocate(MIB)) {
      memory.segment().set(ValueLayout.JAVA_INT, 4096, 0x12345678);
      NativeMemory.touch(memory.segment());
      assertThat(Mappings.resident(memory.segment())).isGreaterThanOrEqualTo(MIB);
      assertThat(memory.segment().get(ValueLayout.JAVA_INT, 4096)).isEqualTo(0x12345678);
    }
  }

  @Test
  void mapPrivate_whatIsWritten_neverReachesTheFile() throws IOException {
    Path file = directory.resolve("r\u00e4m & more.img");
    byte[] content = new byte[12288];
    content[5000] = 42;
    Files.write(file, content);
    try (NativeMemory memory = NativeMemory.mapPrivate(file, content.length)) {
      MemorySegment segment = memory.segment();
      assertThat(segment.byteSize()).isEqualTo(content.length);
      assertThat(segment.get(ValueLayout.JAVA_BYTE, 5000)).isEqualTo((byte) 42);
      segment.fill((byte) 7);
      assertThat(Files.readAllBytes(file)).isEqualTo(content);
    }
    assertThat(Mappings.ofFile(file)).isEmpty();
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
  }

  @Test
  void mapPrivate_noSuchFile_isAnIoException() {
    assertThatThrownBy(() -> NativeMemory.mapPrivate(directory.resolve("none"), 4096))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none")
        .hasMessageContaining("errno 2");
  }

  @Test
  void mapShared_whatIsWritten_isInTheFile() throws IOException {
    Path file = directory.resolve("out.img");
    Files.write(file, new byte[8192]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      try (NativeMemory memory = NativeMemory.mapShared(channel, file, 8192)) {
        memory.segment().set(ValueLayout.JAVA_BYTE, 8191, (byte) 9);
        memory.force();
      }
    }
    assertThat(Files.readAllBytes(file)).hasSize(8192).endsWith(9);
    assertThat(Mappings.ofFile(file)).isEmpty();
  }

  @Test
  void mapShared_aChannelForReadingOnly_isRefused() throws IOException {
    Path file = directory.resolve("in.img");
    Files.write(file, new byte[4096]);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      assertThatThrownBy(() -> NativeMemory.mapShared(channel, file, 4096))
          .isInstanceOf(RuntimeException.class);
    }
    assertThat(Mappings.ofFile(file)).isEmpty();
    assertThatThrownBy(() -> FileChannel.open(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }
}
