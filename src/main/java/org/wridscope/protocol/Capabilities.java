// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * The capabilities in the private data of connect and accept, 8 bytes: u32 version, u32 flags
 * ({@code RDMACapabilities} of QEMU 7.2 migration/rdma.c). The transport pads private data with
 * zeros, so its length has no meaning.
 *
 * <p>The source requests capabilities, and the destination answers with those that it grants. A
 * destination either grants a QEMU {@link #PIN_ALL} or rejects the connection, because QEMU 7.2
 * aborts if it is not granted. A Wridscope source then continues without it, as QEMU intends to.
 *
 * @param version checked by the destination only, see {@link #requireSupported()}
 * @param flags unknown ones are no error, and are never granted
 */
public record Capabilities(int version, int flags) {
  /** The only version. */
  public static final int VERSION = 1;

  /** Whole RAM blocks are registered before any RAM is sent. */
  public static final int PIN_ALL = 1;

  /**
   * Wridscope only: this end understands the private control messages, and a {@link MigrationId}
   * follows in the request. QEMU never sets it, and clears it in its answer.
   */
  public static final int WRIDSCOPE = 1 << 31;

  /**
   * Wridscope only: this is not a migration. A source that lost its connection asks for the outcome
   * in the {@link InquiryQuestion} that follows; the answer is a reject with an {@link
   * InquiryAnswer}.
   */
  public static final int INQUIRY = 1 << 30;

  /**
   * Wridscope only: the source accepts an outcome only with its proof; in an answer a {@link
   * MigrationSecret} follows. A Wridscope that does not know this neither sets nor grants it.
   */
  public static final int PROOF = 1 << 29;

  public static final int BYTES = 8;

  /** Capabilities of this version. */
  public static Capabilities of(int flags) {
    return new Capabilities(VERSION, flags);
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putInt(version).putInt(flags);
  }

  /** The capabilities as private data. */
  public byte[] toBytes() {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    encode(buffer);
    return buffer.array();
  }

  /** The capabilities as private data, followed by the id of the migration. */
  public byte[] toBytes(MigrationId id) {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES + MigrationId.BYTES);
    encode(buffer);
    id.encode(buffer);
    return buffer.array();
  }

  /** The capabilities as private data, followed by the secret of the migration. */
  public byte[] toBytes(MigrationSecret secret) {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES + MigrationSecret.BYTES);
    encode(buffer);
    secret.encode(buffer);
    return buffer.array();
  }

  /**
   * Reads {@value #BYTES} bytes at the position, after which a {@link MigrationId} or a {@link
   * MigrationSecret} may follow.
   */
  public static Capabilities decode(ByteBuffer privateData) throws ProtocolException {
    Wire.requireBytes(privateData, BYTES, "capabilities");
    return new Capabilities(privateData.getInt(), privateData.getInt());
  }

  /** Reads private data of at least {@value #BYTES} bytes. */
  public static Capabilities decode(byte[] privateData) throws ProtocolException {
    return decode(ByteBuffer.wrap(privateData));
  }

  /** Checks the version of a request. A source accepts any version in the answer, like QEMU. */
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

  /** Whether outcomes are proved, which only two Wridscopes can agree on. */
  public boolean proof() {
    return wridscope() && (flags & PROOF) != 0;
  }

  /** The capabilities that are granted: this version, and the flags that are in the mask. */
  public Capabilities and(int mask) {
    return of(flags & mask);
  }

  @Override
  public String toString() {
    return "Capabilities[version=%s, flags=0x%x]"
        .formatted(Integer.toUnsignedString(version), flags);
  }
}
