// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file from a position on through a large buffer. */
final class ChannelInput extends BufferedInput {
  private static final int BUFFER = 1 << 20;

  private final FileChannel file;

  /** Position of the byte after the buffer. */
  private long position;

  /**
   * @param file is not closed, and its position is not used
   * @param checkpoint called for each buffer
   */
  ChannelInput(FileChannel file, long position, Checkpoint checkpoint) {
    super(ByteBuffer.allocate(BUFFER), checkpoint);
    this.file = file;
    this.position = position;
  }

  @Override
  protected int fill(ByteBuffer empty) throws IOException {
    int bytes = file.read(empty, position);
    position += Math.max(0, bytes);
    return bytes;
  }
}
