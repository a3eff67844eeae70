// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The part of a stream before the {@code ram} section, and the end of its sections. Both depend on
 * the machine type, and stay unchanged when the stream is sent on.
 */
public final class StreamEnvelope {
  /** How the machine types of guests begin that Wridscope has, and no QEMU can load. */
  public static final String OWN_MACHINE_TYPE = "wridscope-";

  /** The envelope of no stream. */
  static final StreamEnvelope NONE = new StreamEnvelope(new byte[0], null, 0, false);

  /** Section id of QEMU, which numbers sections in the order of registration. */
  private static final int RAM_SECTION = 2;

  private final byte[] prefix;
  private final @Nullable String machineType;
  private final int ramSection;
  private final boolean footers;

  StreamEnvelope(byte[] prefix, @Nullable String machineType, int ramSection, boolean footers) {
    this.prefix = prefix;
    this.machineType = machineType;
    this.ramSection = ramSection;
    this.footers = footers;
  }

  /** The envelope of QEMU 7.2 for its own machine types. */
  static StreamEnvelope of(String machineType) {
    byte[] name = machineType.getBytes(StandardCharsets.US_ASCII);
    byte[] prefix =
        ByteBuffer.allocate(3 * Integer.BYTES + 1 + name.length)
            .putInt(StreamFormat.MAGIC)
            .putInt(StreamFormat.VERSION)
            .put((byte) StreamFormat.CONFIGURATION)
            .putInt(name.length)
            .put(name)
            .array();
    return new StreamEnvelope(prefix, machineType, RAM_SECTION, true);
  }

  /** All bytes before the tag of the {@code ram} section. */
  byte[] prefix() {
    return prefix;
  }

  /** For example {@code pc-i440fx-7.2}; null if the stream does not have it (pc-2.3 and older). */
  public @Nullable String machineType() {
    return machineType;
  }

  /** Whether a QEMU could load the guest. */
  boolean isOfQemu() {
    return machineType == null || !machineType.startsWith(OWN_MACHINE_TYPE);
  }

  /** Id of the {@code ram} section. */
  int ramSection() {
    return ramSection;
  }

  /** Whether a footer ends each section (pc-2.4 and newer). */
  boolean hasFooters() {
    return footers;
  }

  /**
   * Whether the stream must end with a description of the machine. A machine without footers and
   * configuration may have none (pc-2.2 and older), so that the end of its stream is not marked.
   */
  public boolean needsDescription() {
    return footers || machineType != null;
  }

  StreamEnvelope withFooters(boolean present) {
    return new StreamEnvelope(prefix, machineType, ramSection, present);
  }
}
