// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
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
    in.startRecording();
    StreamParts.requireMagic(in);
    int tag = in.tag();
    String machineType = null;
    if (tag == StreamFormat.CONFIGURATION) {
      machineType = StreamParts.machineType(in);
      tag = in.tag();
      while (tag == StreamFormat.SUBSECTION) {
        subsection(in);
        tag = in.tag();
      }
    }
    if (tag == StreamFormat.COMMAND) {
      throw command(in);
    }
    StreamParts.requireTag(tag, StreamFormat.SECTION_START);
    return envelope(in, machineType);
  }

  private static StreamEnvelope envelope(StreamInput in, @Nullable String machineType)
      throws IOException {
    byte[] recorded = in.stopRecording();
    byte[] prefix = Arrays.copyOf(recorded, recorded.length - 1);
    return new StreamEnvelope(prefix, machineType, StreamParts.sectionHeader(in), false);
  }

  private static void subsection(StreamInput in) throws IOException {
    String name = in.name("name of a subsection of the configuration");
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
      case "configuration/capabilities" -> capabilities(in);
      case "configuration/uuid" -> in.bytes(UUID_BYTES, name);
      default ->
          throw ProtocolException.of("subsection of the configuration", name, "one of QEMU 7.2's");
    }
  }

  /** Reads the capabilities that the rest of the stream depends on, of which none is supported. */
  private static void capabilities(StreamInput in) throws IOException {
    int count = in.be32("number of capabilities");
    if (count != 0) {
      String first = in.name("name of a capability");
      throw ProtocolException.of(
          "capability", first, "absent: switch it off with migrate-set-capabilities");
    }
  }

  private static ProtocolException command(StreamInput in) throws IOException {
    int command = in.be16("command");
    String name =
        switch (command) {
          case 1 -> "OPEN_RETURN_PATH";
          case 2 -> "PING";
          case 3 -> "POSTCOPY_ADVISE";
          case 8 -> "ENABLE_COLO";
          default -> "unknown";
        };
    return ProtocolException.of(
        "command in the migration stream",
        "%d (%s)".formatted(command, name),
        command == 8
            ? "absent: switch the capability x-colo off at the source"
            : "absent: switch the capabilities postcopy-ram and return-path off at the source");
  }
}
