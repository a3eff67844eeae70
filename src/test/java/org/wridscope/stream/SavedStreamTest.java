// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

@Slow("a stream is cut off everywhere, and its bytes are changed")
final class SavedStreamTest {
  private static final int PAGE = RamBlock.PAGE_SIZE;
  private static final Checkpoint NONE = () -> {};
  private static final byte[] TAIL = text("\4device\0\6\0\0\0\2{}");

  @TempDir private Path folder;

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Writes a stream of blocks a (3 pages) and b (1 page), with section id 9. */
  private static final class Script {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private boolean footers = true;

    Script begin(boolean configuration, boolean withFooters) {
      footers = withFooters;
      put(0x5145564d, 3);
      if (configuration) {
        raw(text("\7\0\0\0\2pc"));
      }
      raw(text("\1")).put(9).raw(text("\3ram")).put(0, 4);
      record(4 * PAGE | 4).raw(text("\1a")).record(3 * PAGE).raw(text("\1b")).record(PAGE);
      return end();
    }

    Script begin() {
      return begin(true, true);
    }

    Script part() {
      return raw(text("\2")).put(9);
    }

    Script last() {
      return raw(text("\3")).put(9);
    }

    /** A page filled with a letter; of the same block as the last page if the name is null. */
    Script page(String block, int page, char fill) {
      record((long) page * PAGE | 8 | (block.isEmpty() ? 0x20 : 0));
      name(block);
      byte[] content = new byte[PAGE];
      Arrays.fill(content, (byte) fill);
      return raw(content);
    }

    Script zero(String block, int page) {
      record((long) page * PAGE | 2 | (block.isEmpty() ? 0x20 : 0));
      return name(block).raw(new byte[1]);
    }

    private Script name(String block) {
      return block.isEmpty() ? this : raw(new byte[] {(byte) block.length()}).raw(text(block));
    }

    Script end() {
      record(0x10);
      return footers ? raw(text("\176")).put(9) : this;
    }

    Script raw(byte[] raw) {
      bytes.writeBytes(raw);
      return this;
    }

    Script put(int... values) {
      return with(() -> {
        for (int value : values) {
          out.writeInt(value);
        }
      });
    }

    Script record(long value) {
      return with(() -> out.writeLong(value));
    }

    private interface Writing {
      void run() throws IOException;
    }

    private Script with(Writing writing) {
      try {
        writing.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }
  }

  /** A short valid stream. */
  static byte[] saved() {
    return new Script()
        .begin()
        .part()
        .page("a", 0, 'A')
        .zero("", 1)
        .end()
        .last()
        .page("b", 0, 'B')
        .end()
        .raw(TAIL)
        .bytes();
  }

  private SavedStream open(byte[] stream) throws IOException {
    return SavedStream.open(Files.write(folder.resolve("stream"), stream));
  }

  /** The first byte of each page of a block. */
  private static String fills(SavedStream stream, int block) throws IOException {
    int length = (int) stream.blocks().get(block).length();
    var fills = new StringBuilder();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ram = arena.allocate(length, PAGE);
      stream.fetch(block, 0, ram);
      for (int at = 0; at < length; at += PAGE) {
        byte fill = ram.get(ValueLayout.JAVA_BYTE, at);
        assertThat(ram.get(ValueLayout.JAVA_BYTE, at + PAGE - 1)).isEqualTo(fill);
        fills.append(fill == 0 ? '.' : (char) fill);
      }
    }
    return fills.toString();
  }

  @Test
  void pages_areAsTheyWereNamedLast() throws IOException {
    byte[] bytes =
        new Script()
            .begin()
            .part()
            .page("a", 0, 'A')
            .page("", 1, 'B')
            .zero("", 2)
            .page("b", 0, 'C')
            .end()
            .part()
            // Of the block that the previous part named.
            .zero("", 0)
            .page("a", 2, 'D')
            .page("", 0, 'E')
            .end()
            .last()
            .page("", 1, 'F')
            .end()
            .raw(TAIL)
            .bytes();
    try (SavedStream stream = open(bytes)) {
      stream.index(NONE);
      assertThat(fills(stream, 0)).isEqualTo("EFD");
      assertThat(fills(stream, 1)).isEqualTo(".");
      assertThat(stream.isDescribed()).isTrue();
      assertThat(stream.envelope().machineType()).isEqualTo("pc");
      assertThat(stream.envelope().ramSection()).isEqualTo(9);
      assertThat(stream.tail().readAllBytes()).isEqualTo(TAIL);
    }
  }

  @Test
  void oneStretch_isFetchedWithoutTheOthers() throws IOException {
    byte[] bytes =
        new Script().begin().last().page("a", 0, 'A').page("", 1, 'B').end().raw(TAIL).bytes();
    try (SavedStream stream = open(bytes);
        Arena arena = Arena.ofConfined()) {
      stream.index(NONE);
      MemorySegment ram = arena.allocate(2L * PAGE, PAGE);
      stream.fetch(0, PAGE, ram);
      assertThat(ram.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 'B');
      assertThat(ram.get(ValueLayout.JAVA_BYTE, PAGE)).isZero();
    }
  }

  /** Any RAM that is written is read back, and the same bytes are written again. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void writtenStream_comesBack(long seed) throws IOException {
    var random = new SplittableRandom(seed);
    try (Arena arena = Arena.ofConfined()) {
      var blocks = new ArrayList<RamBlock>();
      for (int i = 1 + random.nextInt(5); i > 0; i--) {
        MemorySegment memory = arena.allocate(PAGE * (1L + random.nextInt(1200)), PAGE);
        double zeros = random.nextDouble();
        for (long at = 0; at < memory.byteSize(); at += PAGE) {
          if (random.nextDouble() > zeros) {
            memory.set(ValueLayout.JAVA_LONG, at + 8L * random.nextInt(512), random.nextLong());
          }
        }
        blocks.add(new RamBlock("block" + "x".repeat(random.nextInt(250)) + i, memory));
      }
      // Of the guest of a Wridscope, pages that are zero are left out.
      String machine = seed % 2 == 0 ? "pc" : "wridscope-image";
      var envelope = StreamEnvelope.of(machine).withFooters(random.nextBoolean());
      Path file = folder.resolve("first");
      write(file, envelope, blocks);
      Path again = folder.resolve("again");
      try (SavedStream stream = SavedStream.open(file)) {
        stream.index(NONE);
        assertThat(stream.isDescribed()).isTrue();
        var copies = new ArrayList<RamBlock>();
        for (int i = 0; i < blocks.size(); i++) {
          MemorySegment copy = arena.allocate(blocks.get(i).length(), PAGE);
          // In ranges, between some of which there is less than the record of a page.
          for (long at = 0; at < copy.byteSize(); ) {
            long length = Math.min(copy.byteSize() - at, (1L + random.nextInt(300)) * PAGE);
            stream.fetch(i, at, copy.asSlice(at, length));
            at += length;
          }
          assertThat(copy.mismatch(blocks.get(i).memory())).isEqualTo(-1);
          assertPages(stream, i, copy);
          copies.add(new RamBlock(stream.blocks().get(i).name(), copy));
        }
        write(again, stream.envelope(), copies);
      }
      assertThat(Files.mismatch(file, again)).isEqualTo(-1);
    }
  }

  /** The stream tells which pages of a block are not zero. */
  private static void assertPages(SavedStream stream, int block, MemorySegment copy) {
    long data = copy.byteSize();
    long count = 0;
    for (long at = copy.byteSize() - PAGE; at >= 0; at -= PAGE) {
      if (copy.asSlice(at, PAGE).mismatch(MemorySegment.ofArray(new byte[PAGE])) >= 0) {
        data = at;
        count++;
      }
      assertThat(stream.nextData(block, at, copy.byteSize())).isEqualTo(data);
      long end = Math.min(copy.byteSize(), at + 3L * PAGE);
      assertThat(stream.nextData(block, at, end)).isEqualTo(Math.min(data, end));
    }
    assertThat(stream.existing(block)).isEqualTo(count * PAGE);
  }

  /** A QEMU may have something where RAM is zero, so that its stream has each page. */
  @ParameterizedTest
  @CsvSource({"wridscope-image, false", "pc, true"})
  void whatWasNeverTouched_isInAStreamForAQemuOnly(String machine, boolean each)
      throws IOException {
    long length = 1L << 30;
    try (var memory = NativeMemory.allocateSparse(length)) {
      var block = new RamBlock("pc.ram", memory);
      for (long page : new long[] {1, 255, 300, 4096, length / PAGE - 2}) {
        memory.segment().set(ValueLayout.JAVA_BYTE, page * PAGE + 7, (byte) 1);
      }
      Path file = folder.resolve("first");
      write(file, StreamEnvelope.of(machine), List.of(block));
      long zeros = length / PAGE - 5;
      assertThat(Files.size(file) - 5L * PAGE)
          .isBetween(each ? 9 * zeros : 0, (each ? 9 * zeros : 0) + 200);
      try (SavedStream stream = SavedStream.open(file)) {
        stream.index(NONE);
        assertThat(stream.nextData(0, 0, length)).isEqualTo(PAGE);
        assertThat(stream.nextData(0, 301L * PAGE, length)).isEqualTo(4096L * PAGE);
        assertThat(stream.nextData(0, length - PAGE, length)).isEqualTo(length);
        assertThat(stream.existing(0)).isEqualTo(5L * PAGE);
      }
      // Of its own pages at most whole chunks were read.
      assertThat(block.holes().existing(length).orElseThrow()).isLessThanOrEqualTo(4L << 20);
    }
  }

  private static void write(Path file, StreamEnvelope envelope, List<RamBlock> blocks)
      throws IOException {
    try (var channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      var writer = new SavedStreamWriter(channel);
      writer.ram(envelope, blocks, NONE);
      long rest = channel.position();
      channel.write(ByteBuffer.wrap(TAIL, 0, TAIL.length - 1));
      assertThat(VmDescription.isAtEnd(channel, rest)).isFalse();
      channel.write(ByteBuffer.wrap(TAIL, TAIL.length - 1, 1));
      assertThat(VmDescription.isAtEnd(channel, rest)).isTrue();
    }
  }

  private static byte[] good() {
    return new Script()
        .begin()
        .part()
        .page("a", 0, 'A')
        .zero("", 1)
        .zero("", 2)
        .end()
        .last()
        .page("b", 0, 'B')
        .end()
        .raw(TAIL)
        .bytes();
  }

  @Test
  void streamThatIsCutOff_isRefused() throws IOException {
    byte[] good = good();
    for (int length = 0; length < good.length; length += length % PAGE < 200 ? 1 : 61) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThat(catchThrowable(() -> index(cut)))
          .as("%d of %d bytes", length, good.length)
          .isInstanceOf(ProtocolException.class);
    }
    index(good);
  }

  private void index(byte[] bytes) throws IOException {
    try (SavedStream stream = open(bytes)) {
      stream.index(NONE);
      for (int i = 0; i < stream.blocks().size(); i++) {
        if (stream.blocks().get(i).length() < 1 << 20) {
          fills(stream, i);
        }
      }
    }
  }

  /** If any bytes are changed, the stream is either read or rejected with a sentence. */
  @Test
  void streamWithOtherBytes_isReadOrRefused() throws IOException {
    byte[] good = good();
    var random = new SplittableRandom(3);
    int refused = 0;
    for (int i = 0; i < 2000; i++) {
      byte[] changed = good.clone();
      // Not the contents of pages, but the bytes around them.
      int at = random.nextInt(random.nextBoolean() ? 100 : good.length);
      changed[at] = (byte) random.nextInt();
      try (SavedStream stream = open(changed)) {
        stream.index(NONE);
      } catch (ProtocolException e) {
        refused++;
        assertThat(e.getMessage())
            .matches(
                "[^\\p{Cntrl}]+ is [^\\p{Cntrl}]* must be [^\\p{Cntrl}]+|this is not a captured"
                    + " guest");
      }
    }
    assertThat(refused).isGreaterThan(500);
  }

  @ParameterizedTest
  @CsvSource({
    "0x40, switch the capability xbzrle off and save the guest again",
    "0x100, switch the capability compress off and save the guest again",
    "0x200, switch the capability multifd off and save the guest again",
    "0x80, a stream recorded during a migration over RDMA does not contain the RAM",
    "0x04, 'ZERO, PAGE or EOS'",
    "0x01, 'ZERO, PAGE or EOS'",
    "0x0a, 'ZERO, PAGE or EOS'",
    "0x3010, 'ZERO, PAGE or EOS'",
    "0x28, as it is the first",
    "0x22, as it is the first",
  })
  void recordOfAnotherKind_isRefusedWithAdvice(long record, String advice) {
    byte[] bytes = new Script().begin().last().record(record).raw(new byte[PAGE]).bytes();
    assertRefused(bytes, advice);
  }

  private void assertRefused(byte[] bytes, String message) {
    assertThat(catchThrowableOfType(ProtocolException.class, () -> index(bytes)))
        .isNotNull()
        .hasMessageContaining(message);
  }

  @Test
  void wrongPages_areRefused() {
    assertRefused(script(s -> s.page("c", 0, 'A')), "one of the list of RAM blocks");
    assertRefused(script(s -> s.page("a", 3, 'A')), "below its length, 12288");
    assertRefused(script(s -> s.zero("a", -1)), "below its length, 12288");
    assertRefused(script(s -> s.record(2).raw(text("\1a\7"))), "byte that fills a page is 7");
    assertRefused(new Script().begin().part().end().raw(TAIL).bytes(), "PART or END");
    assertRefused(new Script().begin().raw(text("\3")).put(8).bytes(), "that of the ram section");
  }

  /** Memory grows with the file, not with the RAM that it claims to contain. */
  @Test
  void ramThatIsClaimed_costsNothing() throws IOException {
    long ram = 1L << 40;
    var script = new Script();
    script.put(0x5145564d, 3).raw(text("\7\0\0\0\2pc")).raw(text("\1")).put(9);
    script.raw(text("\3ram")).put(0, 4).record(ram | 4).raw(text("\1a")).record(ram);
    script.record(0x10).raw(text("\176")).put(9).last();
    // One page of every 2 GiB; zero pages take no memory.
    int pages = 500;
    for (int i = 0; i < pages; i++) {
      script.page("a", i << 19, (char) ('A' + i % 26)).zero("a", (i << 19) + (1 << 18));
    }
    script.record(0x10).raw(text("\176")).put(9).raw(TAIL);
    byte[] bytes = script.bytes();
    long before = NativeMemory.mappedBytes();
    try (SavedStream stream = open(bytes);
        Arena arena = Arena.ofConfined()) {
      stream.index(NONE);
      assertThat(NativeMemory.mappedBytes() - before).isPositive().isLessThan(bytes.length);
      MemorySegment page = arena.allocate(PAGE, PAGE);
      stream.fetch(0, 499L << 31, page);
      assertThat(page.get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) ('A' + 499 % 26));
      page.fill((byte) 0);
      stream.fetch(0, (499L << 31) + PAGE, page);
      assertThat(page.get(ValueLayout.JAVA_BYTE, 7)).isZero();
    }
    assertThat(NativeMemory.mappedBytes()).isEqualTo(before);
  }

  private static byte[] script(Consumer<Script> pages) {
    var script = new Script().begin().last();
    pages.accept(script);
    return script.end().raw(TAIL).bytes();
  }

  /** Streams of old machine types end with a zero byte; in others it has no meaning. */
  @ParameterizedTest
  @CsvSource({
    "false, false, true",
    "true, false, false",
    "false, true, false",
    "true, true, false"
  })
  void streamWithoutDescription_isTakenOnlyWhereItHasNone(
      boolean configuration, boolean footers, boolean taken) throws IOException {
    byte[] bytes =
        new Script()
            .begin(configuration, footers)
            .last()
            .page("a", 0, 'A')
            .end()
            .raw(text("\4device\0"))
            .bytes();
    if (taken) {
      try (SavedStream stream = open(bytes)) {
        stream.index(NONE);
        assertThat(stream.isDescribed()).isFalse();
      }
      assertRefused(Arrays.copyOf(bytes, bytes.length - 1), "cut off in the states of its devices");
    } else {
      assertRefused(bytes, "cut off in the states of its devices");
    }
  }

  @Test
  void hugeRam_isRefusedBeforeAnythingIsMade() {
    byte[] bytes =
        new Script()
            .put(0x5145564d, 3)
            .raw(text("\1"))
            .put(9)
            .raw(text("\3ram"))
            .put(0, 4)
            .record(1L << 50 | 4)
            .raw(text("\1a"))
            .record(1L << 50)
            .bytes();
    assertThatThrownBy(() -> open(bytes)).hasMessageContaining("at most 17592186044416");
  }

  @Test
  void fileThatShrinks_isAnError() throws IOException {
    try (SavedStream stream = open(good());
        Arena arena = Arena.ofConfined()) {
      stream.index(NONE);
      Files.write(folder.resolve("stream"), new byte[PAGE]);
      assertThatThrownBy(() -> stream.fetch(0, 0, arena.allocate(PAGE, PAGE)))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("truncated while it was read");
    }
  }

  @Test
  void indexing_canBeGivenUp() throws IOException {
    try (SavedStream stream = open(good())) {
      assertThatThrownBy(() ->
              stream.index(() -> {
                throw new IOException("given up");
              }))
          .hasMessage("given up");
    }
  }
}
