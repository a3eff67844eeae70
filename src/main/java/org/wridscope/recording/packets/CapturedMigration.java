// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.BlockGeometry;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ChunkCommand;
import org.wridscope.protocol.ChunkRun;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.stream.BlockListing;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.Format;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;
import org.wridscope.wire.WireConnection;
import org.wridscope.wire.WireRequest;

/**
 * A migration in QEMU's protocol, inferred from the captured packets of its connection: the
 * messages are read, RDMA WRITEs are mapped to chunks by the keys of REGISTER RESULT and of RAM
 * BLOCKS RESULT, and acknowledgements stand for completions.
 */
final class CapturedMigration implements CaptureOrder.Sink {
  /** {@code RDMA_CONTROL_MAX_COMMANDS_PER_MESSAGE}; more are not kept. */
  private static final int MOST_REQUESTED = 4096;

  private static final int MOST_KEYS = 1 << 22;

  /** A stream up to the hook of the last part of the section {@code ram}: tag, id, record. */
  private static final int HOOK_BYTES = 13;

  private static final int SECTION_END = 3;
  private static final long HOOK = 0x80;

  private static final String NOT_SHOWN = "The capture does not show how the migration ended.";

  private final CapturedMessages facts;
  private final CapturedEnd source;
  private final CapturedEnd destination;
  private final ArrayDeque<Requested> requested = new ArrayDeque<>();
  private final Map<Integer, ChunkRun> runs = new HashMap<>();
  private List<RemoteBlock> blocks = List.of();
  private boolean established;
  private boolean lastPart;
  private boolean allRam;
  private boolean allSent;
  private long unmapped;
  private long outside;
  private long unread;
  private long broken;
  private String outcome = NOT_SHOWN;

  /** Chunks whose key was requested, and the address of the first one at the destination. */
  private record Requested(ChunkRun run, long address) {}

  CapturedMigration(CapturedMessages facts, CapturedEnd source, CapturedEnd destination) {
    this.facts = facts;
    this.source = source;
    this.destination = destination;
  }

  private CapturedEnd end(int number) {
    return number == facts.source() ? source : destination;
  }

  private void establish(long nanos) throws IOException {
    if (established) {
      return;
    }
    established = true;
    Capabilities asked = facts.requested();
    Capabilities granted = facts.granted();
    var agreement =
        new Agreement(
            asked == null ? facts.pinsAll() : asked.pinAll(),
            granted == null ? facts.pinsAll() : granted.pinAll(),
            asked != null && granted != null && asked.wridscope() && granted.wridscope());
    source.at(nanos).established(agreement);
    destination.at(nanos).established(agreement);
  }

  // -------------------------------------------------------------------------------------- writes

  @Override
  public void began(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {
    establish(nanos);
    if (request.kind() != WireRequest.Kind.WRITE) {
      return;
    }
    long wrid = wrid(request);
    if (end != facts.source() || wrid == 0 || !source.at(nanos).posted(request, wrid)) {
      unmapped++;
    }
  }

  /** The wrid that QEMU would use for an RDMA WRITE; 0 when it is to no known RAM. */
  private long wrid(WireRequest request) {
    ChunkRun run = runs.get(request.key());
    int block = run == null ? source.ram().blockAt(request.address()) : run.block();
    if (block < 0) {
      return 0;
    }
    long offset = request.address() - blocks.get(block).hostAddress();
    long chunk = offset >> ChunkTable.CHUNK_SHIFT;
    if (!source.ram().exists(block, chunk)) {
      return 0;
    }
    if (run == null || chunk < run.first() || chunk > run.last()) {
      outside++;
    }
    return WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk);
  }

  @Override
  public void completed(
      WireConnection connection,
      int end,
      WireRequest request,
      WorkCompletionStatus status,
      long nanos)
      throws IOException {
    CapturedEnd requester = end(end);
    Long wrid = requester.wrid(request);
    if (wrid != null && wrid == WorkRequestId.CONTROL_SEND) {
      requester.at(nanos).sendCompleted(status.value());
      allSent |= allRam && requester == source;
    } else if (wrid != null) {
      requester.at(nanos).writeCompleted(wrid, status.value());
    } else if (request.kind() == WireRequest.Kind.SEND) {
      unread++;
    }
    if (status != WorkCompletionStatus.SUCCESS) {
      requester.at(nanos);
      outcome =
          "The %s's device refused a request; the connection failed."
              .formatted(end == facts.source() ? "destination" : "source");
      fail();
    }
  }

  // ------------------------------------------------------------------------------------ the wire

  @Override
  public void repeated(
      WireConnection connection,
      int end,
      WireRequest request,
      boolean otherData,
      int psn,
      long nanos)
      throws IOException {
    end(end).at(nanos).sentAgain(request, otherData, psn);
  }

  @Override
  public void refused(
      WireConnection connection,
      int end,
      @Nullable WireRequest request,
      Syndrome syndrome,
      int psn,
      long nanos)
      throws IOException {
    end(end).at(nanos).refused(request, syndrome, psn);
  }

  @Override
  public void congested(WireConnection connection, int end, long nanos) throws IOException {
    end(end).at(nanos).congested();
  }

  // ------------------------------------------------------------------------------------ messages

  @Override
  public void posted(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {
    establish(nanos);
    ByteBuffer message = request.content();
    if (message == null) {
      return;
    }
    CapturedEnd sender = end(end).at(nanos);
    try {
      ControlHeader header = ControlHeader.decode(message, message.remaining());
      if (sender == source) {
        beforeOfSource(header, message);
      }
      sender.sent(request, header);
    } catch (ProtocolException e) {
      broken++;
    }
  }

  @Override
  public void sent(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {
    ByteBuffer message = request.content();
    Long wrid = end(end).wrid(request);
    if (message == null || wrid == null) {
      return;
    }
    CapturedEnd sender = end(end).at(nanos);
    try {
      ControlHeader header = ControlHeader.decode(message, message.remaining());
      end(1 - end).at(nanos).received(header);
      if (sender != source) {
        ofDestination(header, message);
      }
      ofEither(header);
    } catch (ProtocolException e) {
      broken++;
    }
  }

  private void beforeOfSource(ControlHeader header, ByteBuffer message) throws IOException {
    switch (header.type()) {
      case REGISTER_REQUEST -> {
        for (int i = ChunkCommand.requireRepeat(header); i > 0; i--) {
          request(RegisterCommand.decode(message));
        }
      }
      case UNREGISTER_REQUEST -> {
        for (int i = ChunkCommand.requireRepeat(header); i > 0; i--) {
          UnregisterCommand command = UnregisterCommand.decode(message);
          ChunkRun run = command.resolve(geometry(command));
          source.unregister(run);
          destination.unregister(run);
        }
      }
      case COMPRESS -> {
        for (int i = ChunkCommand.requireRepeat(header); i > 0; i--) {
          CompressCommand command = CompressCommand.decode(message);
          command.resolve(geometry(command));
          source.zeros(command);
          destination.zeros(command);
        }
      }
      case QEMU_FILE -> {
        int last = message.limit() - HOOK_BYTES;
        lastPart =
            last >= message.position()
                && message.get(last) == SECTION_END
                && message.getLong(message.limit() - Long.BYTES) == HOOK;
      }
      case REGISTER_FINISHED -> {
        if (lastPart && !allRam) {
          allRam = true;
          source.phase(Phase.Kind.DEVICE_STATE);
          destination.phase(Phase.Kind.DEVICE_STATE);
        }
      }
      default -> {
        // nothing follows from it
      }
    }
  }

  private BlockGeometry geometry(ChunkCommand command) throws ProtocolException {
    int block = command.requireBlock(blocks.size());
    return new BlockGeometry(blocks.get(block).offset(), blocks.get(block).length());
  }

  private void request(RegisterCommand command) throws IOException {
    ChunkRun run = command.resolve(geometry(command));
    RemoteBlock block = blocks.get(run.block());
    long offset = run.first() << ChunkTable.CHUNK_SHIFT;
    if (requested.size() == MOST_REQUESTED) {
      requested.removeFirst();
    }
    requested.addLast(new Requested(run, block.hostAddress() + offset));
    source.keyRequested(run, block.offset() + offset);
    destination.keyRequested(run, block.offset() + offset);
  }

  private void ofDestination(ControlHeader header, ByteBuffer message) throws IOException {
    switch (header.type()) {
      case RAM_BLOCKS_RESULT -> {
        if (blocks.isEmpty()) {
          list(CapturedMessages.blocks(message, header));
        }
      }
      case REGISTER_RESULT -> {
        while (message.remaining() >= RegisterResult.BYTES && !requested.isEmpty()) {
          RegisterResult result = RegisterResult.decode(message);
          Requested which = requested.removeFirst();
          if (runs.size() < MOST_KEYS) {
            runs.put(result.remoteKey(), which.run);
          }
          source.keyGiven(which.run, which.address, result.remoteKey());
          destination.keyGiven(which.run, which.address, result.remoteKey());
        }
      }
      default -> {
        // nothing follows from it
      }
    }
  }

  private void list(List<RemoteBlock> listed) throws IOException {
    List<BlockListing> names = facts.names();
    boolean named = names.size() == listed.size();
    for (int i = 0; named && i < listed.size(); i++) {
      named = names.get(i).length() == listed.get(i).length();
    }
    List<BlockListing> known = named ? names : List.of();
    source.listed(listed, known, facts.pinsAll());
    destination.listed(listed, known, facts.pinsAll());
    blocks = List.copyOf(listed);
    for (int i = 0; i < listed.size(); i++) {
      if (listed.get(i).remoteKey() != 0) {
        runs.put(listed.get(i).remoteKey(), new ChunkRun(i, 0, source.ram().table(i).chunkCount()));
      }
    }
  }

  private void ofEither(ControlHeader header) throws IOException {
    switch (header.type()) {
      case ERROR -> {
        outcome = "One end sent ERROR.";
        fail();
      }
      case RUNNING -> complete("The destination told the source that its guest is running.");
      default -> {
        // nothing follows from it
      }
    }
  }

  // ----------------------------------------------------------------------------------------- end

  private void fail() throws IOException {
    end(MigrationStatus.FAILED);
  }

  private void complete(String how) throws IOException {
    if (!source.status().isEnd()) {
      outcome = how;
    }
    end(MigrationStatus.COMPLETED);
  }

  private void end(MigrationStatus status) throws IOException {
    if (!source.status().isEnd()) {
      source.ended(status);
      destination.ended(status);
    }
  }

  @Override
  public void disconnecting(WireConnection connection, int end, long nanos) throws IOException {
    source.at(nanos).disconnecting();
    destination.at(nanos).disconnecting();
    if (allSent) {
      complete("The whole stream was sent, and the connection was closed.");
    } else if (!source.status().isEnd()) {
      outcome = "The connection was closed before the whole stream was sent.";
      fail();
    }
  }

  void finish() throws IOException {
    note(unmapped, "RDMA WRITE", "to memory that no message in the capture lists, left out.");
    note(outside, "RDMA WRITE", "to memory for which no message in the capture gave this key.");
    note(unread, "message", "not captured whole, and left out.");
    note(broken, "message", "not of QEMU's protocol, or about memory that is not known.");
    if (!source.status().isEnd() && allSent) {
      complete("The whole stream was sent.");
    }
    source.finish(outcome);
    destination.finish(outcome);
  }

  private void note(long count, String of, String what) {
    if (count > 0) {
      source.note("%s %s".formatted(Format.counted(count, of), what));
    }
  }
}
