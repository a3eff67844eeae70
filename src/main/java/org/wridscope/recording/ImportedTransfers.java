// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;

/** The RDMA WRITEs and zeros of a session that is imported from a trace log of QEMU. */
final class ImportedTransfers {
  private static final String ROOM = "a free send context";
  private static final String EARLIER_WRITE = "an earlier write to the same chunk";

  private final ImportedSession session;
  private final QemuRam ram;
  private final boolean source;

  /** Bytes of the writes that have not completed, by their wrids. */
  private final Map<Long, ArrayDeque<Long>> inTransit = new HashMap<>();

  private long[] remoteAddresses = {};

  /** The write that completed last, 0 for none. */
  private long lastCompleted;

  /** The write that {@link #EARLIER_WRITE} means. */
  private long awaited;

  /** Bytes of traced zeros that no traced COMPRESS has announced yet. */
  private long zerosFound;

  /** Bytes of zeros announced with COMPRESS that no READY has confirmed yet. */
  private long zerosTold;

  /**
   * @param source whether the session is a source
   */
  ImportedTransfers(ImportedSession session, QemuRam ram, boolean source) {
    this.session = session;
    this.ram = ram;
    this.source = source;
  }

  /** The RAM blocks are known from now on. */
  void blocksKnown() {
    remoteAddresses = new long[ram.tables().size()];
  }

  /** A COMPRESS was sent. */
  void compressSent() {
    zerosTold += zerosFound;
    zerosFound = 0;
  }

  /** The migration completed, and with it everything whose completion the log does not contain. */
  void completeAll() {
    inTransit.values().forEach(writes -> writes.forEach(this::written));
    inTransit.clear();
    zerosTold += zerosFound;
    zerosArrived();
  }

  boolean posted(QemuEvent.WritePosted post) throws IOException {
    int block = ram.blockAt(post.address());
    if (!ram.exists(block, post.chunk())
        || ram.table(block).inTransit((int) post.chunk()) == Short.MAX_VALUE) {
      return false;
    }
    long base = post.remote() - ram.offset(block, post.address());
    if (remoteAddresses[block] != base) {
      remoteAddresses[block] = base;
      session.remoteAddresses(remoteAddresses);
    }
    session.event(
        EventKind.POST_WRITE,
        1,
        post.length(),
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, post.chunk()),
        post.remote());
    ram.table(block).posted((int) post.chunk());
    long bytes = Integer.toUnsignedLong(post.length());
    session.add(Metric.WRITES_POSTED, 1);
    inTransit
        .computeIfAbsent(
            WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, post.chunk()),
            _ -> new ArrayDeque<>(1))
        .add(bytes);
    return true;
  }

  boolean zeros(int block, long address, long bytes) throws IOException {
    long offset = ram.offsetOfRamAddress(block, address);
    if (offset < 0 || bytes < 0) {
      return false;
    }
    int chunk = ChunkTable.chunkOf(offset);
    session.event(
        EventKind.ZERO,
        (int) ((offset - ChunkTable.offsetOf(chunk)) >> RamBlock.PAGE_SHIFT),
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk),
        bytes);
    session.add(Metric.DUPLICATE_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    if (source) {
      zerosFound += bytes;
    } else {
      arrived(bytes);
    }
    ChunkTable table = ram.table(block);
    if (!source) {
      if (table.state(chunk) == ChunkState.NOT_REGISTERED) {
        table.setState(chunk, ChunkState.ZERO);
      }
    } else if (table.inTransit(chunk) == 0) {
      table.setState(chunk, table.timesSent(chunk) == 0 ? ChunkState.ZERO : ChunkState.SENT);
    }
    return true;
  }

  private void arrived(long bytes) {
    session.add(Metric.RAM_PROCESSED, bytes);
    session.add(Metric.ROUND_PROCESSED, bytes);
    if (source) {
      session.set(Metric.RAM_REMAINING, Math.max(0, session.get(Metric.RAM_REMAINING) - bytes));
    }
  }

  /** The source waits for a completion because its send queue is full. */
  void roomAwaited() throws IOException {
    session.add(Metric.SEND_CONTEXT_WAITS, 1);
    session.beginWait(ROOM, 0);
  }

  /**
   * The source waits for an earlier write to a chunk.
   *
   * @return false when there is no such chunk
   */
  boolean writeAwaited(int block, long chunk) throws IOException {
    if (!ram.exists(block, chunk)) {
      return false;
    }
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    // QEMU traces it again whenever another completion came.
    if (!session.isWaiting(EARLIER_WRITE) || awaited != wrid) {
      awaited = wrid;
      session.beginWait(EARLIER_WRITE, wrid);
    }
    return true;
  }

  /** The write that completed last, 0 for none. */
  long lastCompleted() {
    return lastCompleted;
  }

  boolean writeCompleted(int block, long chunk) throws IOException {
    if (!ram.exists(block, chunk)) {
      return false;
    }
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    lastCompleted = wrid;
    session.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid, 0);
    session.add(Metric.WRITES_COMPLETED, 1);
    if (session.isWaiting(ROOM) || (session.isWaiting(EARLIER_WRITE) && awaited == wrid)) {
      session.endWait();
    }
    ArrayDeque<Long> writes = inTransit.get(wrid);
    Long bytes = writes == null ? null : writes.poll();
    if (bytes != null) {
      written(bytes);
    }
    ChunkTable table = ram.table(block);
    if (table.inTransit((int) chunk) > 0) {
      table.completed((int) chunk, true);
    }
    return true;
  }

  private void written(long bytes) {
    session.add(Metric.RAM_TRANSFERRED, bytes);
    session.add(Metric.NORMAL_PAGES, bytes >> RamBlock.PAGE_SHIFT);
    arrived(bytes);
  }

  /** A READY arrived, so the destination has processed all zeros of earlier messages. */
  void zerosArrived() {
    arrived(zerosTold);
    zerosTold = 0;
  }
}
