// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import org.wridscope.time.Time;

/**
 * What follows the {@link Capabilities} of an {@link Capabilities#INQUIRY}, 24 bytes: the {@link
 * MigrationId}, u64 nonce.
 *
 * @param id of the migration whose outcome is asked for
 * @param nonce of this question, so that the answer to an earlier one does not answer it; 0 from a
 *     Wridscope that does not check {@linkplain MigrationSecret proofs}
 */
public record InquiryQuestion(MigrationId id, long nonce) {
  public static final int BYTES = MigrationId.BYTES + Long.BYTES;

  private static final SecureRandom RANDOM = new SecureRandom();

  /** A question that was never asked before. */
  public static InquiryQuestion about(MigrationId id) {
    return new InquiryQuestion(id, Time.random(RANDOM));
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    id.encode(buffer);
    buffer.putLong(nonce);
  }

  /** The question as private data, with its capabilities. */
  public byte[] toBytes() {
    ByteBuffer buffer = ByteBuffer.allocate(Capabilities.BYTES + BYTES);
    Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.INQUIRY).encode(buffer);
    encode(buffer);
    return buffer.array();
  }

  /** Reads what follows the capabilities; bytes that are missing are zeros of the transport. */
  public static InquiryQuestion decode(ByteBuffer privateData) throws ProtocolException {
    MigrationId id = MigrationId.decode(privateData);
    return new InquiryQuestion(
        id, privateData.remaining() < Long.BYTES ? 0 : privateData.getLong());
  }
}
