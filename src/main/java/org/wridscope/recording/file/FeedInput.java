// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pieces of a {@link RecordingFeed} of another process, in order. It trusts them no more
 * than a file. For one thread.
 */
public final class FeedInput {
  private final Consumer<FeedReplay> begun;

  /** By their numbers. */
  private final List<FeedReplay> sessions = new ArrayList<>();

  /** What came and is no whole block yet, up to its position. */
  private ByteBuffer received = ByteBuffer.allocate(1 << 12);

  private boolean headRead;

  /** What has to be added to times of the other process; null until it is known. */
  private @Nullable Long shift;

  /**
   * @param begun is told each session when it begins
   */
  public FeedInput(Consumer<FeedReplay> begun) {
    this.begun = begun;
  }

  /**
   * Reads the next piece.
   *
   * @param nowNanos {@link System#nanoTime()} when it came
   * @throws RecordingException if it is not one; a sentence
   */
  public void add(byte[] piece, long nowNanos) throws RecordingException {
    if (received.remaining() < piece.length) {
      int needed = received.position() + piece.length;
      received = ByteBuffer.allocate(Math.max(2 * needed, 1 << 12)).put(received.flip());
    }
    received.put(piece).flip();
    if (!headRead && received.remaining() >= RecordingFormat.HEAD_BYTES) {
      ByteBuffer head = next(RecordingFormat.HEAD_BYTES);
      if (!RecordingFormat.hasMagic(head)) {
        throw new RecordingException("What it sends does not begin as a recording.");
      }
      int version = head.getInt(RecordingFormat.HEAD_BYTES - Integer.BYTES);
      if (version != RecordingFormat.VERSION) {
        throw new RecordingException(
            "What it sends is version %s of a recording, and this Wridscope reads version %d; run the same Wridscope at both ends."
                .formatted(Integer.toUnsignedString(version), RecordingFormat.VERSION));
      }
      headRead = true;
    }
    while (headRead && readBlock(nowNanos)) {
      // the next one
    }
    received.compact();
  }

  private ByteBuffer next(int length) {
    ByteBuffer next = received.slice(received.position(), length);
    received.position(received.position() + length);
    return next;
  }

  /** Whether there was a whole block. */
  private boolean readBlock(long nowNanos) throws RecordingException {
    if (received.remaining() < RecordingFormat.BLOCK_HEAD_BYTES) {
      return false;
    }
    int length = received.getInt(received.position() + 4);
    if (length < 0 || length > RecordingFormat.MAX_BLOCK) {
      throw RecordingException.of(
          "length of a block", length, "at most " + RecordingFormat.MAX_BLOCK);
    }
    if (received.remaining() < RecordingFormat.BLOCK_HEAD_BYTES + length) {
      return false;
    }
    ByteBuffer head = next(RecordingFormat.BLOCK_HEAD_BYTES);
    ByteBuffer payload = next(length);
    if (RecordingFormat.checksum(head, payload) != head.getInt(8)) {
      throw new RecordingException("A block has a wrong checksum.");
    }
    take(BlockType.of(head.get(0) & 0xff), head.get(1) & 0xff, payload, nowNanos);
    return true;
  }

  /**
   * @param type null for one that only a newer version knows
   */
  private void take(@Nullable BlockType type, int number, ByteBuffer payload, long nowNanos)
      throws RecordingException {
    if (type == BlockType.SESSION) {
      begin(number, payload, nowNanos);
    } else if (number >= sessions.size()) {
      throw RecordingException.of("session of a block", number, "one that was begun before");
    } else if (type != null) {
      sessions.get(number).add(type, payload);
      long chunks = sessions.stream().mapToLong(FeedReplay::chunks).sum();
      if (chunks > RecordingFormat.MAX_CHUNKS) {
        throw RecordingException.of(
            "number of chunks of RAM", chunks, "at most " + RecordingFormat.MAX_CHUNKS);
      }
    }
  }

  private void begin(int number, ByteBuffer payload, long nowNanos) throws RecordingException {
    if (number != sessions.size()) {
      throw RecordingException.of("number of a session", number, "" + sessions.size());
    }
    var source = new ByteSource(payload);
    SessionHead head = SessionHead.decode(source);
    if (shift == null) {
      shift = nowNanos - head.clockNanos();
    }
    var session = new FeedReplay(head, new Dictionary(source), shift);
    sessions.add(session);
    begun.accept(session);
  }
}
