// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.imported;

import java.io.IOException;
import org.wridscope.account.Posts;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Wait;

/** The RDMA WRITEs and zeros of a session that is imported from a trace log of QEMU. */
public final class ImportedTransfers {
  private final ImportedSession session;
  private final ImportedRam ram;
  private long[] remoteAddresses = {};

  /** The write that completed last, 0 for none. */
  private long lastCompleted;

  /** The write that a {@link Wait.Kind#EARLIER_WRITE} is for. */
  private long awaited;

  public ImportedTransfers(ImportedSession session, ImportedRam ram) {
    this.session = session;
    this.ram = ram;
  }

  /** The RAM blocks are known from now on. */
  public void blocksKnown() {
    remoteAddresses = new long[ram.tables().size()];
  }

  /**
   * An RDMA WRITE was posted.
   *
   * @param address of the memory that it reads
   * @param remote address that it writes to
   * @return false when it is to no known chunk
   */
  public boolean posted(long chunk, long address, long remote, int length) throws IOException {
    int block = ram.blockAt(address);
    if (!ram.exists(block, chunk) || ram.table(block).inTransit((int) chunk) == Short.MAX_VALUE) {
      return false;
    }
    long base = remote - ram.offset(block, address);
    if (remoteAddresses[block] != base) {
      remoteAddresses[block] = base;
      session.remoteAddresses(remoteAddresses);
    }
    session.event(
        EventKind.POST_WRITE,
        1,
        length,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk),
        remote);
    return true;
  }

  /**
   * A write failed, or was flushed after another request had failed. Requests of a send queue
   * complete in order, so it is the oldest one.
   *
   * @return false when none is known
   */
  public boolean failed(int status) throws IOException {
    long wrid = session.oldestWrite();
    if (wrid == Posts.NONE) {
      return false;
    }
    session.event(EventKind.COMPLETION_SEND_QUEUE, status, 0, wrid, 0);
    return true;
  }

  public boolean zeros(int block, long address, long bytes) throws IOException {
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
    return true;
  }

  /** The source waits for a completion because its send queue is full. */
  public void roomAwaited() throws IOException {
    session.add(Metric.SEND_CONTEXT_WAITS, 1);
    session.beginWait(new Wait(Wait.Kind.SEND_CONTEXT), 0);
  }

  /**
   * The source waits for an earlier write to a chunk.
   *
   * @return false when there is no such chunk
   */
  public boolean writeAwaited(int block, long chunk) throws IOException {
    if (!ram.exists(block, chunk)) {
      return false;
    }
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    // QEMU traces it again whenever another completion came.
    if (!session.isWaiting(Wait.Kind.EARLIER_WRITE) || awaited != wrid) {
      awaited = wrid;
      session.beginWait(new Wait(Wait.Kind.EARLIER_WRITE), wrid);
    }
    return true;
  }

  /** The write that completed last, 0 for none. */
  public long lastCompleted() {
    return lastCompleted;
  }

  public boolean writeCompleted(int block, long chunk) throws IOException {
    if (!ram.exists(block, chunk)) {
      return false;
    }
    long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
    lastCompleted = wrid;
    session.event(EventKind.COMPLETION_SEND_QUEUE, 0, 0, wrid, 0);
    if (session.isWaiting(Wait.Kind.SEND_CONTEXT)
        || (session.isWaiting(Wait.Kind.EARLIER_WRITE) && awaited == wrid)) {
      session.endWait();
    }
    return true;
  }
}
