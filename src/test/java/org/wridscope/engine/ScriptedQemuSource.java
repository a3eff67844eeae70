// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.ZeroPages;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * A QEMU 7.2 that migrates a guest away, message by message as in recordings of QEMU: one register
 * request per chunk, zeros as COMPRESS only where nothing is registered, and so never with pin-all,
 * and nothing but the disconnect at the end. Its messages can be tampered with.
 */
final class ScriptedQemuSource extends ScriptedPeer {
  private static final int SECTION = 2;
  private static final long EOS = 0x10;
  private static final long HOOK = 0x80;

  /** A field that QEMU leaves uninitialized. */
  private static final int GARBAGE = 0xdeadbeef;

  private final boolean pinAll;
  private final byte[] prefix;
  private final byte[] tail;
  private boolean footers = true;
  private int rounds = 1;
  private boolean wantsReturnPath;
  private @Nullable Consumer<Integer> beforeRound;
  private byte[] beforeEnd = {};
  private int leavingAt = Integer.MAX_VALUE;
  private int chunkSize = (int) ChunkTable.CHUNK_SIZE;
  private List<RemoteBlock> remote = List.of();
  private final List<int[]> keys = new ArrayList<>();
  private @Nullable Capabilities granted;
  private boolean rejected;
  private @Nullable InetSocketAddress destination;
  private @Nullable CountDownLatch leaving;

  /**
   * @param tail the stream after the RAM
   */
  ScriptedQemuSource(
      Rig rig, BlockGuest guest, boolean pinAll, byte[] prefix, byte[] tail, Tamper tamper) {
    super(rig, guest, tamper);
    this.pinAll = pinAll;
    this.prefix = prefix;
    this.tail = tail;
  }

  /** Makes it a machine type whose sections have no footers. */
  ScriptedQemuSource withoutFooters() {
    footers = false;
    return this;
  }

  /** Makes it send all RAM in each round, after an action. */
  ScriptedQemuSource rounds(int number, Consumer<Integer> before) {
    rounds = number;
    beforeRound = before;
    return this;
  }

  /** Makes it a machine type of QEMU 10.0 or later, which announces the switch-over. */
  ScriptedQemuSource withSwitchoverStart() {
    beforeEnd = new byte[] {8, 0, 11, 0, 0};
    return this;
  }

  /** Gives it chunks of another size, as QEMU's parameter x-rdma-chunk-size does. */
  ScriptedQemuSource chunks(int bytes) {
    chunkSize = bytes;
    return this;
  }

  /** Makes it connect to a destination in another process. */
  ScriptedQemuSource to(InetSocketAddress address) {
    destination = address;
    return this;
  }

  /** Makes it stay connected after its last message. */
  ScriptedQemuSource stayingUntil(CountDownLatch moment) {
    leaving = moment;
    return this;
  }

  private InetSocketAddress address() {
    return destination == null ? rig.address() : destination;
  }

  /** Makes it disconnect instead of sending its message of this number, from 0. */
  ScriptedQemuSource leavingAt(int message) {
    leavingAt = message;
    return this;
  }

  /** Makes it connect a second time, as with post-copy, and give up if that is refused. */
  ScriptedQemuSource withReturnPath() {
    wantsReturnPath = true;
    return this;
  }

  Capabilities granted() {
    return Objects.requireNonNull(granted);
  }

  boolean isRejected() {
    return rejected;
  }

  @Override
  void connectAndPlay() throws IOException, InterruptedException, TestPeer.GoneException {
    Connection connection = rig.sourceDevice.resolve(address(), PATIENCE);
    try (var peer = new TestPeer(rig.sourceDevice, connection)) {
      byte[] request = Capabilities.of(pinAll ? Capabilities.PIN_ALL : 0).toBytes();
      byte[] answer =
          connection.connect(new ConnectionParameters(Arrays.copyOf(request, 8), 5, 0), PATIENCE);
      granted = Capabilities.decode(ByteBuffer.wrap(answer));
      if (wantsReturnPath) {
        connectAgain(request);
      }
      play(peer);
      if (leaving != null) {
        leaving.await();
      }
    }
  }

  private void connectAgain(byte[] request)
      throws IOException, InterruptedException, TestPeer.GoneException {
    Connection second = rig.sourceDevice.resolve(address(), PATIENCE);
    try (var peer = new TestPeer(rig.sourceDevice, second)) {
      peer.connection.connect(new ConnectionParameters(request, 5, 0), PATIENCE);
      send(peer, TestPeer.message(ControlType.READY, 1, _ -> {}));
      while (TestPeer.typeOf(peer.receive()) == ControlType.READY) {
        // A destination that takes it for a source says so.
      }
      throw new IllegalStateException("a destination wrote to the return path");
    } catch (ConnectionRejectedException | TestPeer.GoneException e) {
      rejected = true;
      throw new TestPeer.GoneException("its second connection was refused");
    }
  }

  private void play(TestPeer peer)
      throws IOException, InterruptedException, TestPeer.GoneException {
    List<RamBlock> ram = guest.ramBlocks();
    List<MemoryRegion> regions = new ArrayList<>();
    for (RamBlock block : ram) {
      regions.add(peer.register(block.memory()));
      keys.add(new int[(int) ((block.length() >> ChunkTable.CHUNK_SHIFT) + 1)]);
    }
    stream(peer, setUp(ram));
    send(peer, ControlType.RAM_BLOCKS_REQUEST, 1, payload -> {});
    byte[] answer = receive(peer, ControlType.RAM_BLOCKS_RESULT);
    if (answer.length != ControlHeader.BYTES + 32 * ram.size()) {
      throw new TestPeer.GoneException("ram blocks mismatch");
    }
    remote = RemoteBlock.decodeList(payload(answer), answer.length - 16, ram.size());
    for (int i = 0; i < ram.size(); i++) {
      if (remote.get(i).length() != ram.get(i).length()) {
        throw new TestPeer.GoneException("block has a different length");
      }
      Arrays.fill(keys.get(i), pinAll ? remote.get(i).remoteKey() : 0);
    }
    finished(peer);
    byte[] footer = new byte[0];
    for (int round = 1; round <= rounds; round++) {
      if (beforeRound != null) {
        beforeRound.accept(round);
      }
      stream(peer, section(footer(footer), 2));
      pages(peer, ram, regions);
      finished(peer);
    }
    byte[] before = footer(footer);
    stream(
        peer,
        section(
            ByteBuffer.allocate(before.length + beforeEnd.length)
                .put(before)
                .put(beforeEnd)
                .array(),
            3));
    finished(peer);
    var rest = new ByteArrayOutputStream();
    rest.writeBytes(footer(footer));
    rest.writeBytes(tail);
    byte[] bytes = rest.toByteArray();
    for (int at = 0; at < bytes.length; at += 32768) {
      stream(peer, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 32768)));
    }
  }

  private byte[] setUp(List<RamBlock> ram) {
    var out = ByteBuffer.allocate(8192).put(prefix).put((byte) 1).putInt(SECTION);
    name(out, "ram").putInt(0).putInt(4);
    out.putLong(ram.stream().mapToLong(RamBlock::length).sum() | 4);
    ram.forEach(block -> name(out, block.name()).putLong(block.length()));
    out.putLong(HOOK);
    return Arrays.copyOf(out.array(), out.position());
  }

  private static ByteBuffer name(ByteBuffer out, String name) {
    return out.put((byte) name.length()).put(name.getBytes(StandardCharsets.US_ASCII));
  }

  private byte[] footer(byte[] none) {
    return footers ? ByteBuffer.allocate(5).put((byte) 0x7e).putInt(SECTION).array() : none;
  }

  private static byte[] section(byte[] before, int tag) {
    return ByteBuffer.allocate(before.length + 13)
        .put(before)
        .put((byte) tag)
        .putInt(SECTION)
        .putLong(HOOK)
        .array();
  }

  private void pages(TestPeer peer, List<RamBlock> ram, List<MemoryRegion> regions)
      throws IOException, InterruptedException, TestPeer.GoneException {
    for (int b = 0; b < ram.size(); b++) {
      int block = b;
      long length = ram.get(b).length();
      for (long at = 0; at < length; at += chunkSize) {
        long offset = at;
        int bytes = (int) Math.min(chunkSize, length - at);
        int chunk = (int) (at / chunkSize);
        long address = remote.get(b).offset() + at;
        if (keys.get(b)[chunk] == 0 && ZeroPages.isZero(ram.get(b).memory(), at, bytes)) {
          send(
              peer,
              ControlType.COMPRESS,
              1,
              payload -> new CompressCommand(0, block, address, bytes).encode(payload));
          continue;
        }
        if (keys.get(b)[chunk] == 0) {
          send(
              peer,
              ControlType.REGISTER_REQUEST,
              1,
              payload -> new RegisterCommand(address, block, 0).encode(payload));
          RegisterResult result =
              RegisterResult.decode(payload(receive(peer, ControlType.REGISTER_RESULT)));
          keys.get(b)[chunk] = result.remoteKey();
        }
        WorkCompletionStatus status =
            peer.write(
                regions.get(b),
                at,
                bytes,
                remote.get(b).hostAddress() + offset,
                keys.get(b)[chunk]);
        if (status != WorkCompletionStatus.SUCCESS) {
          throw new TestPeer.GoneException("a write completed with " + status);
        }
      }
    }
  }

  private void finished(TestPeer peer)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, ControlType.REGISTER_FINISHED, 1, payload -> {});
    stream(peer, ByteBuffer.allocate(8).putLong(EOS).array());
  }

  private void stream(TestPeer peer, byte[] bytes)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, ControlType.QEMU_FILE, GARBAGE, payload -> payload.put(bytes));
  }

  /** Sends a message, after exactly one READY since the one before. */
  private void send(TestPeer peer, ControlType type, int repeat, Consumer<ByteBuffer> payload)
      throws IOException, InterruptedException, TestPeer.GoneException {
    receive(peer, ControlType.READY);
    if (sent() == leavingAt) {
      throw new TestPeer.GoneException("it died");
    }
    byte[] message = TestPeer.message(type, 1, payload);
    ByteBuffer.wrap(message).putInt(8, repeat).putInt(12, GARBAGE);
    send(peer, message);
  }
}
