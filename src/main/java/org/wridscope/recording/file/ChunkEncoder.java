// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.memory.ChunkSnapshot;
import org.wridscope.memory.ChunkTable;

/**
 * Encodes the changes of a session's chunks into blocks of {@link BlockType#CHUNKS}, as runs of
 * neighbouring chunks in the same state.
 */
final class ChunkEncoder {
  static final int STATE = 1;
  static final int IN_TRANSIT = 2;
  static final int TIMES_SENT = 4;
  static final int LOCAL_KEY = 8;
  static final int REMOTE_KEY = 16;
  static final int RELEASE = 32;

  private final List<ChunkTable> tables;
  private final List<ChunkSnapshot> seen = new ArrayList<>();
  private final ByteSink runs = new ByteSink(1 << 12);
  private final long chunks;
  private int runCount;

  ChunkEncoder(List<ChunkTable> tables) {
    this.tables = tables;
    long sum = 0;
    for (ChunkTable table : tables) {
      seen.add(new ChunkSnapshot(table.chunkCount()));
      sum += table.chunkCount();
    }
    chunks = sum;
  }

  /** The number of chunks of all blocks together. */
  long chunks() {
    return chunks;
  }

  List<ChunkTable> tables() {
    return tables;
  }

  /**
   * Writes the chunks that have changed since the last call, or for a key frame all chunks that are
   * not in their initial state.
   *
   * @param generation number of the list of RAM blocks
   * @return whether anything was written; true for every key frame
   */
  boolean encode(ByteSink into, int generation, long nanos, boolean key) {
    int begin = into.size();
    into.number(generation);
    into.signed(nanos);
    into.u8(key ? 1 : 0);
    boolean any = key;
    for (int block = 0; block < tables.size(); block++) {
      runs.clear();
      runCount = 0;
      changes(tables.get(block), seen.get(block), key);
      if (runCount > 0) {
        into.number(block);
        into.number(runCount);
        into.append(runs);
        any = true;
      }
    }
    return any && into.size() > begin;
  }

  private void changes(ChunkTable table, ChunkSnapshot snapshot, boolean key) {
    var writer = new RunWriter(snapshot);
    int count = snapshot.chunkCount();
    if (key) {
      // First compares with the last snapshot, then with the initial state.
      for (int i = snapshot.nextChange(table, 0);
          i < count;
          i = snapshot.nextChange(table, i + 1)) {
        snapshot.take(table, i);
      }
      for (int i = 0; i < count; i++) {
        if (!snapshot.untouched(i)) {
          writer.add(i);
        }
      }
    } else {
      for (int i = snapshot.nextChange(table, 0);
          i < count;
          i = snapshot.nextChange(table, i + 1)) {
        snapshot.take(table, i);
        writer.add(i);
      }
    }
    writer.end();
  }

  /** Merges neighbouring chunks in the same state into runs. */
  private final class RunWriter {
    private final ChunkSnapshot of;
    private int from = -1;
    private int to;
    private int next;
    private int state;
    private int inTransit;
    private int timesSent;
    private int localKey;
    private int remoteKey;
    private int release;

    RunWriter(ChunkSnapshot of) {
      this.of = of;
    }

    void add(int chunk) {
      if (from >= 0 && chunk == to && of.alike(from, chunk)) {
        to++;
        return;
      }
      end();
      from = chunk;
      to = chunk + 1;
    }

    void end() {
      if (from < 0) {
        return;
      }
      int newState = of.state(from).ordinal();
      int newInTransit = of.inTransit(from);
      int newTimesSent = of.timesSent(from);
      int newLocalKey = of.localKey(from);
      int newRemoteKey = of.remoteKey(from);
      int newRelease = of.release(from).ordinal();
      runs.number(from - next);
      runs.number(to - from);
      runs.u8(
          (newState != state ? STATE : 0)
              | (newInTransit != inTransit ? IN_TRANSIT : 0)
              | (newTimesSent != timesSent ? TIMES_SENT : 0)
              | (newLocalKey != localKey ? LOCAL_KEY : 0)
              | (newRemoteKey != remoteKey ? REMOTE_KEY : 0)
              | (newRelease != release ? RELEASE : 0));
      if (newState != state) {
        runs.number(newState);
      }
      if (newInTransit != inTransit) {
        runs.number(newInTransit);
      }
      if (newTimesSent != timesSent) {
        runs.number(newTimesSent);
      }
      if (newLocalKey != localKey) {
        runs.signed((long) newLocalKey - localKey);
      }
      if (newRemoteKey != remoteKey) {
        runs.signed((long) newRemoteKey - remoteKey);
      }
      if (newRelease != release) {
        runs.number(newRelease);
      }
      state = newState;
      release = newRelease;
      inTransit = newInTransit;
      timesSent = newTimesSent;
      localKey = newLocalKey;
      remoteKey = newRemoteKey;
      next = to;
      from = -1;
      runCount++;
    }
  }
}
