// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.MemoryRegion;

/** Common parts of the scripted destinations: they register memory and fill it. */
abstract sealed class ScriptedServer extends ScriptedPeer
    permits ScriptedDestination, ScriptedQemuDestination {

  /** The offset of every block; any number would do. */
  private static final long OFFSET = 0x5000;

  /** Memory regions by block and first chunk. */
  private final Map<List<Long>, MemoryRegion> registered = new HashMap<>();

  private int unregistered;
  private long chunkSize = ChunkTable.CHUNK_SIZE;

  ScriptedServer(Rig rig, BlockGuest guest, Tamper tamper) {
    super(rig, guest, tamper);
  }

  @Override
  final void connectAndPlay() throws IOException, InterruptedException, TestPeer.GoneException {
    ConnectionRequest request = Objects.requireNonNull(rig.listener().nextRequest(PATIENCE));
    try (var peer = new TestPeer(rig.destinationDevice, request.connection())) {
      serve(peer, request);
    } catch (IndexOutOfBoundsException e) {
      throw new TestPeer.GoneException("a command is outside of a block: " + e.getMessage());
    }
  }

  /** Gives it chunks of another size, as QEMU's parameter x-rdma-chunk-size does. */
  final void setChunkSize(long bytes) {
    chunkSize = bytes;
  }

  /** Accepts a source, and follows the script. */
  abstract void serve(TestPeer peer, ConnectionRequest request)
      throws IOException, InterruptedException, TestPeer.GoneException;

  /** Number of registrations that it was asked to deregister. */
  final int unregistered() {
    return unregistered;
  }

  /** Number of registrations at the end. */
  final int registered() {
    return registered.size();
  }

  final void answerBlocks(TestPeer peer, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    var blocks = new ArrayList<RemoteBlock>();
    for (RamBlock block : guest.ramBlocks()) {
      int key = pinAll ? peer.register(block.memory()).remoteKey() : 0;
      blocks.add(new RemoteBlock(block.memory().address(), OFFSET, block.length(), key));
    }
    send(
        peer,
        TestPeer.message(
            ControlType.RAM_BLOCKS_RESULT, 1, payload -> RemoteBlock.encodeList(blocks, payload)));
  }

  final void register(TestPeer peer, byte[] message)
      throws IOException, InterruptedException, TestPeer.GoneException {
    ByteBuffer payload = payload(message);
    var results = new ArrayList<RegisterResult>();
    for (int i = 0; i < repeatOf(message); i++) {
      RegisterCommand command = RegisterCommand.decode(payload);
      RamBlock block = guest.ramBlocks().get(command.block());
      long first = (command.address() - OFFSET) & -chunkSize;
      long end = Math.min(block.length(), first + (command.chunks() + 1) * chunkSize);
      List<Long> place = List.of((long) command.block(), first / chunkSize);
      // As QEMU does, which keeps what it registered first for a chunk, however long it is.
      MemoryRegion region = registered.get(place);
      if (region == null) {
        region = peer.register(block.memory().asSlice(first, end - first));
        registered.put(place, region);
      }
      results.add(new RegisterResult(region.remoteKey(), block.memory().address()));
    }
    send(
        peer,
        TestPeer.message(
            ControlType.REGISTER_RESULT,
            results.size(),
            answer -> results.forEach(result -> result.encode(answer))));
  }

  /** Deregisters like QEMU, to which the first chunk of a run stands for all of it. */
  final void unregister(TestPeer peer, byte[] message)
      throws IOException, InterruptedException, TestPeer.GoneException {
    ByteBuffer payload = payload(message);
    int commands = repeatOf(message);
    for (int i = 0; i < commands; i++) {
      UnregisterCommand command = UnregisterCommand.decode(payload);
      MemoryRegion region = registered.remove(List.of((long) command.block(), command.chunk()));
      if (region == null) {
        // QEMU crashes.
        throw new TestPeer.GoneException(command + " is of what is not registered");
      }
      peer.deregister(region);
      unregistered++;
    }
    send(peer, TestPeer.message(ControlType.UNREGISTER_FINISHED, commands, answer -> {}));
  }

  final void fill(byte[] message) throws IOException {
    ByteBuffer payload = payload(message);
    for (int i = 0; i < repeatOf(message); i++) {
      CompressCommand command = CompressCommand.decode(payload);
      guest
          .memory(command.block())
          .asSlice(command.address() - OFFSET, command.length())
          .fill((byte) command.value());
    }
  }
}
