// SPDX-License-Identifier: Apache-2.0
package org.wridscope.stream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** Reads through a buffer, within which skipping is cheap. */
public abstract class BufferedInput extends InputStream {
  private final ByteBuffer buffer;
  private final Checkpoint checkpoint;

  /**
   * @param buffer its contents do not matter
   * @param checkpoint called for each buffer
   */
  protected BufferedInput(ByteBuffer buffer, Checkpoint checkpoint) {
    this.buffer = buffer.limit(0);
    this.checkpoint = checkpoint;
  }

  /**
   * Reads into the buffer, at least a byte unless there is none any more.
   *
   * @return the number of bytes, -1 at the end
   */
  protected abstract int fill(ByteBuffer empty) throws IOException;

  /** Makes the buffer hold a byte; returns whether there is one before the end. */
  private boolean hasMore() throws IOException {
    if (buffer.hasRemaining()) {
      return true;
    }
    checkpoint.pass();
    buffer.clear();
    try {
      return fill(buffer) > 0;
    } finally {
      buffer.flip();
    }
  }

  @Override
  public int read() throws IOException {
    return hasMore() ? buffer.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!hasMore()) {
      return -1;
    }
    int part = Math.min(length, buffer.remaining());
    buffer.get(bytes, offset, part);
    return part;
  }

  @Override
  public long skip(long n) throws IOException {
    if (n <= 0 || !hasMore()) {
      return 0;
    }
    int part = (int) Math.min(n, buffer.remaining());
    buffer.position(buffer.position() + part);
    return part;
  }
}
