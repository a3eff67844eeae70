// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.DigestEntry;
import org.wridscope.protocol.DigestList;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;

/**
 * A destination that receives a guest correctly, unless its messages are tampered with. It stops
 * listening once it has a source, so no inquiry is answered.
 */
final class ScriptedDestination extends ScriptedServer {
  private final boolean extensions;
  private @Nullable ControlType leavingAt;
  private @Nullable MigrationId migration;
  private @Nullable MigrationSecret secret;
  private boolean older;
  private boolean saidRunning;

  /**
   * @param guest with the source's blocks, in the same order
   */
  ScriptedDestination(Rig rig, BlockGuest guest, boolean extensions, Tamper tamper) {
    super(rig, guest, tamper);
    this.extensions = extensions;
  }

  /** Whether it sent RUNNING, as it may after SWITCH OVER. */
  boolean saidRunning() {
    return saidRunning;
  }

  /** Makes it disconnect when it gets a message of this type, and continue to listen. */
  ScriptedDestination leavingAt(ControlType type) {
    leavingAt = type;
    return this;
  }

  /** Makes it one that cannot prove what it answers. */
  ScriptedDestination older() {
    older = true;
    return this;
  }

  /** What it gave the source; null if it is an older one. */
  @Nullable MigrationSecret secret() {
    return secret;
  }

  /** The migration id of the source. */
  @Nullable MigrationId migration() {
    return migration;
  }

  /** Makes it wait until the other side ends, even without an answer. */
  ScriptedDestination patient() {
    waitLonger();
    return this;
  }

  @Override
  void serve(TestPeer peer, ConnectionRequest request)
      throws IOException, InterruptedException, TestPeer.GoneException {
    ByteBuffer privateData = ByteBuffer.wrap(request.privateData());
    Capabilities wanted = Capabilities.decode(privateData);
    migration = wanted.wridscope() ? MigrationId.decode(privateData) : null;
    int known =
        Capabilities.PIN_ALL
            | (extensions ? Capabilities.WRIDSCOPE : 0)
            | (older ? 0 : Capabilities.PROOF);
    Capabilities granted = wanted.and(known);
    secret = granted.proof() ? MigrationSecret.random() : null;
    byte[] answer = secret == null ? granted.toBytes() : granted.toBytes(secret);
    request.accept(new ConnectionParameters(answer, 5, 5), PATIENCE);
    if (leavingAt == null) {
      rig.listener().close();
    }
    play(peer, wanted.pinAll());
  }

  private void play(TestPeer peer, boolean pinAll)
      throws IOException, InterruptedException, TestPeer.GoneException {
    boolean more = true;
    while (more) {
      send(peer, TestPeer.message(ControlType.READY));
      byte[] message = peer.receive();
      ControlType type = TestPeer.typeOf(message);
      switch (Objects.requireNonNull(type)) {
        // The description of the machine, JSON, is the last of the stream.
        case QEMU_FILE -> more = message[message.length - 1] != '}';
        case RAM_BLOCKS_REQUEST -> answerBlocks(peer, pinAll);
        case REGISTER_REQUEST -> register(peer, message);
        case UNREGISTER_REQUEST -> unregister(peer, message);
        case COMPRESS -> fill(message);
        case REGISTER_FINISHED -> {}
        default -> throw new TestPeer.GoneException(type + " came");
      }
    }
    if (!extensions) {
      return;
    }
    send(peer, TestPeer.message(ControlType.LOADED));
    receiveOrLeave(peer, ControlType.SWITCH_OVER);
    byte[] running = TestPeer.message(ControlType.RUNNING);
    saidRunning =
        tampered(running).stream()
            .anyMatch(m -> TestPeer.typeOf(m) == ControlType.RUNNING && m.length == 16);
    send(peer, running);
    receiveOrLeave(peer, ControlType.DIGESTS);
    var digests =
        new DigestList(
            guest.digests().stream().map(d -> new DigestEntry(d.length(), d.digest())).toList());
    send(peer, TestPeer.message(ControlType.DIGESTS, 1, digests::encode));
    peer.awaitDisconnect();
  }

  private void receiveOrLeave(TestPeer peer, ControlType expected)
      throws IOException, InterruptedException, TestPeer.GoneException {
    byte[] message = peer.receive();
    if (TestPeer.typeOf(message) == leavingAt) {
      throw new TestPeer.GoneException("it left");
    }
    require(message, expected);
  }
}
