// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

/**
 * A migration stream in a file, including its RAM, as QEMU saves it with {@code migrate "exec:cat >
 * FILE"} and {@link SavedStreamWriter} writes it.
 *
 * <p>In the stream of a running guest a page occurs each time it was sent, and the last occurrence
 * counts. So the file is read once from beginning to end, which finds errors before anything is
 * sent, and the position of each page is {@linkplain PagePlaces kept}. {@link #fetch} then reads
 * the pages of a range of RAM, which are contiguous except for those that were sent again.
 */
public final class SavedStream implements AutoCloseable {
  /** More RAM than any machine of QEMU 7.2 has; limits the memory that is kept per chunk. */
  private static final long MAX_RAM = 16L << 40;

  /** Size of the records of a chunk. */
  private static final int WINDOW = (1 << 20) + (64 << 10);

  private final FileChannel file;
  private StreamEnvelope envelope;
  private final List<BlockListing> blocks;
  private final long recordsFrom;
  private @Nullable PagePlaces places;
  private final ByteBuffer window = ByteBuffer.allocateDirect(WINDOW);
  private final MemorySegment windowMemory = MemorySegment.ofBuffer(window);
  private long tailFrom;
  private boolean described;

  private SavedStream(
      FileChannel file, StreamEnvelope envelope, List<BlockListing> blocks, long recordsFrom) {
    this.file = file;
    this.envelope = envelope;
    this.blocks = blocks;
    this.recordsFrom = recordsFrom;
  }

  /**
   * Opens a file and reads its beginning.
   *
   * @throws ProtocolException if it is not such a stream
   */
  public static SavedStream open(Path path) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
    try {
      var in = new StreamInput(new ChannelInput(file, 0, () -> {}));
      requireMagic(file);
      StreamEnvelope envelope = StreamHead.read(in);
      List<BlockListing> blocks = StreamParts.blocks(in);
      long sum = blocks.stream().mapToLong(BlockListing::length).sum();
      if (sum > MAX_RAM) {
        throw ProtocolException.of("sum of all RAM blocks", sum, "at most " + MAX_RAM);
      }
      return new SavedStream(file, envelope, blocks, in.position());
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  private static void requireMagic(FileChannel file) throws IOException {
    var first = ByteBuffer.allocate(Integer.BYTES);
    while (first.hasRemaining() && file.read(first, first.position()) >= 0) {
      // until it is full or the file ends
    }
    if (first.hasRemaining() || first.getInt(0) != StreamFormat.MAGIC) {
      throw ProtocolException.notA("a captured guest");
    }
  }

  /** The RAM blocks in the order of the stream. */
  public List<BlockListing> blocks() {
    return blocks;
  }

  /** The parts around the RAM; whether there are footers is known after {@link #index} only. */
  public StreamEnvelope envelope() {
    return envelope;
  }

  /**
   * Whether a description of the machine marks the end of the stream; known after {@link #index}
   * only.
   */
  public boolean isDescribed() {
    return described;
  }

  /** Whether the file ends with a description of the machine; reads its end only. */
  public boolean endsInDescription() throws IOException {
    return VmDescription.isAtEnd(file, recordsFrom);
  }

  /**
   * Reads the file and notes the position of each page. Must be called once, before {@link #fetch}.
   *
   * @throws ProtocolException if the stream is truncated, not in QEMU's format, or written with a
   *     capability that must be off, which the message names
   */
  public void index(Checkpoint checkpoint) throws IOException {
    places = new PagePlaces(blocks, file.size());
    PagePlaces noted = places;
    var in = new StreamInput(new ChannelInput(file, recordsFrom, checkpoint), recordsFrom);
    var section =
        new RamSection(
            in,
            envelope,
            blocks,
            (block, offset, zero) -> {
              long place = zero ? 0 : in.position();
              if (!zero) {
                in.skip(RamBlock.PAGE_SIZE, "page of the ram section");
              }
              noted.set(block, offset / RamBlock.PAGE_SIZE, place);
            });
    section.readSetup();
    section.readRest();
    envelope = section.envelope();
    tailFrom = in.position();
    described = VmDescription.isAtEnd(file, tailFrom);
    boolean eof = VmDescription.endsInEof(file, tailFrom);
    if (!described && (envelope.needsDescription() || !eof)) {
      throw ProtocolException.of(
          "migration stream",
          "cut off in the states of its devices after %d bytes".formatted(file.size()),
          "complete");
    }
  }

  /**
   * Reads a range of RAM.
   *
   * @param offset in the block, a whole number of pages
   * @param into gets the contents; all zero before, and pages that are zero are not written to
   */
  public synchronized void fetch(int block, long offset, MemorySegment into) throws IOException {
    PagePlaces index = Objects.requireNonNull(places, "index must be called first");
    long pages = into.byteSize() / RamBlock.PAGE_SIZE;
    long first = offset / RamBlock.PAGE_SIZE;
    long page = 0;
    while (page < pages) {
      long place = index.get(block, first + page);
      if (place == 0) {
        page++;
        continue;
      }
      long end = page + 1;
      long last = place;
      // Later pages that follow it in the file and fit the window are read with it; zero pages are
      // skipped.
      for (long next = end; next < pages; next++) {
        long nextPlace = index.get(block, first + next);
        if (nextPlace != 0) {
          if (nextPlace < last || nextPlace + RamBlock.PAGE_SIZE - place > WINDOW) {
            break;
          }
          last = nextPlace;
        }
        end = next + 1;
      }
      read(place, (int) (last + RamBlock.PAGE_SIZE - place));
      for (; page < end; page++) {
        long at = index.get(block, first + page);
        if (at != 0) {
          MemorySegment.copy(
              windowMemory, at - place, into, page * RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE);
        }
      }
    }
  }

  /**
   * The first page in {@code [from, end)} of a block that is in the file and not zero there.
   *
   * @param from offset in the block, a whole number of pages, as is {@code end}, which is more
   * @return its offset; end if there is none, and {@code from} before {@link #index}
   */
  public synchronized long nextData(int block, long from, long end) {
    return places == null
        ? from
        : places.next(block, from / RamBlock.PAGE_SIZE, end / RamBlock.PAGE_SIZE)
            * RamBlock.PAGE_SIZE;
  }

  /** Bytes of the pages of a block that are in the file and not zero; 0 before {@link #index}. */
  public synchronized long existing(int block) {
    return places == null ? 0 : places.placed(block) * RamBlock.PAGE_SIZE;
  }

  private void read(long from, int length) throws IOException {
    window.clear().limit(length);
    while (window.hasRemaining()) {
      if (file.read(window, from + window.position()) < 0) {
        throw ProtocolException.of("file", "truncated while it was read", "unchanged");
      }
    }
  }

  /** Everything that follows the {@code ram} section. */
  InputStream tail() {
    return new ChannelInput(file, tailFrom, () -> {});
  }

  /** Bytes of the {@link #tail} up to EOF, which a description of the machine may follow. */
  long tailToEof() throws IOException {
    return VmDescription.toEof(file, tailFrom);
  }

  @Override
  public void close() throws IOException {
    try (file) {
      if (places != null) {
        places.close();
      }
    }
  }
}
