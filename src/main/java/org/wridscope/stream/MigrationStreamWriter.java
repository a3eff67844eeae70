// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.wridscope.memory.RamBlock;

/**
 * Writes the migration stream of a source that sends RAM by RDMA, in the format of QEMU 7.2
 * (migration/savevm.c, migration/ram.c). The methods must be called in this order:
 *
 * <pre>
 * header, ramStart, ramEos, (ramPart, ramEos)*, ramEnd, ramEos, device*, end
 * </pre>
 *
 * <p>{@code ramStart}, {@code ramPart} and {@code ramEnd} end with a HOOK and flush: it must be the
 * last byte that is sent before the registration loop, which ends before {@code ramEos}.
 *
 * <p>Bytes are written in small pieces, so the output should be buffered until it is flushed.
 */
public final class MigrationStreamWriter {
  private enum State {
    HEADER,
    RAM_START,
    REGISTRATION,
    LAST_REGISTRATION,
    RAM,
    DEVICES,
    ENDED
  }

  private final DataOutputStream out;
  private final JsonArray devices = new JsonArray();
  private State state = State.HEADER;
  private StreamEnvelope envelope = StreamEnvelope.NONE;
  private int nextSectionId;
  private long loadable = Long.MAX_VALUE;

  public MigrationStreamWriter(OutputStream out) {
    this.out = new DataOutputStream(out);
  }

  /**
   * Writes magic, version and configuration.
   *
   * @param machineType must be the destination's, too
   */
  public void header(String machineType) throws IOException {
    requireName("machine type", machineType);
    header(StreamEnvelope.of(machineType));
  }

  /** Writes the part of another stream before the {@code ram} section. */
  public void header(StreamEnvelope like) throws IOException {
    proceed(State.HEADER, State.RAM_START);
    envelope = like;
    nextSectionId = like.ramSection() + 1;
    out.write(like.prefix());
  }

  /**
   * Writes the list of RAM blocks; flushes.
   *
   * @param blocks 1 to 16383, with unique names
   */
  public void ramStart(List<BlockListing> blocks) throws IOException {
    long sum = sum(blocks);
    proceed(State.RAM_START, State.REGISTRATION);
    sectionHeader(
        StreamFormat.SECTION_START,
        envelope.ramSection(),
        StreamFormat.RAM,
        StreamFormat.RAM_INSTANCE,
        StreamFormat.RAM_VERSION);
    out.writeLong(sum | StreamFormat.FLAG_MEM_SIZE);
    for (BlockListing block : blocks) {
      writeName(block.name());
      out.writeLong(block.length());
    }
    hook();
  }

  /** Begins a round of pre-copy; flushes. */
  public void ramPart() throws IOException {
    proceed(State.RAM, State.REGISTRATION);
    out.writeByte(StreamFormat.SECTION_PART);
    out.writeInt(envelope.ramSection());
    hook();
  }

  /** Begins the last round, while the guest is paused; flushes. */
  public void ramEnd() throws IOException {
    proceed(State.RAM, State.LAST_REGISTRATION);
    out.writeByte(StreamFormat.SECTION_END);
    out.writeInt(envelope.ramSection());
    hook();
  }

  /** Ends the part that {@code ramStart}, {@code ramPart} or {@code ramEnd} began. */
  public void ramEos() throws IOException {
    if (state == State.LAST_REGISTRATION) {
      state = State.DEVICES;
    } else {
      proceed(State.REGISTRATION, State.RAM);
    }
    out.writeLong(StreamFormat.FLAG_EOS);
    footer(envelope.ramSection());
  }

  /**
   * Writes the state of a device, preceded by its length, a u32.
   *
   * @param idstr name of the device, 1 to 255 characters of printable ASCII
   * @param instance among devices of this name, from 0
   * @param version of the state's layout
   * @param body at most 16 MiB
   */
  public void device(String idstr, int instance, int version, byte[] body) throws IOException {
    requireName("device name", idstr);
    if (body.length > StreamFormat.MAX_DEVICE_BODY) {
      throw new IllegalArgumentException(
          "state of device %s has %d bytes: at most %d are allowed"
              .formatted(idstr, body.length, StreamFormat.MAX_DEVICE_BODY));
    }
    proceed(State.DEVICES, State.DEVICES);
    int sectionId = nextSectionId++;
    sectionHeader(StreamFormat.SECTION_FULL, sectionId, idstr, instance, version);
    out.writeInt(body.length);
    out.write(body);
    footer(sectionId);
    devices.add(describe(idstr, instance, version, body.length));
  }

  /** A description of the device sections so far, in QEMU's JSON, for {@link #end(String)}. */
  public String vmDescription() {
    JsonObject description = new JsonObject();
    description.addProperty("page_size", RamBlock.PAGE_SIZE);
    description.add("devices", devices.deepCopy());
    return description.toString();
  }

  /**
   * Writes the end of the stream; flushes.
   *
   * @param vmDescription JSON, at most 16 MiB
   */
  public void end(String vmDescription) throws IOException {
    byte[] json = vmDescription.getBytes(StandardCharsets.UTF_8);
    if (json.length > StreamFormat.MAX_VM_DESCRIPTION) {
      throw new IllegalArgumentException(
          "description of the machine has %d bytes: at most %d are allowed"
              .formatted(json.length, StreamFormat.MAX_VM_DESCRIPTION));
    }
    proceed(State.DEVICES, State.ENDED);
    out.writeByte(StreamFormat.EOF);
    loadable = out.size();
    out.writeByte(StreamFormat.VMDESCRIPTION);
    out.writeInt(json.length);
    out.write(json);
    out.flush();
  }

  /**
   * Instead of devices and end: writes everything after the {@code ram} section of a stream;
   * flushes.
   */
  public void rest(SavedStream like) throws IOException {
    proceed(State.DEVICES, State.ENDED);
    loadable = out.size() + like.tailToEof();
    try (InputStream tail = like.tail()) {
      tail.transferTo(out);
    }
    out.flush();
  }

  /**
   * Instead of devices and end: writes everything after the {@code ram} section of a stream;
   * flushes.
   */
  public void rest(byte[] like) throws IOException {
    proceed(State.DEVICES, State.ENDED);
    loadable = (long) out.size() + VmDescription.toEof(like);
    out.write(like);
    out.flush();
  }

  /**
   * Number of bytes from the beginning, up to EOF, with which a QEMU has the whole guest. It starts
   * the guest also if the description of the machine after them never comes ({@code
   * qemu_loadvm_state}). {@link Long#MAX_VALUE} before the end of the stream is being written.
   */
  public long loadable() {
    return loadable;
  }

  private void sectionHeader(int tag, int sectionId, String idstr, int instance, int version)
      throws IOException {
    out.writeByte(tag);
    out.writeInt(sectionId);
    writeName(idstr);
    out.writeInt(instance);
    out.writeInt(version);
  }

  private void hook() throws IOException {
    out.writeLong(StreamFormat.FLAG_HOOK);
    out.flush();
  }

  private void footer(int sectionId) throws IOException {
    if (envelope.hasFooters()) {
      out.writeByte(StreamFormat.FOOTER);
      out.writeInt(sectionId);
    }
  }

  private void writeName(String name) throws IOException {
    out.writeByte(name.length());
    out.writeBytes(name);
  }

  private void proceed(State from, State to) {
    if (state != from) {
      throw new IllegalStateException(
          "migration stream: a call in state %2$s that requires %1$s".formatted(from, state));
    }
    state = to;
  }

  private static long sum(List<BlockListing> blocks) {
    if (blocks.isEmpty() || blocks.size() > StreamFormat.MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "%d RAM blocks: 1 to %d are allowed".formatted(blocks.size(), StreamFormat.MAX_BLOCKS));
    }
    Set<String> names = new HashSet<>();
    long sum = 0;
    for (BlockListing block : blocks) {
      if (!names.add(block.name())) {
        throw new IllegalArgumentException("two RAM blocks are named " + block.name());
      }
      sum = Math.addExact(sum, block.length());
    }
    return sum;
  }

  private static void requireName(String what, String name) {
    if (!StreamFormat.isName(name)) {
      throw new IllegalArgumentException(
          "%s '%s': %s are allowed".formatted(what, name, StreamFormat.NAMES));
    }
  }

  private static JsonObject describe(String idstr, int instance, int version, int bodyBytes) {
    JsonArray fields = new JsonArray();
    fields.add(field("length", "uint32", Integer.BYTES));
    fields.add(field("body", "buffer", bodyBytes));
    JsonObject device = new JsonObject();
    device.addProperty("name", idstr);
    device.addProperty("instance_id", Integer.toUnsignedLong(instance));
    device.addProperty("vmsd_name", idstr);
    device.addProperty("version", Integer.toUnsignedLong(version));
    device.add("fields", fields);
    return device;
  }

  private static JsonObject field(String name, String type, int size) {
    JsonObject field = new JsonObject();
    field.addProperty("name", name);
    field.addProperty("type", type);
    field.addProperty("size", size);
    return field;
  }
}
