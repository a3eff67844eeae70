// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * How a migration ended at the destination: the private data of the reject that answers an {@link
 * Capabilities#INQUIRY}, 24 bytes: u32 {@code 'WRSC'}, the {@link MigrationId}, u32 outcome. If the
 * destination gave its source a {@link MigrationSecret}, its {@linkplain MigrationSecret#proof
 * proof} follows.
 *
 * @param id of the migration
 */
public record InquiryAnswer(MigrationId id, Outcome outcome) {
  public static final int BYTES = 24;

  /** {@code WRSC}: tells an answer from the private data of any other reject. */
  private static final int MAGIC = 0x57525343;

  /** Whether the guest of the migration was started at the destination. */
  public enum Outcome {
    /** The destination knows of no such migration. */
    UNKNOWN(0),
    /** The guest was not started and never will be: it belongs to the source. */
    NOT_STARTED(1),
    /** The guest was started: it belongs to the destination. */
    RUNNING(2);

    private static final Outcome[] VALUES = values();

    private final int value;

    Outcome(int value) {
      this.value = value;
    }

    /** The value on the wire. */
    public int value() {
      return value;
    }

    static Outcome decode(int value) throws ProtocolException {
      for (Outcome outcome : VALUES) {
        if (outcome.value == value) {
          return outcome;
        }
      }
      throw ProtocolException.ofUnsigned("inquiry outcome", value, "0 to " + (VALUES.length - 1));
    }
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putInt(MAGIC);
    id.encode(buffer);
    buffer.putInt(outcome.value());
  }

  /** The answer as private data, without a proof. */
  public byte[] toBytes() {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    encode(buffer);
    return buffer.array();
  }

  /** The answer to a question as private data, with its proof. */
  public byte[] toBytes(MigrationSecret secret, InquiryQuestion question) {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES + MigrationSecret.PROOF_BYTES);
    encode(buffer);
    buffer.put(secret.proof(question, outcome));
    return buffer.array();
  }

  /** Reads {@value #BYTES} bytes at the position, after which the proof may follow. */
  public static InquiryAnswer decode(ByteBuffer privateData) throws ProtocolException {
    Wire.requireBytes(privateData, BYTES, "the answer to an inquiry");
    int magic = privateData.getInt();
    if (magic != MAGIC) {
      throw ProtocolException.of(
          "magic of the answer to an inquiry",
          "0x%08x".formatted(magic),
          "0x%08x".formatted(MAGIC));
    }
    return new InquiryAnswer(MigrationId.decode(privateData), Outcome.decode(privateData.getInt()));
  }

  /** Reads private data of at least {@value #BYTES} bytes. */
  public static InquiryAnswer decode(byte[] privateData) throws ProtocolException {
    return decode(ByteBuffer.wrap(privateData));
  }
}
