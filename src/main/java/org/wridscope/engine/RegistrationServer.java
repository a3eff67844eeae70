// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.memory.ArrivingChunks;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.BlockGeometry;
import org.wridscope.protocol.ChunkCommand;
import org.wridscope.protocol.ChunkRun;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.stream.RamPhase;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;
import org.wridscope.verbs.MemoryRegion;

/**
 * Serves a source while it sends RAM: registers memory on request and fills ranges of zeros, until
 * REGISTER FINISHED arrives (QEMU's {@code qemu_rdma_registration_handle}). Every index, address
 * and count is checked against the blocks of this side.
 */
final class RegistrationServer {
  /** Most bytes filled between two checks for a cancel and for a heartbeat that is due. */
  private static final long FILL_SLICE = 64L << 20;

  private final ControlChannel control;
  private final CompletionPoller poller;
  private final Registrar registrar;
  private final List<RamBlock> ram;
  private final List<ChunkTable> tables;
  private final List<BlockGeometry> geometry = new ArrayList<>();

  private final boolean pinAll;
  private final SessionTelemetry telemetry;
  private Runnable beforeRam = () -> {};
  private Room beforeRegistering = _ -> {};
  private Runnable blocksAsked = () -> {};
  private final ArrivingChunks arriving = new ArrivingChunks();
  private boolean exchanged;

  /**
   * @param ram blocks of this side, in the order of the source
   */
  RegistrationServer(
      Connected peer,
      Registrar registrar,
      List<RamBlock> ram,
      List<ChunkTable> tables,
      boolean pinAll,
      SessionTelemetry telemetry) {
    this.control = peer.control();
    this.poller = peer.poller();
    this.registrar = registrar;
    this.ram = ram;
    this.tables = tables;
    this.pinAll = pinAll;
    this.telemetry = telemetry;
    long offset = 0;
    for (RamBlock block : ram) {
      geometry.add(new BlockGeometry(offset, block.length()));
      // Any distinct offsets would do; chunk boundaries make the addresses in traces readable.
      offset += (block.length() + ChunkTable.CHUNK_SIZE - 1) & -ChunkTable.CHUNK_SIZE;
    }
  }

  /** Makes sure that there is memory for RAM. */
  interface Room {
    /**
     * Takes room for so many bytes.
     *
     * @throws IOException if there is not enough
     */
    void take(long bytes) throws IOException;
  }

  /** Sets what is to be called before chunks are registered. */
  void setBeforeRegistering(Room room) {
    beforeRegistering = room;
  }

  /** Sets what is run each time before RAM is changed or can be. */
  void setBeforeRam(Runnable beforeRam) {
    this.beforeRam = beforeRam;
  }

  /** Sets what is run when the source asks for the RAM blocks. */
  void setBlocksAsked(Runnable blocksAsked) {
    this.blocksAsked = blocksAsked;
  }

  /** Serves requests until the source has finished this phase. */
  void serve(RamPhase phase) throws IOException, InterruptedException {
    while (true) {
      control.sendEmpty(ControlType.READY);
      Message message =
          control.receive(new Wait(Wait.Kind.REGISTRATION_MESSAGE), poller.limits().work());
      ControlHeader header = message.header();
      if (header.type() != ControlType.RAM_BLOCKS_REQUEST && !exchanged) {
        throw ProtocolException.of(
            "control message type", header.type().text(), "RAM BLOCKS REQUEST first");
      }
      switch (header.type()) {
        case RAM_BLOCKS_REQUEST -> exchangeBlocks(phase);
        case REGISTER_REQUEST -> register(message);
        case COMPRESS ->
            forEach(message, CompressCommand::decode, (command, block, _) -> fill(command, block));
        case UNREGISTER_REQUEST -> unregister(message);
        case REGISTER_FINISHED -> {
          arriving.finished();
          control.release(message);
          return;
        }
        default ->
            throw ProtocolException.of(
                "control message type",
                header.type().text(),
                "a registration message until REGISTER FINISHED");
      }
      control.release(message);
    }
  }

  private void exchangeBlocks(RamPhase phase) throws IOException, InterruptedException {
    if (phase != RamPhase.SETUP || exchanged) {
      throw ProtocolException.of("RAM BLOCKS REQUEST", "another one", "one, in set-up");
    }
    exchanged = true;
    blocksAsked.run();
    if (pinAll) {
      beforeRam.run();
    }
    var blocks = new ArrayList<RemoteBlock>();
    for (int i = 0; i < ram.size(); i++) {
      ChunkTable table = tables.get(i);
      poller.tend();
      int key = pinAll ? registerWhole(i) : 0;
      blocks.add(
          new RemoteBlock(table.localAddress(), geometry.get(i).offset(), table.length(), key));
    }
    RemoteBlock.encodeList(blocks, control.payload());
    control.send(ControlType.RAM_BLOCKS_RESULT, 1);
  }

  private int registerWhole(int block) throws IOException {
    beforeRegistering.take(tables.get(block).length());
    MemoryRegion region = registrar.registerBlock(block, poller);
    noteKey(block, 0, tables.get(block).chunkCount(), region.remoteKey());
    return region.remoteKey();
  }

  private interface Decoder<C> {
    C decode(ByteBuffer payload) throws ProtocolException;
  }

  private interface Action<C> {
    /**
     * Executes a command.
     *
     * @param block the checked index of its block
     * @param index of the command in its message
     */
    void execute(C command, int block, int index) throws IOException, InterruptedException;
  }

  /** Executes the commands of a message, and returns their number. */
  private <C extends ChunkCommand> int forEach(
      Message message, Decoder<C> decoder, Action<C> action)
      throws IOException, InterruptedException {
    int commands = ChunkCommand.requireRepeat(message.header());
    for (int i = 0; i < commands; i++) {
      poller.tend();
      C command = decoder.decode(message.payload());
      action.execute(command, command.requireBlock(ram.size()), i);
    }
    return commands;
  }

  private void register(Message message) throws IOException, InterruptedException {
    beforeRam.run();
    ByteBuffer answer = control.payload();
    int commands =
        forEach(
            message,
            RegisterCommand::decode,
            (command, block, _) -> {
              ChunkRun run = command.resolve(geometry.get(block));
              keyEvent(EventKind.KEY_REQUESTED, run, 0);
              MemoryRegion region = regionFor(run);
              new RegisterResult(region.remoteKey(), tables.get(block).localAddress())
                  .encode(answer);
              keyEvent(EventKind.KEY_GIVEN, run, region.remoteKey());
            });
    control.send(ControlType.REGISTER_RESULT, commands);
  }

  /** The region that covers a run, which may be that of its first chunk or a new one. */
  private MemoryRegion regionFor(ChunkRun run) throws IOException {
    int block = run.block();
    int first = (int) run.first();
    int chunks = (int) run.chunks();
    MemoryRegion known = registrar.region(block, pinAll ? 0 : first);
    if (known != null && (pinAll || covers(known, block, first, chunks))) {
      return known;
    }
    beforeRegistering.take(bytesOf(block, first, chunks));
    MemoryRegion region = registrar.register(block, first, chunks);
    noteKey(block, first, chunks, region.remoteKey());
    arriving.given(tables.get(block), first, first + chunks);
    return region;
  }

  private boolean covers(MemoryRegion region, int block, int first, int chunks) {
    return region.length() >= bytesOf(block, first, chunks);
  }

  private long bytesOf(int block, int first, int chunks) {
    long end = Math.min(tables.get(block).length(), ChunkTable.offsetOf(first + chunks));
    return end - ChunkTable.offsetOf(first);
  }

  private void noteKey(int block, int first, int chunks, int key) {
    ChunkTable table = tables.get(block);
    for (int chunk = first; chunk < first + chunks; chunk++) {
      table.setRemoteKey(chunk, key);
      table.setState(chunk, ChunkState.REGISTERED);
    }
  }

  private void keyEvent(EventKind kind, ChunkRun run, int key) {
    telemetry.event(
        kind,
        0,
        (int) run.chunks(),
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, run.block(), run.first()),
        Integer.toUnsignedLong(key));
  }

  private void unregister(Message message) throws IOException, InterruptedException {
    int commands = forEach(message, UnregisterCommand::decode, this::unregister);
    control.payload();
    control.send(ControlType.UNREGISTER_FINISHED, commands);
  }

  private void unregister(UnregisterCommand command, int block, int index) throws IOException {
    int first = (int) command.resolve(geometry.get(block)).first();
    int chunks = registrar.chunksFrom(block, first);
    if (pinAll || chunks == 0) {
      throw ProtocolException.of("UNREGISTER REQUEST chunk", first, "a registered one");
    }
    registrar.note(UnregisterStep.ASKED, block, first, chunks, index);
    int given = registrar.deregister(block, first);
    registrar.note(UnregisterStep.DEREGISTERED, block, first, given, index);
  }

  private void fill(CompressCommand command, int block) throws IOException, InterruptedException {
    long offset = command.resolve(geometry.get(block));
    long length = command.length();
    if (((offset | length) & (RamBlock.PAGE_SIZE - 1)) != 0) {
      throw ProtocolException.of(
          "COMPRESS range", offset + " +" + length, "whole pages of " + RamBlock.PAGE_SIZE);
    }
    beforeRam.run();
    for (long done = 0; done < length; done += FILL_SLICE) {
      poller.tend();
      long part = Math.min(FILL_SLICE, length - done);
      long begin = Time.nanos();
      if (command.value() == 0) {
        ram.get(block).clear(offset + done, part);
      } else {
        ram.get(block).memory().asSlice(offset + done, part).fill((byte) command.value());
      }
      // 0 means that it is not known.
      telemetry.metrics().add(Metric.FILL_TIME, Math.max(1, Time.nanos() - begin));
    }
    noteFilled(tables.get(block), offset, length, command.value());
  }

  private void noteFilled(ChunkTable table, long offset, long length, int value) {
    int first = ChunkTable.chunkOf(offset);
    for (int chunk = first; chunk <= ChunkTable.chunkOf(offset + length - 1); chunk++) {
      if (value == 0 && table.state(chunk) == ChunkState.NOT_REGISTERED) {
        table.setState(chunk, ChunkState.ZERO);
      }
    }
    telemetry.event(
        EventKind.ZERO,
        (int) ((offset - ChunkTable.offsetOf(first)) >> RamBlock.PAGE_SHIFT),
        0,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, table.index(), first),
        length);
  }
}
