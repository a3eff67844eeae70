// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * What names an end in packets: an IP address, a GID, which is written like one (IBTA 4.1.1), or
 * the LID of a port.
 */
public record Host(String text) {
  private static final int LID_BYTES = 2;

  /** The host with an address of 4 or 16 bytes, or a LID of 2. */
  static Host of(byte[] raw) {
    if (raw.length == LID_BYTES) {
      return new Host("LID " + Short.toUnsignedInt(ByteBuffer.wrap(raw).getShort()));
    }
    try {
      return new Host(InetAddress.getByAddress(raw).getHostAddress());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an address of %d bytes".formatted(raw.length), e);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
