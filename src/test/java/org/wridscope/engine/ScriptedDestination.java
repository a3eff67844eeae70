// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.DigestEntry;
import org.wridscope.protocol.DigestList;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.MemoryRegion;

/**
 * A destination that takes a guest as it should; what it sends can be tampered with. Nobody listens
 * any more once it has a source, so that no inquiry is answered.
 */
final class ScriptedDestination {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The offset that it gives every block: any number is as good. */
  private static final long OFFSET = 0x5000;

  private final Rig rig;
  private final BlockGuest guest;
  private final boolean extensions;
  private final Tamper tamper;
  private @Nullable ControlType leavingAt;
  private @Nullable MigrationId migration;
  private int sent;
  private boolean saidRunning;

  /** What is registered, by block and first chunk. */
  private final Map<List<Long>, MemoryRegion> registered = new HashMap<>();

  private int unregistered;

  /** How long it waits for an answer to what was tampered with. */
  private Duration patienceAfterwards = Duration.ofMillis(60);

  private String end = "it went to the end";

  /**
   * @param guest with the source's blocks, in the same order
   */
  ScriptedDestination(Rig rig, BlockGuest guest, boolean extensions, Tamper tamper) {
    this.rig = rig;
    this.guest = guest;
    this.extensions = extensions;
    this.tamper = tamper;
  }

  /** How many registrations it was asked to give back. */
  int unregistered() {
    return unregistered;
  }

  /** How many registrations it has at the end. */
  int registered() {
    return registered.size();
  }

  /** Whether it said RUNNING, as it may after SWITCH OVER. */
  boolean saidRunning() {
    return saidRunning;
  }

  /** Has it disconnect when it gets a message of this type, and go on listening. */
  ScriptedDestination leavingAt(ControlType type) {
    leavingAt = type;
    return this;
  }

  /** The id that the source gave its migration. */
  @Nullable MigrationId migration() {
    return migration;
  }

  /** Has it wait until the other side ends, also when there is no answer. */
  ScriptedDestination patient() {
    patienceAfterwards = PATIENCE;
    return this;
  }

  /** Why it ended. */
  String end() {
    return end;
  }

  /** Takes a source, and goes through the script until the end or until the source has gone. */
  void run() throws IOException, InterruptedException {
    ConnectionRequest request = Objects.requireNonNull(rig.listener().nextRequest(PATIENCE));
    try (var peer = new TestPeer(rig.destinationDevice, request.connection())) {
      ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
      Capabilities wanted = Capabilities.decode(privateData);
      migration = wanted.wridscope() ? MigrationId.decode(privateData) : null;
      int known = Capabilities.PIN_ALL | (extensions ? Capabilities.WRIDSCOPE : 0);
      request.accept(new ConnectionParameters(wanted.and(known).toBytes(), 5, 5), PATIENCE);
      if (leavingAt == null) {
        rig.listener().close();
      }
      play(peer, wanted.pinAll());
    } catch (TestPeer.GoneException e) {
      end = String.valueOf(e.getMessage());
    } catch (IndexOutOfBoundsException e) {
      end = "a command is outside of a block: " + e.getMessage();
    }
  }

  private void play(TestPeer peer, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    boolean more = true;
    while (more) {
      send(peer, ControlType.READY, payload -> {});
      byte[] message = peer.receive();
      ControlType type = TestPeer.typeOf(message);
      ByteBuffer payload =
          ByteBuffer.wrap(message, ControlHeader.BYTES, message.length - ControlHeader.BYTES);
      switch (Objects.requireNonNull(type)) {
        // The description of the machine, JSON, is the last of the stream.
        case QEMU_FILE -> more = message[message.length - 1] != '}';
        case RAM_BLOCKS_REQUEST -> answerBlocks(peer, pinAll);
        case REGISTER_REQUEST -> register(peer, ByteBuffer.wrap(message).getInt(8), payload);
        case UNREGISTER_REQUEST -> unregister(peer, ByteBuffer.wrap(message).getInt(8), payload);
        case COMPRESS -> fill(ByteBuffer.wrap(message).getInt(8), payload);
        case REGISTER_FINISHED -> {}
        default -> throw new TestPeer.GoneException(type + " came");
      }
    }
    if (!extensions) {
      return;
    }
    send(peer, ControlType.LOADED, payload -> {});
    receive(peer, ControlType.SWITCH_OVER);
    byte[] running = TestPeer.message(ControlType.RUNNING);
    saidRunning =
        tamper.apply(sent, running).stream()
            .anyMatch(m -> TestPeer.typeOf(m) == ControlType.RUNNING && m.length == 16);
    send(peer, running);
    receive(peer, ControlType.DIGESTS);
    var digests =
        new DigestList(
            guest.digests().stream().map(d -> new DigestEntry(d.length(), d.digest())).toList());
    send(peer, TestPeer.message(ControlType.DIGESTS, 1, digests::encode));
    peer.awaitDisconnect();
  }

  private void answerBlocks(TestPeer peer, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    var blocks = new ArrayList<RemoteBlock>();
    for (RamBlock block : guest.ramBlocks()) {
      int key = pinAll ? peer.register(block.memory()).remoteKey() : 0;
      blocks.add(new RemoteBlock(block.memory().address(), OFFSET, block.length(), key));
    }
    send(peer, ControlType.RAM_BLOCKS_RESULT, payload -> RemoteBlock.encodeList(blocks, payload));
  }

  private void register(TestPeer peer, int commands, ByteBuffer payload)
      throws IOException, InterruptedException, TestPeer.GoneException {
    var results = new ArrayList<RegisterResult>();
    for (int i = 0; i < commands; i++) {
      RegisterCommand command = RegisterCommand.decode(payload);
      RamBlock block = guest.ramBlocks().get(command.block());
      long first = (command.address() - OFFSET) & -ChunkTable.CHUNK_SIZE;
      long end = Math.min(block.length(), first + (command.chunks() + 1) * ChunkTable.CHUNK_SIZE);
      MemoryRegion region = peer.register(block.memory().asSlice(first, end - first));
      registered.put(List.of((long) command.block(), first / ChunkTable.CHUNK_SIZE), region);
      results.add(new RegisterResult(region.remoteKey(), block.memory().address()));
    }
    send(
        peer,
        TestPeer.message(
            ControlType.REGISTER_RESULT,
            commands,
            answer -> results.forEach(result -> result.encode(answer))));
  }

  /** As QEMU does it: of a run of chunks, the first one stands for all. */
  private void unregister(TestPeer peer, int commands, ByteBuffer payload)
      throws IOException, InterruptedException, TestPeer.GoneException {
    for (int i = 0; i < commands; i++) {
      UnregisterCommand command = UnregisterCommand.decode(payload);
      MemoryRegion region = registered.remove(List.of((long) command.block(), command.chunk()));
      if (region == null) {
        throw new TestPeer.GoneException(command + " is of what is not registered");
      }
      peer.deregister(region);
      unregistered++;
    }
    send(peer, TestPeer.message(ControlType.UNREGISTER_FINISHED, commands, answer -> {}));
  }

  private void fill(int commands, ByteBuffer payload) throws IOException {
    for (int i = 0; i < commands; i++) {
      CompressCommand command = CompressCommand.decode(payload);
      guest
          .memory(command.block())
          .asSlice(command.address() - OFFSET, command.length())
          .fill((byte) command.value());
    }
  }

  private void send(TestPeer peer, ControlType type, Consumer<ByteBuffer> payload)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, TestPeer.message(type, 1, payload));
  }

  @SuppressWarnings("ReferenceEquality") // an array that was let alone is the same one
  private void send(TestPeer peer, byte[] message)
      throws IOException, InterruptedException, TestPeer.GoneException {
    List<byte[]> instead = tamper.apply(sent, message);
    if (instead.size() != 1 || instead.getFirst() != message) {
      peer.setPatience(patienceAfterwards);
    }
    sent++;
    for (byte[] part : instead) {
      peer.send(part);
    }
  }

  private void receive(TestPeer peer, ControlType expected)
      throws IOException, InterruptedException, TestPeer.GoneException {
    byte[] message = peer.receive();
    if (TestPeer.typeOf(message) == leavingAt) {
      throw new TestPeer.GoneException("it left");
    }
    if (TestPeer.typeOf(message) != expected) {
      throw new TestPeer.GoneException(
          "%s came instead of %s".formatted(TestPeer.typeOf(message), expected));
    }
  }
}
