// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.ArrayDeque;
import org.wridscope.account.Posts;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.WorkCompletionStatus;

/** The lines about RDMA WRITEs, ranges of zeros and completions of the send queue. */
final class TracedTransfers {
  private static final long MIB = 1 << 20;

  private final Role role;
  private final TraceLines lines;
  private final TraceBlocks blocks;
  private final boolean comparable;
  private final Posts posts = new Posts();

  /** The RDMA WRITEs that the last completion covers and that have no line yet. */
  private final ArrayDeque<Long> covered = new ArrayDeque<>();

  private long coveredAt;

  /** {@code nb_sent} of QEMU: RDMA WRITEs that no completion has covered. */
  private int left;

  TracedTransfers(Role role, TraceLines lines, TraceBlocks blocks, boolean comparable) {
    this.role = role;
    this.lines = lines;
    this.blocks = blocks;
    this.comparable = comparable;
  }

  /** RDMA WRITEs that no completion has covered. */
  int left() {
    return left;
  }

  void posted(Event event) throws IOException {
    long wrid = event.wrid();
    int block = WorkRequestId.block(wrid);
    long base = blocks.remote(block);
    long offset = base == 0 ? TraceBlocks.offsetInBlock(wrid) : event.argument() - base;
    top(event.nanos(), Integer.toUnsignedLong(event.length()));
    lines.event(
        event.nanos(),
        QemuTraceEvent.WRITE_ONE_POST,
        WorkRequestId.chunk(wrid),
        blocks.local(block, offset),
        TraceBlocks.hex(comparable ? offset : event.argument()),
        Integer.toUnsignedString(event.length()));
    posts.posted(wrid, event.length(), event.detail() == 1);
    left++;
    lines.event(event.nanos(), QemuTraceEvent.WRITE_FLUSH, left);
  }

  /** The SEND of a control message was posted. */
  void messagePosted(Event event) {
    posts.posted(event.wrid(), event.length(), true);
  }

  private void top(long nanos, long bytes) throws IOException {
    long chunks = Math.max(1, Math.ceilDiv(bytes, MIB));
    lines.event(nanos, QemuTraceEvent.WRITE_ONE_TOP, chunks, chunks);
  }

  void zero(Event event) throws IOException {
    long wrid = event.wrid();
    int block = WorkRequestId.block(wrid);
    long offset =
        blocks.offset(block)
            + TraceBlocks.offsetInBlock(wrid)
            + ((long) event.detail() << RamBlock.PAGE_SHIFT);
    if (role == Role.SOURCE) {
      top(event.nanos(), event.argument());
      lines.event(
          event.nanos(),
          QemuTraceEvent.WRITE_ONE_ZERO,
          WorkRequestId.chunk(wrid),
          event.argument(),
          block,
          offset);
    } else {
      lines.event(
          event.nanos(),
          QemuTraceEvent.REGISTRATION_HANDLE_COMPRESS,
          event.argument(),
          block,
          offset);
    }
  }

  /** A completion of the send queue. */
  void completed(Event event) throws IOException {
    long nanos = event.nanos();
    long wrid = event.wrid();
    boolean ok = event.detail() == WorkCompletionStatus.SUCCESS.value();
    long _ = posts.completed(wrid, ok, (before, _) -> cover(before));
    coveredAt = nanos;
    if (ok && WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE) {
      covered.add(wrid);
      return;
    }
    writeCovered();
    if (!failed(event)) {
      lines.event(nanos, QemuTraceEvent.POLL_OTHER, name(wrid), WorkRequestId.type(wrid), left);
    }
  }

  private void cover(long wrid) {
    if (WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE) {
      covered.add(wrid);
    }
  }

  /** Writes the RDMA WRITEs of the last completion. */
  void writeCovered() throws IOException {
    while (!covered.isEmpty()) {
      written(coveredAt, covered.remove());
    }
  }

  /**
   * Writes the RDMA WRITEs of the last completion up to the first one of a registration, to which
   * the next line belongs. Does nothing when none is of it.
   */
  void writeCovered(long registration, int chunks) throws IOException {
    long first = WorkRequestId.chunk(registration);
    int block = WorkRequestId.block(registration);
    if (covered.stream().anyMatch(wrid -> isWithin(wrid, block, first, chunks))) {
      long wrid;
      do {
        wrid = covered.remove();
        written(coveredAt, wrid);
      } while (!isWithin(wrid, block, first, chunks));
    }
  }

  private static boolean isWithin(long wrid, int block, long first, int chunks) {
    long chunk = WorkRequestId.chunk(wrid);
    return WorkRequestId.block(wrid) == block && chunk >= first && chunk < first + chunks;
  }

  /** An RDMA WRITE has ended. QEMU signals each one, so each has a line. */
  private void written(long nanos, long wrid) throws IOException {
    int block = WorkRequestId.block(wrid);
    lines.event(
        nanos,
        QemuTraceEvent.POLL_WRITE,
        name(wrid),
        WorkRequestId.type(wrid),
        left,
        block,
        WorkRequestId.chunk(wrid),
        blocks.local(block, 0),
        TraceBlocks.hex(comparable ? 0 : blocks.remote(block)));
    left = Math.max(0, left - 1);
  }

  /** Writes what QEMU prints about a completion that failed; false if it succeeded. */
  boolean failed(Event completion) throws IOException {
    int status = completion.detail();
    if (status == WorkCompletionStatus.SUCCESS.value()) {
      return false;
    }
    lines.message(
        "ibv_poll_cq wc.status=%d %s!".formatted(status, WorkCompletionStatus.of(status).text()));
    lines.message("ibv_poll_cq wrid=%s!".formatted(name(completion.wrid())));
    if (WorkRequestId.type(completion.wrid()) == WorkRequestId.RDMA_WRITE) {
      left = Math.max(0, left - 1);
    }
    return true;
  }

  /** The name of a work request's type. */
  static String name(long wrid) {
    int type = WorkRequestId.type(wrid);
    if (type == WorkRequestId.RDMA_WRITE) {
      return "WRITE RDMA";
    }
    return type >= WorkRequestId.CONTROL_RECEIVE ? "CONTROL RECV" : WorkRequestId.describe(wrid);
  }
}
