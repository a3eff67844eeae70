// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

/** Reads the parts that all migration streams have in common, however RAM is sent. */
final class StreamParts {
  private StreamParts() {}

  static void requireMagic(StreamInput in) throws IOException {
    int magic = in.be32("magic of the migration stream");
    if (magic != StreamFormat.MAGIC) {
      throw ProtocolException.of(
          "magic of the migration stream",
          "0x%08x".formatted(magic),
          "0x%08x".formatted(StreamFormat.MAGIC));
    }
    int version = in.be32("version of the migration stream");
    if (version != StreamFormat.VERSION) {
      throw ProtocolException.ofUnsigned(
          "version of the migration stream", version, String.valueOf(StreamFormat.VERSION));
    }
  }

  /** Reads the machine type after the tag CONFIGURATION. */
  static String machineType(StreamInput in) throws IOException {
    int length = in.be32("length of the machine type");
    if (length < 1 || length > StreamFormat.MAX_NAME) {
      throw ProtocolException.ofUnsigned(
          "length of the machine type", length, "1 to " + StreamFormat.MAX_NAME);
    }
    return in.text(length, "machine type");
  }

  /** Reads the header of the ram section after its tag; returns the section id. */
  static int sectionHeader(StreamInput in) throws IOException {
    int sectionId = in.be32("section id");
    String idstr = in.name("section name");
    int instance = in.be32("section instance");
    int version = in.be32("section version");
    if (!idstr.equals(StreamFormat.RAM)) {
      throw ProtocolException.of(
          "name of a section with parts", idstr, StreamFormat.RAM + advice(idstr));
    }
    if (instance != StreamFormat.RAM_INSTANCE) {
      throw ProtocolException.ofUnsigned(
          "instance of the ram section", instance, String.valueOf(StreamFormat.RAM_INSTANCE));
    }
    if (version != StreamFormat.RAM_VERSION) {
      throw ProtocolException.ofUnsigned(
          "version of the ram section", version, String.valueOf(StreamFormat.RAM_VERSION));
    }
    return sectionId;
  }

  private static String advice(String idstr) {
    return switch (idstr) {
      case "block" -> ": migrate without disks (no blk, no inc, capability block off)";
      case "dirty-bitmap" -> ": switch the capability dirty-bitmaps off at the source";
      default -> "";
    };
  }

  /**
   * Reads the record MEM_SIZE, and checks that names are unique and the sum of the lengths is
   * right.
   */
  static List<BlockListing> blocks(StreamInput in) throws IOException {
    return blocks(in, false);
  }

  /**
   * As {@link #blocks(StreamInput)}, from a source with or without the capability {@code
   * x-ignore-shared}, with which an address in the guest follows each length.
   */
  static List<BlockListing> blocks(StreamInput in, boolean addresses) throws IOException {
    long record = in.be64("record MEM_SIZE");
    if ((record & StreamFormat.FLAG_MASK) != StreamFormat.FLAG_MEM_SIZE) {
      throw unexpectedRecord(record, StreamFormat.FLAG_MEM_SIZE, "MEM_SIZE");
    }
    long left = record & ~StreamFormat.FLAG_MASK;
    if (left <= 0) {
      throw ProtocolException.ofUnsigned(
          "sum of all RAM blocks", left, "%d to %d".formatted(RamBlock.PAGE_SIZE, Long.MAX_VALUE));
    }
    List<BlockListing> blocks = new ArrayList<>();
    Set<String> names = new HashSet<>();
    while (left > 0) {
      if (blocks.size() == StreamFormat.MAX_BLOCKS) {
        throw ProtocolException.of(
            "number of RAM blocks", "more than " + blocks.size(), "1 to " + blocks.size());
      }
      String name = in.name("name of RAM block " + blocks.size());
      if (!names.add(name)) {
        throw ProtocolException.of("name of RAM block " + blocks.size(), name, "unique");
      }
      long length = in.be64("length of RAM block " + name);
      if (length <= 0 || length % RamBlock.PAGE_SIZE != 0) {
        throw ProtocolException.ofUnsigned(
            "length of RAM block " + name, length, "a positive multiple of " + RamBlock.PAGE_SIZE);
      }
      if (length > left) {
        throw ProtocolException.of(
            "length of RAM block " + name,
            length,
            "at most %d, the rest of the sum of all RAM blocks".formatted(left));
      }
      left -= length;
      if (addresses) {
        in.be64("address of RAM block " + name);
      }
      blocks.add(new BlockListing(name, length));
    }
    return List.copyOf(blocks);
  }

  /**
   * Reads the header of a PART or END of the ram section, and the command that may precede the END.
   *
   * @param tag the tag that was read
   * @return whether it is a PART
   */
  static boolean part(StreamInput in, int tag, int ram) throws IOException {
    int section = tag;
    if (tag == StreamFormat.COMMAND) {
      StreamCommand.requireSwitchoverStart(in);
      section = in.tag();
      if (section != StreamFormat.SECTION_END) {
        throw unexpectedTag(
            in, section, "END of the ram section after " + StreamCommand.SWITCHOVER_START);
      }
    }
    if (section != StreamFormat.SECTION_PART && section != StreamFormat.SECTION_END) {
      throw unexpectedTag(in, section, "PART or END of the ram section");
    }
    requireSection(in, ram);
    return section == StreamFormat.SECTION_PART;
  }

  private static void requireSection(StreamInput in, int ram) throws IOException {
    int sectionId = in.be32("section id");
    if (sectionId != ram) {
      throw ProtocolException.ofUnsigned(
          "section id", sectionId, Integer.toUnsignedString(ram) + ", that of the ram section");
    }
  }

  static void requireRecord(StreamInput in, long expected, String name) throws IOException {
    long record = in.be64("record " + name);
    if (record != expected) {
      throw unexpectedRecord(record, expected, name);
    }
  }

  static ProtocolException unexpectedRecord(long record, long expected, String name) {
    return ProtocolException.of(
        "record of the ram section",
        "0x" + Long.toHexString(record),
        "%s, 0x%x".formatted(name, expected));
  }

  /** Reads the footer of a section. */
  static void footer(StreamInput in, int sectionId, String what) throws IOException {
    int tag = in.u8("footer of " + what);
    if (tag != StreamFormat.FOOTER) {
      throw ProtocolException.of(
          "tag of the footer of " + what, tagName(tag), tagName(StreamFormat.FOOTER));
    }
    requireFooter(in, sectionId, what);
  }

  /** Reads the footer after its tag. */
  static void requireFooter(StreamInput in, int sectionId, String what) throws IOException {
    int id = in.be32("footer of " + what);
    if (id != sectionId) {
      throw ProtocolException.ofUnsigned(
          "section id in the footer of " + what, id, Integer.toUnsignedString(sectionId));
    }
  }

  /** Checks that a description of the machine is a JSON object. */
  static void requireJsonObject(byte[] json) throws IOException {
    try (JsonReader reader =
        new JsonReader(
            new InputStreamReader(
                new ByteArrayInputStream(json), StandardCharsets.UTF_8.newDecoder()))) {
      reader.setStrictness(Strictness.STRICT);
      boolean object = reader.peek() == JsonToken.BEGIN_OBJECT;
      reader.skipValue();
      if (!object || reader.peek() != JsonToken.END_DOCUMENT) {
        throw ProtocolException.of("description of the machine", "other JSON", "one JSON object");
      }
    } catch (MalformedJsonException | CharacterCodingException | EOFException e) {
      // The other lines of Gson's message are for programmers.
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw ProtocolException.of(
          "description of the machine", "not JSON (" + reason + ")", "one JSON object");
    }
  }

  static void requireTag(StreamInput in, int tag, int expected) throws IOException {
    if (tag != expected) {
      throw unexpectedTag(in, tag, tagName(expected));
    }
  }

  /** For a tag that may not come; of a command, its number is read. */
  static ProtocolException unexpectedTag(StreamInput in, int tag, String expected)
      throws IOException {
    return tag == StreamFormat.COMMAND
        ? StreamCommand.refused(in)
        : ProtocolException.of("section tag", tagName(tag), expected);
  }

  static String tagName(int tag) {
    String name =
        switch (tag) {
          case StreamFormat.EOF -> "EOF";
          case StreamFormat.SECTION_START -> "START";
          case StreamFormat.SECTION_PART -> "PART";
          case StreamFormat.SECTION_END -> "END";
          case StreamFormat.SECTION_FULL -> "FULL";
          case StreamFormat.SUBSECTION -> "SUBSECTION";
          case StreamFormat.VMDESCRIPTION -> "VMDESCRIPTION";
          case StreamFormat.CONFIGURATION -> "CONFIGURATION";
          case StreamFormat.COMMAND -> "COMMAND";
          case StreamFormat.FOOTER -> "FOOTER";
          default -> "unknown";
        };
    return "0x%02x (%s)".formatted(tag, name);
  }
}
