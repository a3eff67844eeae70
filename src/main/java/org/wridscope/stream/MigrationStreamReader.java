// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ProtocolException;

/**
 * Reads the migration stream of a source whose RAM travels by RDMA, as QEMU 7.2 lays it out
 * (migration/savevm.c, migration/ram.c).
 *
 * <p>It asks the input for no byte before it needs it: at a HOOK the registration loop runs, and a
 * destination tells its peer that it is ready for more of the stream only when more is wanted. The
 * input says by {@link InputStream#available()} how many bytes of the last message are left; at a
 * HOOK and behind the end there must be none.
 *
 * <p>Device sections are understood when a u32 of the length precedes the state, at most 16 MiB, as
 * {@link MigrationStreamWriter} writes them. Those of a QEMU have no length. Not understood either,
 * and refused, are commands (return path, postcopy), subsections of the configuration (the
 * capabilities x-ignore-shared and validate-uuid), pages inside the {@code ram} section, streams
 * without configuration or description (machine types before pc-2.4).
 */
public final class MigrationStreamReader {
  private final InputStream in;
  private long position;

  /**
   * A reader of one stream.
   *
   * @param in is not closed
   */
  public MigrationStreamReader(InputStream in) {
    this.in = in;
  }

  /**
   * Reads the stream to its end.
   *
   * @throws ProtocolException when the stream is cut off, or not as described above
   * @throws IOException from the input or the handler
   */
  public void read(StreamHandler handler) throws IOException {
    handler.machine(header());
    int ram = ramStart(handler);
    while (ramPart(handler, ram)) {}
    while (device(handler, ram)) {}
    vmDescription();
  }

  private String header() throws IOException {
    int magic = be32("magic of the migration stream");
    if (magic != StreamFormat.MAGIC) {
      throw ProtocolException.of(
          "magic of the migration stream",
          "0x%08x".formatted(magic),
          "0x%08x".formatted(StreamFormat.MAGIC));
    }
    int version = be32("version of the migration stream");
    if (version != StreamFormat.VERSION) {
      throw ProtocolException.ofUnsigned(
          "version of the migration stream", version, String.valueOf(StreamFormat.VERSION));
    }
    requireTag(tag(), StreamFormat.CONFIGURATION);
    int length = be32("length of the machine type");
    if (length < 1 || length > StreamFormat.MAX_NAME) {
      throw ProtocolException.ofUnsigned(
          "length of the machine type", length, "1 to " + StreamFormat.MAX_NAME);
    }
    return text(length, "machine type");
  }

  /** Returns the section id. */
  private int ramStart(StreamHandler handler) throws IOException {
    int tag = tag();
    if (tag == StreamFormat.SUBSECTION) {
      throw ProtocolException.of(
          "subsection of the configuration",
          name("name of a subsection of the configuration"),
          "absent: switch the capabilities x-ignore-shared and validate-uuid off at the source");
    }
    requireTag(tag, StreamFormat.SECTION_START);
    int sectionId = be32("section id");
    String idstr = name("section name");
    int instance = be32("section instance");
    int version = be32("section version");
    if (!idstr.equals(StreamFormat.RAM)) {
      throw ProtocolException.of("name of a section with parts", idstr, StreamFormat.RAM);
    }
    if (instance != StreamFormat.RAM_INSTANCE) {
      throw ProtocolException.ofUnsigned(
          "instance of the ram section", instance, String.valueOf(StreamFormat.RAM_INSTANCE));
    }
    if (version != StreamFormat.RAM_VERSION) {
      throw ProtocolException.ofUnsigned(
          "version of the ram section", version, String.valueOf(StreamFormat.RAM_VERSION));
    }
    handler.ramBlocks(blocks());
    registration(handler, RamPhase.SETUP, sectionId);
    return sectionId;
  }

  private List<BlockListing> blocks() throws IOException {
    long record = be64("record MEM_SIZE");
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
      String name = name("name of RAM block " + blocks.size());
      if (!names.add(name)) {
        throw ProtocolException.of("name of RAM block " + blocks.size(), name, "unique");
      }
      long length = be64("length of RAM block " + name);
      if (length <= 0 || length % RamBlock.PAGE_SIZE != 0) {
        throw ProtocolException.ofUnsigned(
            "length of RAM block " + name, length, "a positive multiple of " + RamBlock.PAGE_SIZE);
      }
      if (length > left) {
        throw ProtocolException.of(
            "length of RAM block " + name,
            length,
            "at most %d, what is left of the sum of all RAM blocks".formatted(left));
      }
      left -= length;
      blocks.add(new BlockListing(name, length));
    }
    return List.copyOf(blocks);
  }

  /** Returns whether more of the ram section follows. */
  private boolean ramPart(StreamHandler handler, int ram) throws IOException {
    int tag = tag();
    if (tag != StreamFormat.SECTION_PART && tag != StreamFormat.SECTION_END) {
      throw unexpectedTag(tag, "PART or END of the ram section");
    }
    int sectionId = be32("section id");
    if (sectionId != ram) {
      throw ProtocolException.ofUnsigned(
          "section id", sectionId, Integer.toUnsignedString(ram) + ", that of the ram section");
    }
    boolean part = tag == StreamFormat.SECTION_PART;
    registration(handler, part ? RamPhase.ROUND : RamPhase.FINISH, ram);
    return part;
  }

  private void registration(StreamHandler handler, RamPhase phase, int ram) throws IOException {
    requireRecord(StreamFormat.FLAG_HOOK, "HOOK");
    requireNothingLeft("HOOK");
    handler.hook(phase);
    requireRecord(StreamFormat.FLAG_EOS, "EOS");
    footer(ram, "the ram section");
  }

  /** Returns whether it found one, and not the end. */
  private boolean device(StreamHandler handler, int ram) throws IOException {
    int tag = tag();
    if (tag == StreamFormat.EOF) {
      return false;
    }
    if (tag != StreamFormat.SECTION_FULL) {
      throw unexpectedTag(tag, "a FULL section or EOF");
    }
    int sectionId = be32("section id");
    if (sectionId == ram) {
      throw ProtocolException.ofUnsigned(
          "section id of a device", sectionId, "another than that of the ram section");
    }
    String idstr = name("section name");
    int instance = be32("section instance");
    int version = be32("section version");
    int length = be32("length of the state of device " + idstr);
    if (length < 0 || length > StreamFormat.MAX_DEVICE_BODY) {
      throw ProtocolException.ofUnsigned(
          "length of the state of device " + idstr,
          length,
          "0 to %d, and the devices of a QEMU have none".formatted(StreamFormat.MAX_DEVICE_BODY));
    }
    byte[] body = bytes(length, "state of device " + idstr);
    footer(sectionId, "device " + idstr);
    handler.device(idstr, instance, version, body);
    return true;
  }

  private void vmDescription() throws IOException {
    requireTag(tag(), StreamFormat.VMDESCRIPTION);
    int length = be32("length of the description of the machine");
    if (length < 0 || length > StreamFormat.MAX_VM_DESCRIPTION) {
      throw ProtocolException.ofUnsigned(
          "length of the description of the machine",
          length,
          "0 to " + StreamFormat.MAX_VM_DESCRIPTION);
    }
    requireJsonObject(bytes(length, "description of the machine"));
    requireNothingLeft("the end of the migration stream");
  }

  private static void requireJsonObject(byte[] json) throws IOException {
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
      // Gson adds a line of advice for programmers.
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw ProtocolException.of(
          "description of the machine", "not JSON (" + reason + ")", "one JSON object");
    }
  }

  private void footer(int sectionId, String what) throws IOException {
    int tag = u8("footer of " + what);
    if (tag != StreamFormat.FOOTER) {
      throw ProtocolException.of(
          "tag of the footer of " + what, tagName(tag), tagName(StreamFormat.FOOTER));
    }
    int id = be32("footer of " + what);
    if (id != sectionId) {
      throw ProtocolException.ofUnsigned(
          "section id in the footer of " + what, id, Integer.toUnsignedString(sectionId));
    }
  }

  private void requireRecord(long expected, String name) throws IOException {
    long record = be64("record " + name);
    if (record != expected) {
      throw unexpectedRecord(record, expected, name);
    }
  }

  private static ProtocolException unexpectedRecord(long record, long expected, String name) {
    return ProtocolException.of(
        "record of the ram section",
        "0x" + Long.toHexString(record),
        "%s, 0x%x".formatted(name, expected));
  }

  private int tag() throws IOException {
    return u8("section tag");
  }

  private static void requireTag(int tag, int expected) throws ProtocolException {
    if (tag != expected) {
      throw unexpectedTag(tag, tagName(expected));
    }
  }

  private static ProtocolException unexpectedTag(int tag, String expected) {
    String advice =
        tag == StreamFormat.COMMAND
            ? expected + ": switch return-path and postcopy-ram off at the source"
            : expected;
    return ProtocolException.of("section tag", tagName(tag), advice);
  }

  private static String tagName(int tag) {
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

  private void requireNothingLeft(String what) throws IOException {
    int left = in.available();
    if (left != 0) {
      throw ProtocolException.of("number of bytes behind " + what, left, "0");
    }
  }

  private int u8(String what) throws IOException {
    int value = in.read();
    if (value < 0) {
      throw cutOff(what);
    }
    position++;
    return value;
  }

  private int be32(String what) throws IOException {
    int value = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      value = value << 8 | u8(what);
    }
    return value;
  }

  private long be64(String what) throws IOException {
    return (long) be32(what) << 32 | Integer.toUnsignedLong(be32(what));
  }

  private String name(String what) throws IOException {
    return text(u8(what), what);
  }

  private String text(int length, String what) throws IOException {
    String text = new String(bytes(length, what), StandardCharsets.ISO_8859_1);
    if (!StreamFormat.isName(text)) {
      throw ProtocolException.of(what, "'" + text + "'", StreamFormat.NAMES);
    }
    return text;
  }

  private byte[] bytes(int length, String what) throws IOException {
    // Allocates as the bytes come in, so a length alone costs nothing.
    byte[] bytes = in.readNBytes(length);
    position += bytes.length;
    if (bytes.length < length) {
      throw cutOff(what);
    }
    return bytes;
  }

  private ProtocolException cutOff(String what) {
    return ProtocolException.of(
        what, "cut off after %d bytes of the migration stream".formatted(position), "complete");
  }
}
