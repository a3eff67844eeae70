// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

/**
 * A command of a REGISTER REQUEST, UNREGISTER REQUEST or COMPRESS message, which names a RAM block
 * of the destination. A message carries several, one after the other.
 */
public sealed interface ChunkCommand permits RegisterCommand, UnregisterCommand, CompressCommand {
  /** Size of each of the three. */
  int BYTES = 24;

  /** Index of the block in the RAM BLOCKS RESULT. */
  int block();

  /** The type of the messages that carry such commands. */
  ControlType type();

  /**
   * Checks the number of commands in a message against the length of its payload.
   *
   * @return the number of commands, 1 to {@link ControlHeader#MAX_REPEAT}
   */
  static int requireRepeat(ControlHeader header) throws ProtocolException {
    int repeat = header.repeat();
    if (repeat < 1 || repeat > ControlHeader.MAX_REPEAT) {
      throw ProtocolException.of(
          header.type().text() + " repeat", repeat, "1 to " + ControlHeader.MAX_REPEAT);
    }
    if (header.length() != repeat * BYTES) {
      throw ProtocolException.of(
          header.type().text() + " length",
          header.length(),
          "%d, %d commands of %d bytes".formatted(repeat * BYTES, repeat, BYTES));
    }
    return repeat;
  }

  /**
   * Checks the block index.
   *
   * @param blocks number of RAM blocks
   * @return the index
   */
  default int requireBlock(int blocks) throws ProtocolException {
    return Wire.requireBlock(block(), blocks, type());
  }
}
