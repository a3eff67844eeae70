// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;

/**
 * Reads the migration stream of a QEMU with the capability {@value #IGNORE_SHARED}, which leaves
 * out the pages of RAM that it shares. The methods must be called in this order: {@link
 * #readBeginning}, {@link #readRam}; what is left in the input is the rest.
 */
public final class MachineStreamReader {
  /** Capability of QEMU that leaves out shared RAM. */
  public static final String IGNORE_SHARED = "x-ignore-shared";

  private final StreamInput in;
  private final Sink sink;
  private @Nullable RamSection section;

  /**
   * The beginning of a stream.
   *
   * @param envelope as it is without the capability
   * @param blocks all RAM blocks, shared or not
   */
  public record Beginning(StreamEnvelope envelope, List<BlockListing> blocks) {}

  /** Receives the pages that the stream contains; the same page may come several times. */
  public interface Sink {
    /**
     * A page of RAM.
     *
     * @param block index of its RAM block
     * @param offset in the block, a whole number of pages
     * @param content {@value RamBlock#PAGE_SIZE} bytes, valid only during the call
     */
    void page(int block, long offset, MemorySegment content) throws IOException;
  }

  /**
   * @param in is not closed; bytes of it are read one by one, so it should be buffered
   */
  public MachineStreamReader(InputStream in, Sink sink) {
    this.in = new StreamInput(in);
    this.sink = sink;
  }

  /**
   * Reads everything before the first pages of RAM.
   *
   * @throws org.wridscope.protocol.ProtocolException if it is not such a stream, or depends on
   *     another capability, which the message names
   */
  public Beginning readBeginning() throws IOException {
    StreamEnvelope head = StreamHead.read(in, Set.of(IGNORE_SHARED));
    List<BlockListing> blocks = StreamParts.blocks(in, true);
    MemorySegment zeros = MemorySegment.ofArray(new byte[RamBlock.PAGE_SIZE]).asReadOnly();
    var ram =
        new RamSection(
            in,
            head,
            blocks,
            (block, offset, zero) ->
                sink.page(
                    block,
                    offset,
                    zero
                        ? zeros
                        : MemorySegment.ofArray(
                            in.bytes(RamBlock.PAGE_SIZE, "page of the ram section"))));
    ram.readSetup();
    section = ram;
    return new Beginning(ram.envelope(), blocks);
  }

  /** Reads RAM to its end. */
  public void readRam() throws IOException {
    RamSection ram = section;
    if (ram == null) {
      throw new IllegalStateException("the beginning must be read first");
    }
    ram.readRest();
  }
}
