// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.ZeroPages;

/**
 * Writes a migration stream including its RAM, as QEMU 7.2 does for {@code migrate "exec:cat >
 * FILE"} and reads with {@code -incoming "exec:cat FILE"} (migration/ram.c): all RAM is in the END
 * of the {@code ram} section, one record per page.
 *
 * <p>A zero page is a record of nine bytes. It cannot be left out for a QEMU, which fills ROMs
 * before it loads the stream, and may have RAM in a file with other contents. The guest of a
 * Wridscope, which no QEMU can load, has none: what is not in its stream is zero.
 */
public final class SavedStreamWriter {
  private static final int BUFFER = 4 << 20;

  /** Upper bound of a record: flags and address, a name with its length, a page. */
  private static final int MAX_RECORD = Long.BYTES + 1 + StreamFormat.MAX_NAME + RamBlock.PAGE_SIZE;

  private final WritableByteChannel out;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
  private final MemorySegment memory = MemorySegment.ofBuffer(buffer);

  /**
   * @param out written to from its position on; not closed
   */
  public SavedStreamWriter(WritableByteChannel out) {
    this.out = out;
  }

  /** Writes everything up to the end of the {@code ram} section. */
  public void ram(StreamEnvelope envelope, List<RamBlock> blocks, Checkpoint checkpoint)
      throws IOException {
    ram(envelope, blocks, _ -> true, checkpoint);
  }

  /**
   * Writes everything up to the end of the {@code ram} section.
   *
   * @param included whether the pages of a block are written; a machine that loads the stream keeps
   *     what it has in the others
   */
  public void ram(
      StreamEnvelope envelope,
      List<RamBlock> blocks,
      Predicate<RamBlock> included,
      Checkpoint checkpoint)
      throws IOException {
    buffer.put(envelope.prefix());
    buffer.put((byte) StreamFormat.SECTION_START).putInt(envelope.ramSection());
    putName(StreamFormat.RAM);
    buffer.putInt(StreamFormat.RAM_INSTANCE).putInt(StreamFormat.RAM_VERSION);
    long sum = blocks.stream().mapToLong(RamBlock::length).sum();
    buffer.putLong(sum | StreamFormat.FLAG_MEM_SIZE);
    for (RamBlock block : blocks) {
      makeRoom();
      putName(block.name());
      buffer.putLong(block.length());
    }
    makeRoom();
    end(envelope);
    buffer.put((byte) StreamFormat.SECTION_END).putInt(envelope.ramSection());
    for (RamBlock block : blocks) {
      if (included.test(block)) {
        pages(block, envelope.isOfQemu(), checkpoint);
      }
    }
    makeRoom();
    end(envelope);
    flush();
  }

  private void pages(RamBlock block, boolean zeros, Checkpoint checkpoint) throws IOException {
    MemorySegment ram = block.memory();
    boolean named = false;
    long hole = 0;
    for (long at = 0; at < block.length(); at += RamBlock.PAGE_SIZE) {
      if (makeRoom()) {
        checkpoint.pass();
      }
      if (at >= hole && at % ChunkTable.CHUNK_SIZE == 0) {
        hole = block.holes().nextData(at, block.length());
        if (!zeros && hole > at) {
          checkpoint.pass();
          // The rest of a chunk is looked at by pages.
          at = hole - RamBlock.PAGE_SIZE;
          continue;
        }
      }
      boolean zero = at < hole || ZeroPages.isZero(ram, at, RamBlock.PAGE_SIZE);
      if (zero && !zeros) {
        continue;
      }
      long flags =
          (zero ? StreamFormat.FLAG_ZERO : StreamFormat.FLAG_PAGE)
              | (named ? StreamFormat.FLAG_CONTINUE : 0);
      buffer.putLong(at | flags);
      if (!named) {
        putName(block.name());
        named = true;
      }
      if (zero) {
        buffer.put((byte) 0);
      } else {
        MemorySegment.copy(ram, at, memory, buffer.position(), RamBlock.PAGE_SIZE);
        buffer.position(buffer.position() + RamBlock.PAGE_SIZE);
      }
    }
  }

  private void end(StreamEnvelope envelope) {
    buffer.putLong(StreamFormat.FLAG_EOS);
    if (envelope.hasFooters()) {
      buffer.put((byte) StreamFormat.FOOTER).putInt(envelope.ramSection());
    }
  }

  private void putName(String name) {
    buffer.put((byte) name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
  }

  /** Makes room for a record; returns whether the buffer was written for that. */
  private boolean makeRoom() throws IOException {
    if (buffer.remaining() >= MAX_RECORD) {
      return false;
    }
    flush();
    return true;
  }

  private void flush() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      out.write(buffer);
    }
    buffer.clear();
  }
}
