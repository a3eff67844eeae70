// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * The digest of one RAM block, an entry of DIGESTS, 40 bytes: u64 length, 32 bytes of digest.
 *
 * @param length of the block in bytes, at least 1
 * @param digest 64 hexadecimal digits, lower case
 */
public record DigestEntry(long length, String digest) {
  public static final int BYTES = 40;

  private static final int DIGITS = 64;

  public DigestEntry {
    if (length < 1) {
      throw new IllegalArgumentException("digest of %d bytes: at least 1".formatted(length));
    }
    if (digest.length() != DIGITS || !isLowerCaseHexadecimal(digest)) {
      throw new IllegalArgumentException(
          "digest '%s': %d hexadecimal digits".formatted(digest, DIGITS));
    }
  }

  private static boolean isLowerCaseHexadecimal(String digits) {
    for (int i = 0; i < digits.length(); i++) {
      char c = digits.charAt(i);
      if (!HexFormat.isHexDigit(c) || (c >= 'A' && c <= 'F')) {
        return false;
      }
    }
    return true;
  }

  void encode(ByteBuffer buffer) {
    buffer.putLong(length);
    for (int i = 0; i < DIGITS; i += 2) {
      buffer.put((byte) HexFormat.fromHexDigits(digest, i, i + 2));
    }
  }

  static DigestEntry decode(ByteBuffer buffer, int index) throws ProtocolException {
    long length = buffer.getLong();
    if (length <= 0) {
      throw ProtocolException.ofUnsigned(
          "length of the digested RAM block " + index, length, "1 to " + Long.MAX_VALUE);
    }
    byte[] digest = new byte[DIGITS / 2];
    buffer.get(digest);
    return new DigestEntry(length, HexFormat.of().formatHex(digest));
  }
}
