// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.UnregisterStep;

/** The lines about registrations and keys. */
final class TracedRegistrations {
  private final TraceLines lines;
  private final TraceBlocks blocks;
  private final TraceForesight foresight;
  private final boolean source;
  private final boolean comparable;

  /** Whether the RAM blocks are being exchanged, when pin-all registers all RAM. */
  private boolean exchanging;

  private boolean closing;
  private boolean callbackIssued;

  private int request;
  private int deleted;

  TracedRegistrations(
      Role role,
      TraceLines lines,
      TraceBlocks blocks,
      TraceForesight foresight,
      boolean comparable) {
    this.lines = lines;
    this.blocks = blocks;
    this.foresight = foresight;
    this.comparable = comparable;
    source = role == Role.SOURCE;
  }

  /** The exchange of RAM blocks begins or ends. */
  void exchange(boolean going) {
    exchanging = going;
  }

  /** The destination begins to handle a message with requests. */
  void requests() {
    request = 0;
  }

  /** The session releases everything from now on. */
  void close() {
    closing = true;
  }

  /** With pin-all, QEMU registers all blocks without a line for each. */
  private boolean isUntraced(Event event) {
    return exchanging
        && foresight.isPinned(blocks.count())
        && blocks.isWhole(event.wrid(), event.length());
  }

  void registered(Event event) throws IOException {
    if (isUntraced(event)) {
      if (source && !callbackIssued) {
        callbackIssued = true;
        lines.event(event.nanos(), QemuTraceEvent.EXCHANGE_SEND_ISSUE_CALLBACK);
      }
      return;
    }
    if (!blocks.contains(event.wrid())) {
      return;
    }
    long wrid = event.wrid();
    lines.event(
        event.nanos(),
        QemuTraceEvent.REGISTER_AND_GET_KEYS,
        blocks.bytes(wrid, event.length()),
        blocks.local(WorkRequestId.block(wrid), TraceBlocks.offsetInBlock(wrid)));
  }

  void keyRequested(Event event) throws IOException {
    long wrid = event.wrid();
    int block = WorkRequestId.block(wrid);
    long address = blocks.offset(block) + TraceBlocks.offsetInBlock(wrid);
    if (source) {
      lines.event(
          event.nanos(),
          QemuTraceEvent.WRITE_ONE_SENDREG,
          WorkRequestId.chunk(wrid),
          blocks.bytes(wrid, event.length()),
          block,
          address);
    } else {
      lines.event(
          event.nanos(),
          QemuTraceEvent.REGISTRATION_HANDLE_REGISTER_LOOP,
          request++,
          block,
          address,
          event.length() - 1);
    }
  }

  void keyGiven(Event event) throws IOException {
    int key = comparable ? 0 : (int) event.argument();
    if (!source) {
      lines.event(event.nanos(), QemuTraceEvent.REGISTRATION_HANDLE_REGISTER_RKEY, key);
      return;
    }
    long first = WorkRequestId.chunk(event.wrid());
    for (long chunk = first; chunk < first + event.length(); chunk++) {
      lines.event(event.nanos(), QemuTraceEvent.WRITE_ONE_RECVREGRES, 0, key, chunk);
    }
  }

  void deregistered(Event event) throws IOException {
    long nanos = event.nanos();
    long wrid = event.wrid();
    long chunk = WorkRequestId.chunk(wrid);
    if (closing) {
      deleteBlocks(nanos, WorkRequestId.block(wrid) + 1);
    } else if (source) {
      lines.event(nanos, QemuTraceEvent.UNREGISTER_WAITING_SEND, chunk);
    }
    // Otherwise a larger registration replaces it, or a step tells it.
  }

  void unregister(Event event) throws IOException {
    long nanos = event.nanos();
    long wrid = event.wrid();
    long chunk = WorkRequestId.chunk(wrid);
    long place = event.argument();
    UnregisterStep step = UnregisterStep.of(event.detail());
    switch (step) {
      case QUEUED -> lines.event(nanos, QemuTraceEvent.SIGNAL_UNREGISTER_APPEND, chunk, place);
      case ALREADY_QUEUED -> lines.event(nanos, QemuTraceEvent.SIGNAL_UNREGISTER_ALREADY, chunk);
      case QUEUE_FULL -> lines.message("qemu-system-x86_64: rdma migration: queue is full");
      case TURN -> lines.event(nanos, QemuTraceEvent.UNREGISTER_WAITING_PROC, chunk, place);
      case PUT_OFF -> {
        lines.event(nanos, QemuTraceEvent.UNREGISTER_WAITING_INFLIGHT, chunk);
        // QEMU appends it again only after its next completion.
        lines.event(nanos, QemuTraceEvent.SIGNAL_UNREGISTER_APPEND, chunk, place);
      }
      case CONFIRMED -> lines.event(nanos, QemuTraceEvent.UNREGISTER_WAITING_COMPLETE, chunk);
      case ASKED ->
          lines.event(
              nanos,
              QemuTraceEvent.REGISTRATION_HANDLE_UNREGISTER_LOOP,
              place,
              WorkRequestId.block(wrid),
              chunk);
      case DEREGISTERED ->
          lines.event(nanos, QemuTraceEvent.REGISTRATION_HANDLE_UNREGISTER_SUCCESS, chunk);
      case REQUESTED -> {
        // Its deregistration has its line.
      }
      case null -> {
        // of a newer version
      }
    }
  }

  /** Writes that the blocks before one are deleted, unless that was written. */
  private void deleteBlocks(long nanos, int before) throws IOException {
    for (; deleted < Math.min(before, blocks.count()); deleted++) {
      blocks.writeDeleted(nanos, deleted, lines);
    }
  }

  /** The session has ended. */
  void end(long nanos) throws IOException {
    deleteBlocks(nanos, blocks.count());
  }
}
