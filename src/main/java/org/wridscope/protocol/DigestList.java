// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The payload of DIGESTS: one entry for each RAM block, in the order of RAM BLOCKS RESULT.
 *
 * @param entries at most {@link #MAX_ENTRIES}
 */
public record DigestList(List<DigestEntry> entries) {
  /** Most entries of a message, rounded down. */
  public static final int MAX_ENTRIES = 13_000;

  public DigestList {
    entries = List.copyOf(entries);
    if (entries.size() > MAX_ENTRIES) {
      throw new IllegalArgumentException(
          "%d digests: at most %d fit a message".formatted(entries.size(), MAX_ENTRIES));
    }
  }

  /** Number of bytes that {@link #encode} writes. */
  public int bytes() {
    return entries.size() * DigestEntry.BYTES;
  }

  /** Writes {@link #bytes()} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    for (int i = 0; i < entries.size(); i++) {
      entries.get(i).encode(buffer);
    }
  }

  /**
   * Reads a list at the position.
   *
   * @param payloadLength bytes of the list, from the header
   */
  public static DigestList decode(ByteBuffer payload, int payloadLength) throws ProtocolException {
    if (payloadLength < 0
        || payloadLength > MAX_ENTRIES * DigestEntry.BYTES
        || payloadLength % DigestEntry.BYTES != 0) {
      throw ProtocolException.of(
          "DIGESTS length",
          payloadLength,
          "a multiple of %d, up to %d"
              .formatted(DigestEntry.BYTES, MAX_ENTRIES * DigestEntry.BYTES));
    }
    Wire.requireBytes(payload, payloadLength, "DIGESTS");
    int count = payloadLength / DigestEntry.BYTES;
    List<DigestEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(DigestEntry.decode(payload, i));
    }
    return new DigestList(entries);
  }
}
