// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What comes before the {@code ram} section of a stream, and how its sections end. Both vary with
 * the machine type, and stay as they are whenever the stream is passed on.
 */
public final class StreamEnvelope {
  /** Of no stream. */
  static final StreamEnvelope NONE = new StreamEnvelope(new byte[0], null, 0, false);

  /** QEMU numbers sections in the order of registration; its ram section is the third. */
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

  /** As QEMU 7.2 has it for its own machine types. */
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

  /** For example {@code pc-i440fx-7.2}; null when the stream does not say (pc-2.3 and older). */
  public @Nullable String machineType() {
    return machineType;
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
   * Whether the stream must end in a description of the machine. Machines that have neither footers
   * nor configuration may have none (pc-2.2 and older), so that nothing marks the end of their
   * stream.
   */
  public boolean needsDescription() {
    return footers || machineType != null;
  }

  StreamEnvelope withFooters(boolean present) {
    return new StreamEnvelope(prefix, machineType, ramSection, present);
  }
}
