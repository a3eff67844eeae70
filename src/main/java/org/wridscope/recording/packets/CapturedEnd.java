// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Unseen;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ChunkRun;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.file.ImportTarget;
import org.wridscope.recording.imported.ImportedKeys;
import org.wridscope.recording.imported.ImportedRam;
import org.wridscope.recording.imported.ImportedRegistrations;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.recording.imported.ImportedTransfers;
import org.wridscope.stream.BlockListing;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.wire.Syndrome;
import org.wridscope.wire.WireRequest;

/**
 * One end of a migration, inferred from captured packets. Its wrids are those that QEMU would use;
 * what travels shows only which message or which chunk each request is for.
 */
final class CapturedEnd {
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Role role;
  private final ImportedSession session;
  private final ImportedRam ram;
  private final ImportedTransfers transfers;
  private final ImportedKeys keys;
  private final ImportedRegistrations registrations;
  private final PostedRequests posted = new PostedRequests(false);
  private final QueueId queuePair;
  private final long beganAt;

  CapturedEnd(ImportTarget target, Role role, int queuePair, long beganAt) throws IOException {
    this.role = role;
    this.queuePair = QueueId.ofQueuePair(0, queuePair);
    this.beganAt = beganAt;
    session = new ImportedSession(target, role, beganAt, SAMPLE_NANOS);
    ram = new ImportedRam(role == Role.DESTINATION);
    transfers = new ImportedTransfers(session, ram);
    keys = new ImportedKeys(session, ram);
    registrations = new ImportedRegistrations(session, ram, isSource());
    session.begin();
    session.event(EventKind.PROGRAM_UNSEEN, Unseen.OF_PACKETS, 0, 0, 0);
    session.phase(Phase.Kind.SET_UP);
    session.enter(MigrationStatus.SETUP);
  }

  private boolean isSource() {
    return role == Role.SOURCE;
  }

  /** All that follows happens at this moment. */
  CapturedEnd at(long nanos) throws IOException {
    session.advance(nanos);
    return this;
  }

  void note(String sentence) {
    session.note(sentence);
  }

  void established(Agreement agreement) throws IOException {
    session.event(EventKind.ESTABLISHED, agreement.detail(), 0, 0, 0);
  }

  // ----------------------------------------------------------------------------------- messages

  void sent(WireRequest request, ControlHeader header) throws IOException {
    session.sent(header, WorkRequestId.CONTROL_SEND);
    posted.add(request, WorkRequestId.CONTROL_SEND);
  }

  void received(ControlHeader header) throws IOException {
    session.event(EventKind.COMPLETION_RECEIVE_QUEUE, 0, 0, WorkRequestId.CONTROL_RECEIVE, 0);
    session.add(Metric.RECEIVES_POSTED, 1);
    session.received(header, WorkRequestId.CONTROL_RECEIVE);
  }

  void sendCompleted(int status) throws IOException {
    session.event(EventKind.COMPLETION_SEND_QUEUE, status, 0, WorkRequestId.CONTROL_SEND, 0);
  }

  // ----------------------------------------------------------------------------------------- RAM

  /**
   * The destination has listed its RAM blocks.
   *
   * @param names of the blocks, in the same order; none if they are not known
   */
  void listed(List<RemoteBlock> blocks, List<BlockListing> names, boolean pinAll)
      throws IOException {
    for (int i = 0; i < blocks.size(); i++) {
      RemoteBlock block = blocks.get(i);
      ram.add(
          new ImportedRam.Block(
              names.isEmpty() ? "block " + i : names.get(i).name(),
              block.hostAddress(),
              block.offset(),
              block.length()));
    }
    if (!ram.settle()) {
      return;
    }
    transfers.blocksKnown();
    session.set(Metric.RAM_TOTAL, ram.totalLength());
    session.set(Metric.RAM_REMAINING, isSource() ? ram.totalLength() : 0);
    session.blocks(ram);
    if (pinAll && isSource()) {
      session.allKeysKnown();
    } else if (pinAll) {
      registrations.registerAll();
    }
    session.phase(Phase.Kind.RAM);
    session.enter(MigrationStatus.ACTIVE);
  }

  ImportedRam ram() {
    return ram;
  }

  void zeros(CompressCommand zeros) throws IOException {
    transfers.zeros(zeros.block(), zeros.address(), zeros.length());
  }

  void keyRequested(ChunkRun run, long address) throws IOException {
    keys.requested(run.block(), address, run.chunks() << ChunkTable.CHUNK_SHIFT);
  }

  /**
   * The destination answered the oldest request for a key.
   *
   * @param address of the first chunk at the destination
   */
  void keyGiven(ChunkRun run, long address, int key) throws IOException {
    if (!isSource()) {
      long rest = ram.length(run.block()) - ram.offset(run.block(), address);
      registrations.registering(Math.min(run.chunks() << ChunkTable.CHUNK_SHIFT, rest), address);
      registrations.keyed(key);
    }
    keys.given(key);
  }

  void unregister(ChunkRun run) throws IOException {
    if (!isSource()) {
      registrations.step(UnregisterStep.DEREGISTERED, run.block(), run.first(), 0);
      return;
    }
    session.event(
        EventKind.UNREGISTER,
        UnregisterStep.REQUESTED.ordinal(),
        (int) run.chunks(),
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, run.block(), run.first()),
        0);
  }

  /**
   * An RDMA WRITE was posted.
   *
   * @return false if it cannot be shown
   */
  boolean posted(WireRequest request, long wrid) throws IOException {
    boolean shown =
        transfers.posted(
            WorkRequestId.chunk(wrid),
            request.address(),
            request.address(),
            (int) request.length());
    if (shown) {
      posted.add(request, wrid);
    }
    return shown;
  }

  /** The wrid with which a request was shown as posted; null if it was not. */
  @Nullable Long wrid(WireRequest request) {
    return posted.wrid(request);
  }

  void writeCompleted(long wrid, int status) throws IOException {
    if (status == 0) {
      transfers.writeCompleted(WorkRequestId.block(wrid), WorkRequestId.chunk(wrid));
    } else {
      transfers.failed(status);
    }
  }

  // ------------------------------------------------------------------------------------ the wire

  void sentAgain(WireRequest request, boolean otherData, int psn) throws IOException {
    session.met(
        EventKind.WIRE_RETRANSMISSION, posted.packet(request, otherData ? 1 : 0, psn, queuePair));
  }

  void refused(@Nullable WireRequest request, Syndrome syndrome, int psn) throws IOException {
    session.met(EventKind.WIRE_NAK, posted.packet(request, syndrome.value(), psn, queuePair));
  }

  void congested() throws IOException {
    session.met(EventKind.WIRE_CNP, posted.packet(null, 0, 0, queuePair));
  }

  // ----------------------------------------------------------------------------------------- end

  void phase(Phase.Kind kind) {
    session.phase(kind);
  }

  void disconnecting() throws IOException {
    session.event(EventKind.DISCONNECTING, 0, 0, 0, 0);
  }

  MigrationStatus status() {
    return session.status();
  }

  /** The migration has ended. */
  void ended(MigrationStatus status) throws IOException {
    session.set(Metric.TOTAL_TIME, session.now() - beganAt);
    session.completeAll(status == MigrationStatus.COMPLETED);
    if (status == MigrationStatus.COMPLETED && !isSource()) {
      registrations.arrived();
    }
    session.phase(Phase.Kind.of(status));
    session.enter(status);
  }

  void finish(String outcome) throws IOException {
    registrations.flush();
    session.finish(outcome);
  }
}
