// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.protocol.ProtocolException;

/**
 * Reads the records of the {@code ram} section of a stream that contains RAM, after the list of RAM
 * blocks (QEMU 7.2 migration/ram.c).
 */
final class RamSection {
  private final StreamInput in;
  private final List<BlockListing> blocks;
  private final Pages pages;
  private final Map<String, Integer> byName = new HashMap<>();
  private StreamEnvelope envelope;
  private int block = -1;
  private int tag;

  /** Receives the pages. */
  @FunctionalInterface
  interface Pages {
    /**
     * A page.
     *
     * @param block index of its RAM block
     * @param offset in the block
     * @param zero whether it is all zero; otherwise its content is the next that the input has, and
     *     must be read or skipped
     */
    void page(int block, long offset, boolean zero) throws IOException;
  }

  RamSection(StreamInput in, StreamEnvelope envelope, List<BlockListing> blocks, Pages pages) {
    this.in = in;
    this.envelope = envelope;
    this.blocks = blocks;
    this.pages = pages;
    for (int i = 0; i < blocks.size(); i++) {
      byName.put(blocks.get(i).name(), i);
    }
  }

  /** The envelope of the stream; whether it has footers is known after {@link #readSetup}. */
  StreamEnvelope envelope() {
    return envelope;
  }

  /** Reads the rest of the START of the section, and the tag that follows. */
  void readSetup() throws IOException {
    records();
    tag = in.tag();
    if (tag == StreamFormat.FOOTER) {
      envelope = envelope.withFooters(true);
      StreamParts.requireFooter(in, envelope.ramSection(), "the ram section");
      tag = in.tag();
    }
  }

  /** Reads all PARTs of the section, and its END. */
  void readRest() throws IOException {
    while (StreamParts.part(in, tag, envelope.ramSection())) {
      section();
      tag = in.tag();
    }
    section();
  }

  private void section() throws IOException {
    records();
    if (envelope.hasFooters()) {
      StreamParts.footer(in, envelope.ramSection(), "the ram section");
    }
  }

  private void records() throws IOException {
    long record;
    while ((record = in.be64("record of the ram section")) != StreamFormat.FLAG_EOS) {
      page(record);
    }
  }

  private void page(long record) throws IOException {
    long flags = record & StreamFormat.FLAG_MASK;
    long kind = flags & ~StreamFormat.FLAG_CONTINUE;
    if (kind != StreamFormat.FLAG_ZERO && kind != StreamFormat.FLAG_PAGE) {
      throw refusal(record);
    }
    if ((flags & StreamFormat.FLAG_CONTINUE) == 0) {
      String name = in.name("name of the RAM block of a page");
      Integer named = byName.get(name);
      if (named == null) {
        throw ProtocolException.of(
            "name of the RAM block of a page", name, "one of the list of RAM blocks");
      }
      block = named;
    } else if (block < 0) {
      throw ProtocolException.of(
          "record of the ram section",
          "0x" + Long.toHexString(record),
          "one with the name of its RAM block, as it is the first");
    }
    long offset = record & ~StreamFormat.FLAG_MASK;
    long length = blocks.get(block).length();
    if (Long.compareUnsigned(offset, length) >= 0) {
      throw ProtocolException.ofUnsigned(
          "offset of a page in RAM block " + blocks.get(block).name(),
          offset,
          "below its length, " + length);
    }
    if (kind == StreamFormat.FLAG_ZERO) {
      int fill = in.u8("byte that fills a page");
      if (fill != 0) {
        throw ProtocolException.of("byte that fills a page", fill, "0");
      }
    }
    pages.page(block, offset, kind == StreamFormat.FLAG_ZERO);
  }

  private static ProtocolException refusal(long record) {
    String allowed = "ZERO, PAGE or EOS";
    long flags = record & StreamFormat.FLAG_MASK;
    if ((flags & StreamFormat.FLAG_XBZRLE) != 0) {
      allowed += ": switch the capability xbzrle off and save the guest again";
    } else if ((flags & StreamFormat.FLAG_COMPRESS_PAGE) != 0) {
      allowed += ": switch the capability compress off and save the guest again";
    } else if ((flags & StreamFormat.FLAG_MULTIFD_FLUSH) != 0) {
      allowed += ": switch the capability multifd off and save the guest again";
    } else if (flags == StreamFormat.FLAG_HOOK) {
      allowed += "; a stream recorded during a migration over RDMA does not contain the RAM";
    }
    return ProtocolException.of(
        "record of the ram section", "0x" + Long.toHexString(record), allowed);
  }
}
