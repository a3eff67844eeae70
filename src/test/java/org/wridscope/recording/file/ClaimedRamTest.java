// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;

/**
 * The memory needed to replay a recording grows with the file, not with the size of the recorded
 * RAM.
 */
final class ClaimedRamTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CHUNKS = (int) RecordingFormat.MAX_CHUNKS;
  private static final long MAX_COST = 16L << 20;

  @TempDir Path directory;

  @Test
  void largestRamThatCanBeClaimed_isReplayedInLittleMemory() throws IOException {
    Path small = directory.resolve("small.wrs");
    write(small, 1);
    // First run: loads classes, and measures what does not grow with RAM.
    open(small);
    long usual = open(small);
    Path large = directory.resolve("large.wrs");
    write(large, CHUNKS);
    assertThat(Files.size(large)).as("mostly the names of events and metrics").isLessThan(4000);
    assertThat(open(large) - usual).isLessThan(MAX_COST);
    try (Recording recording = Recording.open("file", large)) {
      RecordedSession session = recording.sessions().getFirst();
      session.moveTo(session.lastNanos());
      ChunkTable table = session.telemetry().blocks().getFirst();
      assertThat(table.chunkCount()).isEqualTo(CHUNKS);
      assertThat(table.count(ChunkState.REGISTERED)).isEqualTo(CHUNKS);
      assertThat(table.localKey(CHUNKS - 1)).isEqualTo(77);
    }
  }

  /** Bytes of heap needed to replay all of it. */
  private static long open(Path file) throws IOException {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    RecordingInputs.open(file);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private static void write(Path file, int chunks) throws IOException {
    try (var writer =
        new RecordingWriter(
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
      var sink = new ByteSink(1 << 12);
      new SessionHead(
              Role.DESTINATION,
              SessionHead.WRIDSCOPE,
              "d",
              "rdma:",
              "soft0",
              "",
              1,
              1,
              Instant.EPOCH)
          .encode(sink);
      writer.block(BlockType.SESSION, 0, sink);
      sink.clear();
      var names = new NamesEncoder();
      names.blocks(1, List.of(new BlockShape("pc.ram", (long) chunks << 20, 4096)));
      names.finish(sink);
      writer.block(BlockType.NAMES, 0, sink);
      sink.clear();
      // A key frame with a single run: all chunks are zero.
      sink.number(0);
      sink.signed(10);
      sink.u8(1);
      sink.number(0);
      sink.number(1);
      sink.number(0);
      sink.number(chunks);
      sink.u8(ChunkEncoder.STATE);
      sink.number(ChunkState.ZERO.ordinal());
      writer.block(BlockType.CHUNKS, 0, sink);
      sink.clear();
      // All but the last two chunks in one event, and those two in one event each.
      var events = new EventEncoder();
      long first = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 0);
      events.event(20, EventKind.REGISTERED, 0, Math.max(1, chunks - 2), first, 77);
      events.event(30, EventKind.REGISTERED, 0, chunks, first, 77);
      events.finish(sink, 0);
      writer.block(BlockType.EVENTS, 0, sink);
    }
  }
}
