// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RamDigesterTest {
  private static final int CHUNK = (int) ChunkTable.CHUNK_SIZE;

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void release() {
    arena.close();
  }

  private RamBlock block(String name, long length) {
    return new RamBlock(name, arena.allocate(length, RamBlock.PAGE_SIZE));
  }

  private static void fill(RamBlock block, RandomGenerator random) {
    for (long at = 0; at < block.length(); at += 8) {
      block.memory().set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  /** Follows the Javadoc word by word, independently of the implementation. */
  private static BlockDigest reference(RamBlock block) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(ByteBuffer.allocate(8).putLong(block.length()).array());
      byte[] all = block.memory().toArray(ValueLayout.JAVA_BYTE);
      for (int at = 0; at < all.length; at += CHUNK) {
        int length = Math.min(CHUNK, all.length - at);
        CRC32C castagnoli = new CRC32C();
        castagnoli.update(all, at, length);
        CRC32 ieee = new CRC32();
        ieee.update(all, at, length);
        sha.update(
            ByteBuffer.allocate(8)
                .putInt((int) castagnoli.getValue())
                .putInt((int) ieee.getValue())
                .array());
      }
      return new BlockDigest(block.name(), block.length(), HexFormat.of().formatHex(sha.digest()));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void digest_blocksOfAllShapes_isWhatTheJavadocSays() {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(7);
    List<RamBlock> blocks =
        List.of(
            block("one page", 4096),
            block("odd", 3 * CHUNK + 12288),
            block("zero", 2 * CHUNK),
            block("large enough for two threads", 40 * CHUNK),
            block("short of a chunk", CHUNK - 4096));
    for (RamBlock block : blocks) {
      if (!block.name().equals("zero")) {
        fill(block, random);
      }
    }
    List<BlockDigest> digests = new RamDigester(blocks).digest();
    assertThat(digests).isEqualTo(blocks.stream().map(RamDigesterTest::reference).toList());
    assertThat(new RamDigester(blocks).digest()).isEqualTo(digests);
  }

  @Test
  void digest_again_isTheSame() {
    RamBlock block = block("pc.ram", 2 * CHUNK);
    RamDigester digester = new RamDigester(List.of(block));
    List<BlockDigest> first = digester.digest();
    block.memory().fill((byte) 1);
    assertThat(digester.digest()).isEqualTo(first);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void digest_anyChange_isAnother(long seed) {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    RamBlock block = block("pc.ram", 3 * CHUNK + 4096);
    fill(block, random);
    BlockDigest before = new RamDigester(List.of(block)).digest().getFirst();
    MemorySegment memory = block.memory();
    for (int i = 0; i < 20; i++) {
      long at = random.nextLong(block.length());
      byte was = memory.get(ValueLayout.JAVA_BYTE, at);
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ 1 << random.nextInt(8)));
      assertThat(new RamDigester(List.of(block)).digest().getFirst())
          .as("seed %d, byte %d", seed, at)
          .isNotEqualTo(before);
      memory.set(ValueLayout.JAVA_BYTE, at, was);
    }
    assertThat(new RamDigester(List.of(block)).digest().getFirst()).isEqualTo(before);
  }

  @Test
  void digest_pagesOrChunksExchanged_isAnother() {
    RamBlock block = block("pc.ram", 2 * CHUNK);
    fill(block, RandomGeneratorFactory.getDefault().create(5));
    BlockDigest before = new RamDigester(List.of(block)).digest().getFirst();
    exchange(block.memory(), 0, 40960, 4096);
    assertThat(new RamDigester(List.of(block)).digest().getFirst()).isNotEqualTo(before);
    exchange(block.memory(), 0, 40960, 4096);
    exchange(block.memory(), 0, CHUNK, CHUNK);
    assertThat(new RamDigester(List.of(block)).digest().getFirst()).isNotEqualTo(before);
  }

  private static void exchange(MemorySegment memory, long a, long b, int length) {
    byte[] first = memory.asSlice(a, length).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment.copy(memory, b, memory, a, length);
    MemorySegment.copy(first, 0, memory, ValueLayout.JAVA_BYTE, b, length);
  }

  @Test
  void digest_sameBytesInABlockOfAnotherLength_isAnother() {
    BlockDigest shorter = new RamDigester(List.of(block("a", CHUNK))).digest().getFirst();
    BlockDigest longer = new RamDigester(List.of(block("a", 2 * CHUNK))).digest().getFirst();
    assertThat(shorter.digest()).isNotEqualTo(longer.digest()).hasSize(64);
  }

  @Test
  void beforeWrite_aRangeOverSeveralChunks_keepsWhatAllOfThemHeld() {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(11);
    List<RamBlock> blocks = List.of(block("a", 4096), block("b", 5 * CHUNK));
    blocks.forEach(block -> fill(block, random));
    List<BlockDigest> before = blocks.stream().map(RamDigesterTest::reference).toList();
    RamDigester digester = new RamDigester(blocks);
    digester.beforeWrite(1, CHUNK - 1, 2 * CHUNK + 1);
    blocks.get(1).memory().asSlice(CHUNK - 1, 2 * CHUNK + 1).fill((byte) 3);
    digester.beforeWrite(0, 4095, 1);
    blocks.get(0).memory().set(ValueLayout.JAVA_BYTE, 4095, (byte) 3);
    assertThat(digester.digest()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void digest_whileThreadsWrite_isOfTheMomentItBegan(long seed) throws Exception {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    List<RamBlock> blocks = List.of(block("a", 40 * CHUNK), block("b", 3 * CHUNK + 4096));
    blocks.forEach(block -> fill(block, random));
    List<BlockDigest> before = blocks.stream().map(RamDigesterTest::reference).toList();
    RamDigester digester = new RamDigester(blocks);
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      long own = random.nextLong();
      writers.add(CompletableFuture.runAsync(() -> writeHereAndThere(digester, blocks, own)));
    }
    List<BlockDigest> digests = digester.digest();
    for (CompletableFuture<Void> writer : writers) {
      writer.get(20, TimeUnit.SECONDS);
    }
    assertThat(digests).as("seed %d", seed).isEqualTo(before);
    assertThat(blocks.stream().map(RamDigesterTest::reference)).isNotEqualTo(before);
  }

  private static void writeHereAndThere(RamDigester digester, List<RamBlock> blocks, long seed) {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    for (int i = 0; i < 400; i++) {
      int block = random.nextInt(blocks.size());
      long offset = random.nextLong(blocks.get(block).pages()) * RamBlock.PAGE_SIZE;
      digester.beforeWrite(block, offset, RamBlock.PAGE_SIZE);
      blocks.get(block).memory().asSlice(offset, RamBlock.PAGE_SIZE).fill((byte) i);
    }
  }

  @Test
  void abandon_makesWritesFreeAndTheDigestUnavailable() {
    RamBlock block = block("pc.ram", 2 * CHUNK);
    RamDigester digester = new RamDigester(List.of(block));
    digester.abandon();
    digester.beforeWrite(0, 0, 4096);
    assertThatThrownBy(digester::digest)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("abandoned");
  }

  @Test
  void digest_ofMemoryThatIsGone_throwsEachTime() throws IOException {
    RamDigester digester;
    try (NativeMemory memory = NativeMemory.allocate(40L * CHUNK)) {
      digester = new RamDigester(List.of(new RamBlock("pc.ram", memory.segment())));
    }
    assertThatThrownBy(digester::digest).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> digester.beforeWrite(0, 0, 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void digest_ofAFileThatWasCutShort_throws(@TempDir Path directory) throws IOException {
    Path file = Files.write(directory.resolve("ram.img"), new byte[4 * CHUNK]);
    try (NativeMemory memory = NativeMemory.mapPrivate(file, 4 * CHUNK)) {
      RamDigester digester = new RamDigester(List.of(new RamBlock("pc.ram", memory.segment())));
      Files.write(file, new byte[CHUNK]);
      assertThatThrownBy(digester::digest).isInstanceOf(InternalError.class);
    }
  }
}
