// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * Destination to source, REGISTER RESULT: the answer to one {@link RegisterCommand}, 16 bytes: u32
 * key, u32 padding, u64 host address ({@code RDMARegisterResult} of QEMU 7.2 migration/rdma.c).
 *
 * @param remoteKey of the chunks; never 0, which means "not registered" to QEMU
 * @param hostAddress of the first byte of the block, not of the chunk
 */
public record RegisterResult(int remoteKey, long hostAddress) {
  public static final int BYTES = 16;

  public RegisterResult {
    if (remoteKey == 0) {
      throw new IllegalArgumentException("REGISTER RESULT remote key 0: it means not registered");
    }
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putInt(remoteKey).putInt(0).putLong(hostAddress);
  }

  /** Reads {@value #BYTES} bytes at the position. */
  public static RegisterResult decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, "REGISTER RESULT");
    int remoteKey = buffer.getInt();
    buffer.getInt();
    long hostAddress = buffer.getLong();
    if (remoteKey == 0) {
      throw ProtocolException.of("REGISTER RESULT remote key", 0, "not 0");
    }
    return new RegisterResult(remoteKey, hostAddress);
  }

  /**
   * Checks that there is one result for each command of the request. QEMU 7.2 answers a request of
   * several commands with the first result only, so a source sends it one command at a time; the
   * repeat of the answer to a single command is ignored.
   *
   * @param expected number of commands in the request, 1 to {@link ControlHeader#MAX_REPEAT}
   * @return expected
   */
  public static int requireRepeat(ControlHeader header, int expected) throws ProtocolException {
    if (header.length() != expected * BYTES) {
      throw ProtocolException.of(
          "REGISTER RESULT length",
          header.length(),
          "%d, for %d commands".formatted(expected * BYTES, expected));
    }
    if (expected != 1 && header.repeat() != expected) {
      throw ProtocolException.of(
          "REGISTER RESULT repeat", header.repeat(), "%d, as in the request".formatted(expected));
    }
    return expected;
  }

  /**
   * Checks the address: a block does not move, so every answer has the same one.
   *
   * @param known {@link RemoteBlock#hostAddress()} of the block
   */
  public void requireHostAddress(long known) throws ProtocolException {
    if (hostAddress != known) {
      throw ProtocolException.ofAddress(
          "REGISTER RESULT host address",
          hostAddress,
          "0x%x, as in RAM BLOCKS RESULT".formatted(known));
    }
  }
}
