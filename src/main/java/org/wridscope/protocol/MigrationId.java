// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;
import org.wridscope.time.Time;

/**
 * Identifies a migration, so that its source can ask for the outcome later: 16 bytes after the
 * {@link Capabilities} of a request that has {@link Capabilities#WRIDSCOPE} set. Never zero,
 * because the transport pads private data with zeros.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record MigrationId(long high, long low) {
  public static final int BYTES = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  public MigrationId {
    if (high == 0 && low == 0) {
      throw new IllegalArgumentException("a migration id is not zero");
    }
  }

  /** An id that cannot be guessed: whoever knows it can ask for the outcome of the migration. */
  public static MigrationId random() {
    long high;
    long low;
    do {
      high = Time.random(RANDOM);
      low = Time.random(RANDOM);
    } while (high == 0 && low == 0);
    return new MigrationId(high, low);
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putLong(high).putLong(low);
  }

  /** Reads {@value #BYTES} bytes at the position. */
  public static MigrationId decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, "a migration id");
    long high = buffer.getLong();
    long low = buffer.getLong();
    if (high == 0 && low == 0) {
      throw ProtocolException.of("migration id", 0, "16 random bytes");
    }
    return new MigrationId(high, low);
  }

  /** The id as a UUID. */
  @Override
  public String toString() {
    return new UUID(high, low).toString();
  }
}
