// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

/**
 * Reads the beginning of a stream of any machine type: header and configuration, in the format of
 * QEMU 7.2 (migration/savevm.c, {@code vmstate_configuration}).
 */
final class StreamHead {
  private static final int UUID_BYTES = 16;

  private StreamHead() {}

  /**
   * Reads the stream up to the header of the {@code ram} section, inclusive.
   *
   * @return an envelope without footers, since the beginning does not show whether there are any
   */
  static StreamEnvelope read(StreamInput in) throws IOException {
    return read(in, Set.of());
  }

  /**
   * Reads the beginning of a stream that was written with some capabilities, which the envelope
   * does not mention.
   */
  static StreamEnvelope read(StreamInput in, Set<String> expected) throws IOException {
    var prefix = new ByteArrayOutputStream();
    in.startRecording();
    StreamParts.requireMagic(in);
    prefix.writeBytes(in.takeRecorded());
    int tag = in.tag();
    String machineType = null;
    if (tag == StreamFormat.CONFIGURATION) {
      machineType = StreamParts.machineType(in);
      prefix.writeBytes(in.takeRecorded());
      tag = in.tag();
      Set<String> names = new HashSet<>();
      while (tag == StreamFormat.SUBSECTION) {
        boolean kept = subsection(in, names, expected);
        byte[] recorded = in.takeRecorded();
        if (kept) {
          prefix.writeBytes(recorded);
        }
        tag = in.tag();
      }
    }
    in.stopRecording();
    StreamParts.requireTag(in, tag, StreamFormat.SECTION_START);
    return new StreamEnvelope(
        prefix.toByteArray(), machineType, StreamParts.sectionHeader(in), false);
  }

  /**
   * Reads a subsection; returns whether the envelope has it.
   *
   * @param names of those before; QEMU writes each at most once, so what is kept of them is small
   */
  private static boolean subsection(StreamInput in, Set<String> names, Set<String> expected)
      throws IOException {
    String name = in.name("name of a subsection of the configuration");
    if (!names.add(name)) {
      throw ProtocolException.of("subsections of the configuration", "two of " + name, "one");
    }
    in.be32("version of subsection " + name);
    switch (name) {
      case "configuration/target-page-bits" -> {
        int bits = in.be32(name);
        if (bits != RamBlock.PAGE_SHIFT) {
          throw ProtocolException.ofUnsigned(
              name,
              bits,
              "%d: only machines with pages of %d bytes are supported"
                  .formatted(RamBlock.PAGE_SHIFT, RamBlock.PAGE_SIZE));
        }
      }
      case "configuration/capabilities" -> {
        capabilities(in, expected);
        return expected.isEmpty();
      }
      case "configuration/uuid" -> in.bytes(UUID_BYTES, name);
      default ->
          throw ProtocolException.of(
              "subsection of the configuration", name, "one of QEMU 7.2 to 11.1");
    }
    return true;
  }

  /** Reads the capabilities that the rest of the stream depends on, which must be expected. */
  private static void capabilities(StreamInput in, Set<String> expected) throws IOException {
    int count = in.be32("number of capabilities");
    for (int i = 0; i < Integer.toUnsignedLong(count); i++) {
      String name = in.name("name of a capability");
      if (!expected.contains(name)) {
        throw ProtocolException.of(
            "capability", name, "absent: switch it off with migrate-set-capabilities");
      }
      if (i >= expected.size()) {
        throw ProtocolException.ofUnsigned(
            "number of capabilities", count, "at most " + expected.size());
      }
    }
  }
}
