// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.engine.SharedMemoryFolder;

/** For each kind of memory, which of its pages exist. */
final class HolesTest {
  private static final int PAGE = RamBlock.PAGE_SIZE;
  private static final int PAGES = 1500;
  private static final long LENGTH = (long) PAGES * PAGE;

  @TempDir private Path onDisk;

  @TempDir(factory = SharedMemoryFolder.class)
  private Path inMemory;

  /** Kinds whose kernel tells of each page. */
  enum Kind {
    ANONYMOUS,
    SHARED_MEMORY,
    SHARED_DISK,
    PRIVATE_MEMORY,
    PRIVATE_DISK
  }

  private NativeMemory map(Kind kind) throws IOException {
    return switch (kind) {
      case ANONYMOUS -> NativeMemory.allocateSparse(LENGTH);
      case SHARED_MEMORY -> mapShared(file(inMemory));
      case SHARED_DISK -> mapShared(file(onDisk));
      case PRIVATE_MEMORY -> NativeMemory.mapPrivate(file(inMemory), LENGTH);
      case PRIVATE_DISK -> NativeMemory.mapPrivate(file(onDisk), LENGTH);
    };
  }

  private static Path file(Path folder) throws IOException {
    String type = Files.getFileStore(folder).type();
    Assumptions.assumeTrue(List.of("tmpfs", "ext4", "xfs", "btrfs").contains(type), type);
    Path file = folder.resolve("ram");
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      channel.write(ByteBuffer.allocate(1), LENGTH);
      channel.truncate(LENGTH);
    }
    return file;
  }

  private static NativeMemory mapShared(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return NativeMemory.mapShared(channel, file, LENGTH);
    }
  }

  private static void write(NativeMemory memory, int page, int value) {
    memory.segment().set(ValueLayout.JAVA_BYTE, (long) page * PAGE + 99, (byte) value);
  }

  private static BitSet existing(Holes holes) {
    var pages = new BitSet();
    for (long at = holes.nextData(0, LENGTH); at < LENGTH; ) {
      pages.set((int) (at / PAGE));
      at += PAGE;
      at = at < LENGTH ? holes.nextData(at, LENGTH) : at;
    }
    return pages;
  }

  @ParameterizedTest
  @EnumSource
  void pagesExist_onceTheyWereWritten_evenWithZeros(Kind kind) throws IOException {
    try (NativeMemory memory = map(kind)) {
      var random = new Random(kind.ordinal());
      var written = new BitSet();
      for (int round = 0; round < 40; round++) {
        assertThat(existing(memory.holes())).as("round %d", round).isEqualTo(written);
        if (kind == Kind.ANONYMOUS) {
          assertThat(existing(new AnonymousHoles(memory.segment(), false))).isEqualTo(written);
        }
        int page = random.nextInt(PAGES);
        int end = Math.min(PAGES, page + 1 + random.nextInt(round + 1));
        for (; page < end; page++) {
          write(memory, page, random.nextInt(2));
          written.set(page);
        }
      }
      assertWithinRanges(memory.holes(), written, random);
      assertExisting(kind, memory.holes(), written.cardinality());
      if (kind == Kind.ANONYMOUS) {
        var ofAnOlderKernel = new AnonymousHoles(memory.segment(), false);
        assertWithinRanges(ofAnOlderKernel, written, random);
        assertExisting(kind, ofAnOlderKernel, written.cardinality());
      }
    }
  }

  private static void assertExisting(Kind kind, Holes holes, int pages) {
    // A disk has blocks that say where a file's blocks are.
    long most = kind == Kind.SHARED_DISK || kind == Kind.PRIVATE_DISK ? pages + 8 : pages;
    assertThat(holes.existing(LENGTH).orElseThrow()).isBetween((long) pages * PAGE, most * PAGE);
  }

  /**
   * The file system of huge pages says that all is data, and allocates what is read of a mapping.
   */
  @Test
  void hugePages_areNotAllocated_whenTheyAreAskedClearedAndDigested() throws IOException {
    long huge = 2L << 20;
    long length = 8 * huge;
    try (NativeMemory memory = hugePages(length)) {
      assertThat(memory.holes().nextData(0, length)).isEqualTo(length);
      long written = 3 * huge + 188L * PAGE;
      memory.segment().set(ValueLayout.JAVA_BYTE, written + 5, (byte) 1);
      assertThat(memory.holes().nextData(0, length)).isEqualTo(written);
      assertThat(memory.holes().nextData(written - PAGE, written)).isEqualTo(written);
      assertThat(memory.holes().nextData(written + PAGE, length)).isEqualTo(length);
      var block = new RamBlock("pc.ram", memory);
      assertThat(block.isZero(0, length)).isFalse();
      List<BlockDigest> digest = new RamDigester(List.of(block)).digest();
      block.clear(0, length);
      assertThat(new RamDigester(List.of(block)).digest()).isNotEqualTo(digest);
      assertThat(block.isZero(0, length)).isTrue();
      assertThat(memory.holes().existing(length)).hasValue(huge);
    }
  }

  private static NativeMemory hugePages(long length) throws IOException {
    Optional<Path> folder =
        Files.readAllLines(Path.of("/proc/mounts")).stream()
            .map(line -> line.split(" ", 4))
            .filter(fields -> fields[2].equals("hugetlbfs"))
            .map(fields -> Path.of(fields[1]))
            .filter(Files::isWritable)
            .findFirst();
    Assumptions.assumeTrue(folder.isPresent(), "no file system of huge pages is mounted");
    Path file = folder.orElseThrow().resolve("wridscope-" + ProcessHandle.current().pid());
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      return NativeMemory.mapShared(channel, file, length);
    } catch (IOException e) {
      return Assumptions.abort("this machine has no huge pages to spare: " + e.getMessage());
    } finally {
      Files.delete(file);
    }
  }

  private static void assertWithinRanges(Holes holes, BitSet written, RandomGenerator random) {
    for (int i = 0; i < 200; i++) {
      int from = random.nextInt(PAGES);
      int to = random.nextInt(from + 1, PAGES + 1);
      int first = written.nextSetBit(from);
      assertThat(holes.nextData((long) from * PAGE, (long) to * PAGE))
          .as("from %d to %d", from, to)
          .isEqualTo((long) (first < 0 ? to : Math.min(first, to)) * PAGE);
    }
  }

  /** Of a huge page that exists, each small one does. */
  @Test
  void hugePagesOfAnonymousMemory_existAsAWhole() throws IOException {
    long mib = 1 << 20;
    try (NativeMemory memory = NativeMemory.allocate(64 * mib)) {
      memory.segment().set(ValueLayout.JAVA_BYTE, 45 * mib + 5, (byte) 1);
      for (boolean scans : new boolean[] {true, false}) {
        Holes holes = new AnonymousHoles(memory.segment(), scans);
        long first = holes.nextData(0, 64 * mib);
        assertThat(first).isIn(44 * mib, 45 * mib);
        assertThat(holes.nextData(45 * mib, 64 * mib)).isEqualTo(45 * mib);
        assertThat(holes.nextData(46 * mib, 64 * mib)).isEqualTo(64 * mib);
        assertThat(holes.existing(64 * mib).orElseThrow()).isIn((long) PAGE, 2 * mib);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PRIVATE_MEMORY", "PRIVATE_DISK"})
  void privateMapping_hasThePagesOfItsFile_andItsOwn(Kind kind) throws IOException {
    try (NativeMemory memory = map(kind)) {
      Path folder = kind == Kind.PRIVATE_DISK ? onDisk : inMemory;
      try (FileChannel file = FileChannel.open(folder.resolve("ram"), StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(new byte[] {1}), 7L * PAGE);
      }
      write(memory, 9, 1);
      assertThat(existing(memory.holes()).stream()).containsExactly(7, 9);
      // One page of its own is in front of that of the file.
      write(memory, 7, 2);
      assertExisting(kind, memory.holes(), 2);
    }
  }

  @Test
  void pages_thatWereGivenBack_areHolesAgain() throws IOException {
    try (NativeMemory memory = map(Kind.ANONYMOUS)) {
      for (int page = 0; page < PAGES; page++) {
        write(memory, page, 1);
      }
      memory.discard(5L * PAGE, 700L * PAGE);
      assertThat(existing(memory.holes()).cardinality()).isEqualTo(PAGES - 700);
      assertThat(memory.holes().nextData(5L * PAGE, LENGTH)).isEqualTo(705L * PAGE);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARED_MEMORY", "SHARED_DISK", "PRIVATE_MEMORY", "PRIVATE_DISK"})
  void memoryAfterTheEndOfAFile_thatWasTruncated_isNoHole(Kind kind) throws IOException {
    try (NativeMemory memory = map(kind)) {
      Path folder = kind.name().endsWith("DISK") ? onDisk : inMemory;
      try (FileChannel file = FileChannel.open(folder.resolve("ram"), StandardOpenOption.WRITE)) {
        file.truncate(100L * PAGE);
      }
      assertThat(memory.holes().nextData(0, 100L * PAGE)).isEqualTo(100L * PAGE);
      assertThat(memory.holes().nextData(100L * PAGE, LENGTH)).isEqualTo(100L * PAGE);
      assertThat(memory.holes().nextData(50L * PAGE, LENGTH)).isEqualTo(50L * PAGE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsKnown_afterTheMemoryWasClosed(Kind kind) throws IOException {
    NativeMemory memory = map(kind);
    memory.close();
    assertThat(memory.holes().nextData(5L * PAGE, LENGTH)).isEqualTo(5L * PAGE);
  }

  /** Of a private mapping, reading a page maps its neighbours, too. */
  @ParameterizedTest
  @EnumSource(names = {"ANONYMOUS", "SHARED_MEMORY", "SHARED_DISK"})
  void clear_makesPagesZero_andAllocatesHardlyAny(Kind kind) throws IOException {
    var random = new Random(kind.ordinal());
    try (NativeMemory memory = map(kind)) {
      for (int i = 0; i < 60; i++) {
        int page = random.nextInt(PAGES);
        for (int end = Math.min(PAGES, page + random.nextInt(20)); page < end; page++) {
          write(memory, page, random.nextInt(3));
        }
      }
      int from = 100;
      int to = 1400;
      BitSet before = existing(memory.holes());
      var expected = new byte[PAGES];
      for (int page = 0; page < PAGES; page++) {
        boolean zero = (page >= from && page < to) || !before.get(page);
        expected[page] = zero ? 0 : value(memory, page);
      }

      new RamBlock("pc.ram", memory).clear((long) from * PAGE, (long) (to - from) * PAGE);

      assertThat(existing(memory.holes()).cardinality())
          .isBetween(before.cardinality(), 2 * before.cardinality());
      for (int page = 0; page < PAGES; page++) {
        assertThat(value(memory, page)).as("page %d", page).isEqualTo(expected[page]);
      }
    }
  }

  private static byte value(NativeMemory memory, int page) {
    return memory.segment().get(ValueLayout.JAVA_BYTE, (long) page * PAGE + 99);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 255, 256, 777, PAGES - 1})
  void isZero_findsTheOnlyByte_whereverItIs(int page) throws IOException {
    for (Kind kind : Kind.values()) {
      try (NativeMemory memory = map(kind)) {
        var block = new RamBlock("pc.ram", memory);
        for (int zero = 0; zero < PAGES; zero += 5) {
          write(memory, zero, 0);
        }
        assertThat(block.isZero(0, LENGTH)).as(kind.name()).isTrue();
        write(memory, page, 1);
        assertThat(block.isZero(0, LENGTH)).as(kind.name()).isFalse();
        assertThat(block.isZero((long) page * PAGE, PAGE)).as(kind.name()).isFalse();
      }
      Files.deleteIfExists(onDisk.resolve("ram"));
      Files.deleteIfExists(inMemory.resolve("ram"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void digest_ofHoles_isThatOfZeros_andAllocatesNoChunkOfThem(Kind kind) throws IOException {
    try (NativeMemory memory = map(kind);
        NativeMemory zeros = NativeMemory.allocateSparse(LENGTH)) {
      zeros.segment().fill((byte) 0);
      for (int page : new int[] {300, 500, 1499}) {
        write(memory, page, 7);
        write(zeros, page, 7);
      }
      assertThat(new RamDigester(List.of(new RamBlock("pc.ram", memory))).digest())
          .isEqualTo(digest(zeros.segment()));
      // Chunk 1 has the pages 256 to 511, and the last one the pages from 1280.
      BitSet exist = existing(memory.holes());
      assertThat(exist.nextSetBit(0)).isBetween(256, 300);
      assertThat(exist.nextClearBit(500)).isLessThanOrEqualTo(512);
      assertThat(exist.nextSetBit(512)).isGreaterThanOrEqualTo(1280);
    }
  }

  private static List<BlockDigest> digest(MemorySegment memory) {
    return new RamDigester(List.of(new RamBlock("pc.ram", memory))).digest();
  }
}
