// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.MemoryRegion;

/**
 * A QEMU 7.2 that was started with {@code -incoming rdma:}: says READY only when it wants a
 * message, answers only the first of several register commands, and exits, which is to disconnect,
 * on whatever a real one exits on. What it sends can be tampered with.
 */
final class ScriptedQemuDestination {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long HOOK = 0x80;

  /** The RAM of a real one begins at different offsets; ours need only be its own. */
  private static final long OFFSET = 0x7000;

  private final Rig rig;
  private final BlockGuest guest;
  private final int rest;
  private final Tamper tamper;
  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private int loops;
  private int hooks;
  private int tailFrom;
  private int received;
  private int leavingAt = Integer.MAX_VALUE;
  private boolean staying;
  private int sent;
  private @Nullable Capabilities wanted;
  private String end = "it went to the end";

  /**
   * @param guest all of whose RAM holds something that is to be overwritten
   * @param rest bytes of what follows the RAM, at the end of which it has loaded the guest
   */
  ScriptedQemuDestination(Rig rig, BlockGuest guest, int rest, Tamper tamper) {
    this.rig = rig;
    this.guest = guest;
    this.rest = rest;
    this.tamper = tamper;
  }

  /** Has it exit when it gets its message of this number, from 0. */
  ScriptedQemuDestination leavingAt(int message) {
    leavingAt = message;
    return this;
  }

  /** Has it stay connected when all is done, until the source has gone. */
  ScriptedQemuDestination staying() {
    staying = true;
    return this;
  }

  /** How many registrations it was asked to give back. */
  int unregistered() {
    return unregistered;
  }

  /** How many registrations it has at the end. */
  int registered() {
    return registered.size();
  }

  /** How many messages it got. */
  int received() {
    return received;
  }

  /** What is registered, by block and first chunk. */
  private final Map<List<Long>, MemoryRegion> registered = new HashMap<>();

  private int unregistered;

  String end() {
    return end;
  }

  /** What came before the RAM, and what came after it. */
  byte[] rest() {
    return Arrays.copyOfRange(stream.toByteArray(), tailFrom, stream.size());
  }

  byte[] stream() {
    return stream.toByteArray();
  }

  Capabilities wanted() {
    return Objects.requireNonNull(wanted);
  }

  void run() throws IOException, InterruptedException {
    ConnectionRequest request = Objects.requireNonNull(rig.listener().nextRequest(PATIENCE));
    try (var peer = new TestPeer(rig.destinationDevice, request.connection())) {
      wanted = Capabilities.decode(ByteBuffer.wrap(request.privateData()));
      byte[] granted = wanted.and(Capabilities.PIN_ALL).toBytes();
      request.accept(new ConnectionParameters(granted, 5, 0), PATIENCE);
      play(peer, wanted.pinAll());
      if (staying) {
        peer.awaitDisconnect();
      }
    } catch (TestPeer.GoneException e) {
      end = String.valueOf(e.getMessage());
    } catch (IndexOutOfBoundsException e) {
      end = "a command is outside of a block: " + e.getMessage();
    }
  }

  private void play(TestPeer peer, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    boolean last = false;
    while (!last) {
      byte[] message = next(peer, ControlType.QEMU_FILE);
      stream.write(message, ControlHeader.BYTES, message.length - ControlHeader.BYTES);
      if (tailFrom == 0 && endsInHook(message)) {
        hooks++;
        boolean finishing = isEnd();
        loop(peer, pinAll);
        if (finishing) {
          // EOS and a footer, which a QEMU checks.
          tailFrom = stream.size() + 8 + 5;
        }
      }
      last = tailFrom > 0 && stream.size() >= tailFrom + rest;
    }
    if (stream.size() != tailFrom + rest) {
      throw new TestPeer.GoneException("bytes came behind the end of the stream");
    }
  }

  private static boolean endsInHook(byte[] message) {
    return message.length >= 24 && ByteBuffer.wrap(message).getLong(message.length - 8) == HOOK;
  }

  /** Whether the hook at the end of the stream so far is that of an END. */
  private boolean isEnd() {
    byte[] bytes = stream.toByteArray();
    return hooks > 1 && bytes[bytes.length - 13] == 3;
  }

  private void loop(TestPeer peer, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    loops++;
    while (true) {
      byte[] message = next(peer, null);
      ByteBuffer payload =
          ByteBuffer.wrap(message, ControlHeader.BYTES, message.length - ControlHeader.BYTES);
      int repeat = ByteBuffer.wrap(message).getInt(8);
      ControlType type = Objects.requireNonNull(TestPeer.typeOf(message));
      if (repeat != 1) {
        throw new TestPeer.GoneException("repeat is " + repeat);
      }
      switch (type) {
        case RAM_BLOCKS_REQUEST -> {
          if (loops != 1) {
            throw new TestPeer.GoneException("RAM blocks are asked for again");
          }
          blocks(peer, pinAll);
        }
        case REGISTER_REQUEST -> register(peer, payload, pinAll);
        case UNREGISTER_REQUEST -> unregister(peer, payload);
        case COMPRESS -> fill(payload);
        case REGISTER_FINISHED -> {
          return;
        }
        default -> throw new TestPeer.GoneException("Unknown control message " + type);
      }
    }
  }

  private void blocks(TestPeer peer, boolean pinAll)
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

  private void register(TestPeer peer, ByteBuffer payload, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    if (pinAll) {
      throw new TestPeer.GoneException("a registration with pin-all");
    }
    RegisterCommand command = RegisterCommand.decode(payload);
    RamBlock block = guest.ramBlocks().get(command.block());
    long first = (command.address() - OFFSET) & -ChunkTable.CHUNK_SIZE;
    long end = Math.min(block.length(), first + (command.chunks() + 1) * ChunkTable.CHUNK_SIZE);
    MemoryRegion region = peer.register(block.memory().asSlice(first, end - first));
    registered.put(List.of((long) command.block(), first / ChunkTable.CHUNK_SIZE), region);
    send(
        peer,
        TestPeer.message(
            ControlType.REGISTER_RESULT,
            1,
            answer ->
                new RegisterResult(region.remoteKey(), block.memory().address()).encode(answer)));
  }

  private void unregister(TestPeer peer, ByteBuffer payload)
      throws IOException, InterruptedException, TestPeer.GoneException {
    UnregisterCommand command = UnregisterCommand.decode(payload);
    MemoryRegion region = registered.remove(List.of((long) command.block(), command.chunk()));
    if (region == null) {
      // It crashes then.
      throw new TestPeer.GoneException(command + " is of what is not registered");
    }
    peer.deregister(region);
    unregistered++;
    send(peer, TestPeer.message(ControlType.UNREGISTER_FINISHED));
  }

  private void fill(ByteBuffer payload) throws IOException {
    CompressCommand command = CompressCommand.decode(payload);
    guest
        .memory(command.block())
        .asSlice(command.address() - OFFSET, command.length())
        .fill((byte) command.value());
  }

  private byte[] next(TestPeer peer, @Nullable ControlType expected)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, TestPeer.message(ControlType.READY));
    byte[] message = peer.receive();
    if (received++ == leavingAt) {
      throw new TestPeer.GoneException("it exited");
    }
    if (expected != null && TestPeer.typeOf(message) != expected) {
      throw new TestPeer.GoneException(
          "Was expecting a %s control message, but got: %s"
              .formatted(expected, TestPeer.typeOf(message)));
    }
    return message;
  }

  @SuppressWarnings("ReferenceEquality") // an array that was let alone is the same one
  private void send(TestPeer peer, byte[] message)
      throws IOException, InterruptedException, TestPeer.GoneException {
    List<byte[]> instead = tamper.apply(sent, message);
    if (instead.size() != 1 || instead.getFirst() != message) {
      peer.setPatience(Duration.ofMillis(60));
    }
    sent++;
    for (byte[] part : instead) {
      peer.send(part);
    }
  }
}
