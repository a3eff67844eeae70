// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import org.wridscope.protocol.ProtocolException;

/**
 * Reads the migration stream of a source that sends RAM by RDMA, in the format of QEMU 7.2 to
 * 11.1 (migration/savevm.c, migration/ram.c).
 *
 * <p>The reader requests no byte before it needs it: at a HOOK the registration loop runs, and a
 * destination sends READY for more of the stream only when a byte is requested. {@link
 * InputStream#available()} returns the number of bytes left of the last message; at a HOOK and
 * after the end there must be none.
 *
 * <p>Device sections are supported if the state is preceded by its length, a u32 of at most 16 MiB,
 * as {@link MigrationStreamWriter} writes them. Those of QEMU have no length. Also not supported,
 * and rejected, are commands other than SWITCHOVER_START, subsections of the configuration (the
 * capabilities x-ignore-shared and validate-uuid), pages inside the {@code ram} section, and
 * streams without a configuration or description (machine types before pc-2.4).
 */
public final class MigrationStreamReader {
  private final StreamInput in;

  /**
   * Creates a reader of one stream.
   *
   * @param in is not closed
   */
  public MigrationStreamReader(InputStream in) {
    this.in = new StreamInput(in);
  }

  /**
   * Reads the stream to its end.
   *
   * @throws ProtocolException if the stream is truncated, or not as described above
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
    StreamParts.requireMagic(in);
    StreamParts.requireTag(in, in.tag(), StreamFormat.CONFIGURATION);
    return StreamParts.machineType(in);
  }

  /** Reads the beginning of the ram section, and returns its id. */
  private int ramStart(StreamHandler handler) throws IOException {
    int tag = in.tag();
    if (tag == StreamFormat.SUBSECTION) {
      throw ProtocolException.of(
          "subsection of the configuration",
          in.name("name of a subsection of the configuration"),
          "absent: switch the capabilities x-ignore-shared and validate-uuid off at the source");
    }
    StreamParts.requireTag(in, tag, StreamFormat.SECTION_START);
    int sectionId = StreamParts.sectionHeader(in);
    handler.ramBlocks(StreamParts.blocks(in));
    registration(handler, RamPhase.SETUP, sectionId);
    return sectionId;
  }

  /** Reads a part of the ram section, and returns whether another one follows. */
  private boolean ramPart(StreamHandler handler, int ram) throws IOException {
    boolean part = StreamParts.part(in, in.tag(), ram);
    registration(handler, part ? RamPhase.ROUND : RamPhase.FINISH, ram);
    return part;
  }

  private void registration(StreamHandler handler, RamPhase phase, int ram) throws IOException {
    StreamParts.requireRecord(in, StreamFormat.FLAG_HOOK, "HOOK");
    in.requireNothingLeft("HOOK");
    handler.hook(phase);
    StreamParts.requireRecord(in, StreamFormat.FLAG_EOS, "EOS");
    StreamParts.footer(in, ram, "the ram section");
  }

  /** Reads a device section; returns false at the end of the sections. */
  private boolean device(StreamHandler handler, int ram) throws IOException {
    int tag = in.tag();
    if (tag == StreamFormat.EOF) {
      return false;
    }
    if (tag != StreamFormat.SECTION_FULL) {
      throw StreamParts.unexpectedTag(in, tag, "a FULL section or EOF");
    }
    int sectionId = in.be32("section id");
    if (sectionId == ram) {
      throw ProtocolException.ofUnsigned(
          "section id of a device", sectionId, "different from that of the ram section");
    }
    String idstr = in.name("section name");
    int instance = in.be32("section instance");
    int version = in.be32("section version");
    int length = in.be32("length of the state of device " + idstr);
    if (length < 0 || length > StreamFormat.MAX_DEVICE_BODY) {
      throw ProtocolException.ofUnsigned(
          "length of the state of device " + idstr,
          length,
          "0 to %d, and QEMU's device states have none".formatted(StreamFormat.MAX_DEVICE_BODY));
    }
    byte[] body = in.bytes(length, "state of device " + idstr);
    StreamParts.footer(in, sectionId, "device " + idstr);
    handler.device(idstr, instance, version, body);
    return true;
  }

  private void vmDescription() throws IOException {
    StreamParts.requireTag(in, in.tag(), StreamFormat.VMDESCRIPTION);
    int length = in.be32("length of the description of the machine");
    if (length < 0 || length > StreamFormat.MAX_VM_DESCRIPTION) {
      throw ProtocolException.ofUnsigned(
          "length of the description of the machine",
          length,
          "0 to " + StreamFormat.MAX_VM_DESCRIPTION);
    }
    StreamParts.requireJsonObject(in.bytes(length, "description of the machine"));
    in.requireNothingLeft("the end of the migration stream");
  }
}
