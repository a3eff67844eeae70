// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file from a position on through a large buffer, within which skipping is cheap. */
final class ChannelInput extends InputStream {
  private static final int BUFFER = 1 << 20;

  private final FileChannel file;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).limit(0);
  private final Checkpoint checkpoint;

  /** Position of the byte after the buffer. */
  private long position;

  /**
   * @param file is not closed, and its position is not used
   * @param checkpoint called for each buffer
   */
  ChannelInput(FileChannel file, long position, Checkpoint checkpoint) {
    this.file = file;
    this.position = position;
    this.checkpoint = checkpoint;
  }

  private boolean fill() throws IOException {
    if (buffer.hasRemaining()) {
      return true;
    }
    checkpoint.pass();
    buffer.clear();
    int bytes = file.read(buffer, position);
    buffer.flip();
    position += Math.max(0, bytes);
    return bytes > 0;
  }

  @Override
  public int read() throws IOException {
    return fill() ? buffer.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int part = Math.min(length, buffer.remaining());
    buffer.get(bytes, offset, part);
    return part;
  }

  @Override
  public long skip(long n) throws IOException {
    if (n <= 0 || !fill()) {
      return 0;
    }
    int part = (int) Math.min(n, buffer.remaining());
    buffer.position(buffer.position() + part);
    return part;
  }
}
