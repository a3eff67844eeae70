// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * What the two sides tell one another in the private data of connect and accept, 8 bytes: u32
 * version, u32 flags ({@code RDMACapabilities} of QEMU 7.2 migration/rdma.c). The transport pads
 * private data with zeros, so its length says nothing.
 *
 * <p>The source sends what it wants, the destination answers with what it grants. A destination
 * grants a QEMU {@link #PIN_ALL} or rejects the connection: QEMU 7.2 aborts when it is refused. A
 * source of ours then goes on without, as QEMU means to.
 *
 * @param version only a destination checks it, see {@link #requireSupported()}
 * @param flags those that are not known are no error, and are never granted
 */
public record Capabilities(int version, int flags) {
  /** The only version there is. */
  public static final int VERSION = 1;

  /** Whole RAM blocks are registered before the first byte is sent. */
  public static final int PIN_ALL = 1;

  /**
   * Of Wridscope: the private control messages are understood, and a {@link MigrationId} follows in
   * the request. A QEMU never sets it, and clears it in its answer.
   */
  public static final int WRIDSCOPE = 1 << 31;

  /**
   * Of Wridscope: this is no migration. A source that lost its connection asks how the migration
   * ended whose {@link MigrationId} follows; the answer is a reject with an {@link InquiryAnswer}.
   */
  public static final int INQUIRY = 1 << 30;

  public static final int BYTES = 8;

  /** This version, with these flags. */
  public static Capabilities of(int flags) {
    return new Capabilities(VERSION, flags);
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putInt(version).putInt(flags);
  }

  /** As private data. */
  public byte[] toBytes() {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    encode(buffer);
    return buffer.array();
  }

  /** As private data, with the id of the migration behind. */
  public byte[] toBytes(MigrationId id) {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES + MigrationId.BYTES);
    encode(buffer);
    id.encode(buffer);
    return buffer.array();
  }

  /** Reads {@value #BYTES} bytes at the position, which then is that of a {@link MigrationId}. */
  public static Capabilities decode(ByteBuffer privateData) throws ProtocolException {
    Wire.requireBytes(privateData, BYTES, "capabilities");
    return new Capabilities(privateData.getInt(), privateData.getInt());
  }

  /** Of private data of any length from {@value #BYTES} bytes on. */
  public static Capabilities decode(byte[] privateData) throws ProtocolException {
    return decode(ByteBuffer.wrap(privateData));
  }

  /** What a destination checks. A source takes any version in the answer, as QEMU does. */
  public void requireSupported() throws ProtocolException {
    if (version != VERSION) {
      throw ProtocolException.ofUnsigned(
          "RDMA migration protocol version", version, String.valueOf(VERSION));
    }
  }

  public boolean pinAll() {
    return (flags & PIN_ALL) != 0;
  }

  public boolean wridscope() {
    return (flags & WRIDSCOPE) != 0;
  }

  public boolean inquiry() {
    return (flags & INQUIRY) != 0;
  }

  /** What is granted: this version, and of the flags those in the mask. */
  public Capabilities and(int mask) {
    return of(flags & mask);
  }

  @Override
  public String toString() {
    return "Capabilities[version=%s, flags=0x%x]"
        .formatted(Integer.toUnsignedString(version), flags);
  }
}
