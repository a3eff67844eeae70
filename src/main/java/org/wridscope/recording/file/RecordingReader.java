// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/** Reads the blocks of a recording, in order or by their place. Thread-safe. */
public final class RecordingReader implements AutoCloseable {
  private final FileChannel channel;
  private final long size;

  /** Takes ownership of the channel. */
  public RecordingReader(FileChannel channel) throws IOException {
    this.channel = channel;
    size = channel.size();
  }

  /** The position of a block. */
  public record Place(long at, int length) {}

  /**
   * A block.
   *
   * @param type null when this version does not know it
   */
  public record Block(@Nullable BlockType type, int session, Place place, ByteBuffer payload) {
    /** Where the next block begins. */
    public long end() {
      return place.at + place.length;
    }
  }

  public long size() {
    return size;
  }

  /** Checks the head of the file. */
  public void requireHead() throws IOException {
    ByteBuffer head = ByteBuffer.allocate(RecordingFormat.HEAD_BYTES);
    if (size < RecordingFormat.HEAD_BYTES) {
      throw new RecordingException("It is not a recording: it has %d bytes.".formatted(size));
    }
    fill(head, 0);
    if (!RecordingFormat.hasMagic(head)) {
      throw new RecordingException("It is not a recording: it does not begin as one.");
    }
    int version = head.getInt(RecordingFormat.HEAD_BYTES - Integer.BYTES);
    if (version != RecordingFormat.VERSION) {
      throw new RecordingException(
          "It is version %s of a recording, and this Wridscope reads version %d; open it with the Wridscope that recorded it."
              .formatted(Integer.toUnsignedString(version), RecordingFormat.VERSION));
    }
  }

  /**
   * The block at a position.
   *
   * @return null when there is no complete and valid block
   */
  public @Nullable Block block(long at) throws IOException {
    if (size - at < RecordingFormat.BLOCK_HEAD_BYTES) {
      return null;
    }
    ByteBuffer head = ByteBuffer.allocate(RecordingFormat.BLOCK_HEAD_BYTES);
    fill(head, at);
    int length = head.getInt(4);
    if (length < 0
        || length > RecordingFormat.MAX_BLOCK
        || length > size - at - RecordingFormat.BLOCK_HEAD_BYTES) {
      return null;
    }
    ByteBuffer payload = ByteBuffer.allocate(length);
    long begin = at + RecordingFormat.BLOCK_HEAD_BYTES;
    fill(payload, begin);
    if (RecordingFormat.checksum(head, payload) != head.getInt(8)) {
      return null;
    }
    return new Block(
        BlockType.of(head.get(0) & 0xff), head.get(1) & 0xff, new Place(begin, length), payload);
  }

  /** The content of a block that was found valid before. */
  ByteBuffer payload(Place place) throws IOException {
    Block block = block(place.at - RecordingFormat.BLOCK_HEAD_BYTES);
    if (block == null || !block.place.equals(place)) {
      throw new RecordingException(
          "The recording was changed by somebody while it was open; open it again.");
    }
    return block.payload;
  }

  private void fill(ByteBuffer into, long at) throws IOException {
    while (into.hasRemaining()) {
      if (read(into, at + into.position()) < 0) {
        throw new EOFException("The recording became shorter while it was read; open it again.");
      }
    }
    into.flip();
  }

  private int read(ByteBuffer into, long at) throws IOException {
    try {
      return channel.read(into, at);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      throw new RecordingException(
          "The recording cannot be read (%s); look at the disk that it is on, and try again."
              .formatted(e.getMessage()),
          e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
