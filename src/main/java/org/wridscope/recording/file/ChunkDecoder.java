// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.List;
import org.wridscope.memory.ChunkRelease;

/** Decodes blocks of {@link BlockType#CHUNKS}. */
final class ChunkDecoder {
  private static final int MAX_COUNT = 0xffff;
  private static final int MAX_MASK = 63;
  private static final int MAX_RELEASE = ChunkRelease.values().length - 1;
  private static final int MAX_STATE = 1 << 9;

  private final Dictionary dictionary;

  ChunkDecoder(Dictionary dictionary) {
    this.dictionary = dictionary;
  }

  /**
   * The head of a block.
   *
   * @param key whether it is a key frame, which has all chunks, not only the changed ones
   */
  record Head(int generation, long nanos, boolean key) {}

  static Head head(ByteSource source) throws RecordingException {
    int generation = source.atMost(Integer.MAX_VALUE, "number of the RAM blocks");
    long nanos = source.signed("time of chunks");
    return new Head(generation, nanos, source.u8("kind of a block of chunks") != 0);
  }

  /**
   * Decodes a block.
   *
   * @param blocks the RAM blocks of its generation
   */
  void decode(ByteBuffer payload, List<BlockShape> blocks, ChunkSink sink)
      throws RecordingException {
    var source = new ByteSource(payload);
    head(source);
    while (source.hasMore()) {
      int block = source.atMost(blocks.size() - 1, "RAM block of chunks");
      runs(source, block, Math.toIntExact(blocks.get(block).chunks()), sink);
    }
  }

  private void runs(ByteSource source, int block, int chunks, ChunkSink sink)
      throws RecordingException {
    int count = source.atMost(chunks, "number of runs of chunks");
    int next = 0;
    int state = 0;
    int inTransit = 0;
    int timesSent = 0;
    int localKey = 0;
    int remoteKey = 0;
    int release = 0;
    for (int i = 0; i < count; i++) {
      int from = next + source.atMost(chunks - next, "gap between runs of chunks");
      int to = from + source.atMost(chunks - from, "length of a run of chunks");
      int mask = source.u8("mask of a run of chunks");
      if (mask > MAX_MASK) {
        throw RecordingException.of("mask of a run of chunks", mask, "0 to " + MAX_MASK);
      }
      if ((mask & ChunkEncoder.STATE) != 0) {
        state = source.atMost(MAX_STATE, "state of chunks");
      }
      if ((mask & ChunkEncoder.IN_TRANSIT) != 0) {
        inTransit = source.atMost(MAX_COUNT, "writes in transit");
      }
      if ((mask & ChunkEncoder.TIMES_SENT) != 0) {
        timesSent = source.atMost(MAX_COUNT, "times sent");
      }
      if ((mask & ChunkEncoder.LOCAL_KEY) != 0) {
        localKey = (int) (localKey + source.signed("local key"));
      }
      if ((mask & ChunkEncoder.REMOTE_KEY) != 0) {
        remoteKey = (int) (remoteKey + source.signed("remote key"));
      }
      if ((mask & ChunkEncoder.RELEASE) != 0) {
        release = source.atMost(MAX_RELEASE, "release of chunks");
      }
      sink.run(
          block,
          from,
          to,
          dictionary.state(state),
          ChunkRelease.of(release),
          inTransit,
          timesSent,
          localKey,
          remoteKey);
      next = to;
    }
  }
}
