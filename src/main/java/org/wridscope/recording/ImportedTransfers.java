// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Wait;

/** The RDMA WRITEs and zeros of a session that is imported from a trace log of QEMU. */
final class ImportedTransfers {
  private final ImportedSession session;
  private final QemuRam ram;
  private final boolean source;

  /** The writes that have not completed, by their wrids. */
  private final Map<Long, ArrayDeque<Post>> inTransit = new HashMap<>();

  /** Writes in the order of their posts; those that have completed leave it later. */
  private final ArrayDeque<Post> posts = new ArrayDeque<>();

  private long[] remoteAddresses = {};

  /** The write that completed last, 0 for none. */
  private long lastCompleted;

  /** The write that a {@link Wait.Kind#EARLIER_WRITE} is for. */
  private long awaited;

  /** Bytes of traced zeros that no traced COMPRESS has announced yet. */
  private long zerosFound;

  /** Bytes of zeros announced with COMPRESS that no READY has confirmed yet. */
  private long zerosTold;

  private static final class Post {
    final long wrid;
    final long bytes;
    boolean ended;

    Post(long wrid, long bytes) {
      this.wrid = wrid;
      this.bytes = bytes;
    }
  }

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
    for (Post post = oldest(); post != null; post = oldest()) {
      end(post);
      written(post.bytes);
      complete(post, true);
    }
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
    session.add(Metric.WRITES_POSTED, 1);
    var now =
        new Post(
            WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, post.chunk()),
            Integer.toUnsignedLong(post.length()));
    inTransit.computeIfAbsent(now.wrid, _ -> new ArrayDeque<>(1)).add(now);
    posts.addLast(now);
    return true;
  }

  /** The oldest write that has not completed, null if there is none. */
  private @Nullable Post oldest() {
    while (!posts.isEmpty() && posts.getFirst().ended) {
      posts.removeFirst();
    }
    return posts.peekFirst();
  }

  private void end(Post post) {
    post.ended = true;
    ArrayDeque<Post> same = inTransit.get(post.wrid);
    if (same != null) {
      same.remove(post);
      if (same.isEmpty()) {
        inTransit.remove(post.wrid);
      }
    }
  }

  private void complete(Post post, boolean arrived) {
    ChunkTable table = ram.table(WorkRequestId.block(post.wrid));
    int chunk = (int) WorkRequestId.chunk(post.wrid);
    if (table.inTransit(chunk) > 0) {
      table.completed(chunk, arrived);
    }
  }

  /**
   * A write failed, or was flushed after another request had failed. Requests of a send queue
   * complete in order, so it is the oldest one.
   *
   * @return false when none is known
   */
  boolean failed(int status) throws IOException {
    Post post = oldest();
    if (post == null) {
      return false;
    }
    end(post);
    session.event(EventKind.COMPLETION_SEND_QUEUE, status, 0, post.wrid, 0);
    session.add(Metric.WRITES_COMPLETED, 1);
    complete(post, false);
    return true;
  }

  /** The migration has ended, and nothing is in transit any more. */
  void settle() {
    for (Post post = oldest(); post != null; post = oldest()) {
      end(post);
      session.add(Metric.WRITES_COMPLETED, 1);
      complete(post, false);
    }
  }

  boolean zeros(int block, long address, long bytes) throws IOException {
    long offset = ram.offsetOfRamAddress(block, address);
    if (offset < 0 || bytes < 0) {
      return false;
    }
    int chunk = ChunkTable.chunkOf(offset);
    long end = offset + Math.min(ram.length(block) - offset, bytes);
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
    table.setStates(
        chunk,
        ChunkTable.chunkOf(end - 1) + 1,
        source ? ImportedTransfers::zeroSent : ImportedTransfers::zeroArrived);
    return true;
  }

  private static ChunkState zeroSent(ChunkState state, int inTransit, int timesSent) {
    if (inTransit > 0) {
      return state;
    }
    return timesSent == 0 ? ChunkState.ZERO : ChunkState.SENT;
  }

  private static ChunkState zeroArrived(ChunkState state, int inTransit, int timesSent) {
    return state == ChunkState.NOT_REGISTERED ? ChunkState.ZERO : state;
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
    session.beginWait(new Wait(Wait.Kind.SEND_CONTEXT), 0);
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
    if (!session.isWaiting(Wait.Kind.EARLIER_WRITE) || awaited != wrid) {
      awaited = wrid;
      session.beginWait(new Wait(Wait.Kind.EARLIER_WRITE), wrid);
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
    if (session.isWaiting(Wait.Kind.SEND_CONTEXT)
        || (session.isWaiting(Wait.Kind.EARLIER_WRITE) && awaited == wrid)) {
      session.endWait();
    }
    ArrayDeque<Post> writes = inTransit.get(wrid);
    Post post = writes == null ? null : writes.peek();
    if (post != null) {
      end(post);
      written(post.bytes);
      complete(post, true);
      // So that completed ones do not collect.
      oldest();
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
