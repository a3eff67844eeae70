// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.wridscope.time.Time;

/**
 * What the destination of a migration gives its source, so that only the destination can tell it
 * the outcome later: 16 bytes after the {@link Capabilities} of an answer that has {@link
 * Capabilities#PROOF} set. Never zero, because the transport pads private data with zeros.
 *
 * <p>It crosses the connection once, in clear text: it protects against a process that can answer
 * in the destination's place, not against one that has read the connection from its beginning.
 */
public final class MigrationSecret {
  public static final int BYTES = 16;

  /** Length of a proof: that of HMAC-SHA256, of which nothing is cut off. */
  public static final int PROOF_BYTES = 32;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String ALGORITHM = "HmacSHA256";

  private final long high;
  private final long low;

  /**
   * A known secret.
   *
   * @param high the first eight bytes
   * @param low the last eight bytes
   */
  public MigrationSecret(long high, long low) {
    if (high == 0 && low == 0) {
      throw new IllegalArgumentException("a migration secret is not zero");
    }
    this.high = high;
    this.low = low;
  }

  /** A secret that cannot be guessed. */
  public static MigrationSecret random() {
    long high;
    long low;
    do {
      high = Time.random(RANDOM);
      low = Time.random(RANDOM);
    } while (high == 0 && low == 0);
    return new MigrationSecret(high, low);
  }

  /** The first eight bytes. */
  public long high() {
    return high;
  }

  /** The last eight bytes. */
  public long low() {
    return low;
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putLong(high).putLong(low);
  }

  /** Reads {@value #BYTES} bytes at the position. */
  public static MigrationSecret decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, "a migration secret");
    long high = buffer.getLong();
    long low = buffer.getLong();
    if (high == 0 && low == 0) {
      throw ProtocolException.of("migration secret", 0, "16 random bytes");
    }
    return new MigrationSecret(high, low);
  }

  /**
   * The proof that an answer to this question is that of the destination: HMAC-SHA256 over the
   * question and the u32 outcome.
   */
  public byte[] proof(InquiryQuestion question, InquiryAnswer.Outcome outcome) {
    ByteBuffer key = ByteBuffer.allocate(BYTES);
    encode(key);
    ByteBuffer told = ByteBuffer.allocate(InquiryQuestion.BYTES + Integer.BYTES);
    question.encode(told);
    told.putInt(outcome.value());
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.array(), ALGORITHM));
      return mac.doFinal(told.array());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /** Whether the bytes at the position are the {@linkplain #proof proof} of an answer. */
  public boolean isProved(
      InquiryQuestion question, InquiryAnswer.Outcome outcome, ByteBuffer privateData) {
    if (privateData.remaining() < PROOF_BYTES) {
      return false;
    }
    byte[] claimed = new byte[PROOF_BYTES];
    privateData.get(claimed);
    // In a time that does not depend on how many bytes are right.
    return MessageDigest.isEqual(claimed, proof(question, outcome));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MigrationSecret secret && secret.high == high && secret.low == low;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(high ^ low);
  }

  /** Without its value, which must not be logged. */
  @Override
  public String toString() {
    return "MigrationSecret";
  }
}
