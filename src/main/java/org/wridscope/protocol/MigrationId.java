// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * What a source calls its migration, so that it can ask about it later: 16 bytes behind the {@link
 * Capabilities} of a request that has {@link Capabilities#WRIDSCOPE} set. Never zero: zeros are
 * what the transport pads private data with.
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

  /** An id that nobody can guess, since whoever knows it learns how the migration ended. */
  public static MigrationId random() {
    long high;
    long low;
    do {
      high = RANDOM.nextLong();
      low = RANDOM.nextLong();
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

  /** In the notation of a UUID. */
  @Override
  public String toString() {
    return new UUID(high, low).toString();
  }
}
