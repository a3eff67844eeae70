// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.GuestDevice;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.DigestEntry;
import org.wridscope.protocol.DigestList;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.MigrationStreamWriter;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * A source that sends a guest with every type of message, step by step. Its messages can be
 * tampered with.
 */
final class ScriptedSource extends ScriptedPeer {
  private final boolean pinAll;
  private final boolean extensions;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final MigrationStreamWriter stream = new MigrationStreamWriter(bytes);
  private List<RemoteBlock> remote = List.of();
  private final MigrationId migration = MigrationId.random();
  private @Nullable MigrationSecret secret;
  private boolean older;
  private @Nullable ControlType leavingAt;
  private @Nullable ControlType pausingAt;
  private Action pause = () -> {};
  private boolean ready;
  private boolean toldToStart;
  private boolean trespassing;
  private long trespassOffset;
  private int trespassLength;
  private int trespassKeyChange;

  ScriptedSource(Rig rig, BlockGuest guest, boolean pinAll, boolean extensions, Tamper tamper) {
    super(rig, guest, tamper);
    this.pinAll = pinAll;
    this.extensions = extensions;
  }

  /**
   * Makes it write to memory that it has no right to.
   *
   * @param offset from the start of block 0
   * @param keyChange what is added to the key of block 0
   */
  void trespass(long offset, int length, int keyChange) {
    trespassing = true;
    trespassOffset = offset;
    trespassLength = length;
    trespassKeyChange = keyChange;
  }

  /** Whether it sent a correct SWITCH OVER. */
  boolean toldToStart() {
    return toldToStart;
  }

  /** Something that a test does between two messages. */
  interface Action {
    void run() throws Exception;
  }

  /** Makes it disconnect instead of sending a message of this type. */
  ScriptedSource leavingAt(ControlType type) {
    leavingAt = type;
    return this;
  }

  /** Executes an action before it sends a message of this type. */
  void before(ControlType type, Action action) {
    pausingAt = type;
    pause = action;
  }

  /** Makes it one that cannot check proofs. */
  ScriptedSource older() {
    older = true;
    return this;
  }

  /** What the destination gave it; null if it has not asked for it. */
  @Nullable MigrationSecret secret() {
    return secret;
  }

  /** The id of its migration. */
  MigrationId migration() {
    return migration;
  }

  /** Makes it wait until the other side ends, even without an answer. */
  ScriptedSource patient() {
    waitLonger();
    return this;
  }

  @Override
  void connectAndPlay() throws IOException, InterruptedException, TestPeer.GoneException {
    int flags =
        (pinAll ? Capabilities.PIN_ALL : 0)
            | (extensions ? Capabilities.WRIDSCOPE : 0)
            | (older ? 0 : Capabilities.PROOF);
    Connection connection = rig.sourceDevice.resolve(rig.address(), PATIENCE);
    try (var peer = new TestPeer(rig.sourceDevice, connection)) {
      byte[] request = Capabilities.of(flags).toBytes(migration);
      ByteBuffer answer =
          ByteBuffer.wrap(connection.connect(new ConnectionParameters(request, 5, 5), PATIENCE));
      secret = Capabilities.decode(answer).proof() ? MigrationSecret.decode(answer) : null;
      play(peer);
    }
  }

  private void play(TestPeer peer)
      throws IOException, InterruptedException, TestPeer.GoneException {
    List<RamBlock> ram = guest.ramBlocks();
    List<MemoryRegion> regions = new ArrayList<>();
    for (RamBlock block : ram) {
      regions.add(peer.register(block.memory()));
    }
    stream.header(guest.machineType());
    stream.ramStart(ram.stream().map(b -> new BlockListing(b.name(), b.length())).toList());
    sendStream(peer);
    send(peer, ControlType.RAM_BLOCKS_REQUEST, 1, payload -> {});
    byte[] answer = receive(peer, ControlType.RAM_BLOCKS_RESULT);
    remote = RemoteBlock.decodeList(payload(answer), answer.length - 16, ram.size());
    finishRegistrations(peer);

    stream.ramPart();
    sendStream(peer);
    int chunks = chunks(0);
    send(
        peer,
        ControlType.REGISTER_REQUEST,
        2,
        payload -> {
          new RegisterCommand(remote.get(0).offset(), 0, chunks - 1L).encode(payload);
          new RegisterCommand(remote.get(1).offset(), 1, 0).encode(payload);
        });
    ByteBuffer keys = payload(receive(peer, ControlType.REGISTER_RESULT));
    write(peer, regions, 0, RegisterResult.decode(keys).remoteKey());
    write(peer, regions, 1, RegisterResult.decode(keys).remoteKey());
    send(
        peer,
        ControlType.COMPRESS,
        1,
        payload ->
            new CompressCommand(0, 2, remote.get(2).offset(), ram.get(2).length()).encode(payload));
    finishRegistrations(peer);

    stream.ramEnd();
    sendStream(peer);
    if (!pinAll) {
      send(
          peer,
          ControlType.UNREGISTER_REQUEST,
          1,
          payload -> new UnregisterCommand(0, 1, 0).encode(payload));
      receive(peer, ControlType.UNREGISTER_FINISHED);
    }
    finishRegistrations(peer);

    for (GuestDevice device : guest.devices()) {
      stream.device(device.name(), device.instance(), device.version(), device.save());
    }
    stream.end(stream.vmDescription());
    sendStream(peer);
    if (!extensions) {
      peer.awaitDisconnect();
      return;
    }
    receive(peer, ControlType.LOADED);
    byte[] switchOver = TestPeer.message(ControlType.SWITCH_OVER);
    toldToStart =
        tampered(switchOver).stream()
            .anyMatch(m -> TestPeer.typeOf(m) == ControlType.SWITCH_OVER && m.length == 16);
    sendAtOnce(peer, switchOver);
    receive(peer, ControlType.RUNNING);
    var digests =
        new DigestList(
            guest.digests().stream().map(d -> new DigestEntry(d.length(), d.digest())).toList());
    sendAtOnce(peer, TestPeer.message(ControlType.DIGESTS, 1, digests::encode));
    receive(peer, ControlType.DIGESTS);
    if (isPatient()) {
      peer.awaitDisconnect();
    }
  }

  private int chunks(int block) {
    long length = guest.ramBlocks().get(block).length();
    return (int) ((length + ChunkTable.CHUNK_SIZE - 1) / ChunkTable.CHUNK_SIZE);
  }

  private void write(TestPeer peer, List<MemoryRegion> regions, int block, int key)
      throws IOException, InterruptedException, TestPeer.GoneException {
    MemoryRegion from = regions.get(block);
    long to = remote.get(block).hostAddress();
    WorkCompletionStatus status =
        trespassing
            ? peer.write(from, 0, trespassLength, to + trespassOffset, key + trespassKeyChange)
            : peer.write(from, 0, (int) from.length(), to, key);
    if (status != WorkCompletionStatus.SUCCESS) {
      throw new TestPeer.GoneException("a write completed with " + status);
    }
  }

  private void finishRegistrations(TestPeer peer)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, ControlType.REGISTER_FINISHED, 1, payload -> {});
    stream.ramEos();
  }

  private void sendStream(TestPeer peer)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, ControlType.QEMU_FILE, 1, payload -> payload.put(bytes.toByteArray()));
    bytes.reset();
  }

  /** Sends a message after READY. */
  private void send(TestPeer peer, ControlType type, int repeat, Consumer<ByteBuffer> payload)
      throws IOException, InterruptedException, TestPeer.GoneException {
    if (!ready) {
      receive(peer, ControlType.READY);
    }
    ready = false;
    sendAtOnce(peer, TestPeer.message(type, repeat, payload));
  }

  private void sendAtOnce(TestPeer peer, byte[] message)
      throws IOException, InterruptedException, TestPeer.GoneException {
    ControlType type = TestPeer.typeOf(message);
    if (type == leavingAt) {
      throw new TestPeer.GoneException("it left");
    }
    if (type == pausingAt) {
      try {
        pause.run();
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
    send(peer, message);
  }
}
