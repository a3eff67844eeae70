// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Writes the blocks of a recording in sequence. For one thread. */
public final class RecordingWriter implements AutoCloseable {
  private final WritableByteChannel channel;
  private final ByteBuffer head = ByteBuffer.allocate(RecordingFormat.BLOCK_HEAD_BYTES);
  private long bytes;

  /** Writes the head of the file, and takes ownership of the channel. */
  public RecordingWriter(WritableByteChannel channel) throws IOException {
    this.channel = channel;
    write(RecordingFormat.head());
  }

  void block(BlockType type, int session, ByteSink payload) throws IOException {
    if (payload.size() > RecordingFormat.MAX_BLOCK) {
      throw new IllegalArgumentException("a block of " + payload.size() + " bytes");
    }
    ByteBuffer body = payload.view();
    head.clear();
    head.put((byte) type.value()).put((byte) session).putShort((short) 0).putInt(payload.size());
    head.putInt(RecordingFormat.checksum(head.duplicate().position(0), body)).flip();
    write(head);
    write(body);
  }

  private void write(ByteBuffer from) throws IOException {
    bytes += from.remaining();
    while (from.hasRemaining()) {
      channel.write(from);
    }
  }

  /** The present length of the file. */
  public long bytes() {
    return bytes;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
