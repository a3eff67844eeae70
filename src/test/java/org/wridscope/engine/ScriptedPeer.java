// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;

/** Common parts of the scripted peers, which are independent of the engine's own code. */
abstract sealed class ScriptedPeer permits ScriptedSource, ScriptedQemuSource, ScriptedServer {
  static final Duration PATIENCE = Duration.ofSeconds(30);

  final Rig rig;
  final BlockGuest guest;
  private final Tamper tamper;
  private int sent;

  /** How long it waits for an answer to a message that was tampered with. */
  private Duration patienceAfterwards = Duration.ofMillis(60);

  private String end = "it went to the end";

  ScriptedPeer(Rig rig, BlockGuest guest, Tamper tamper) {
    this.rig = rig;
    this.guest = guest;
    this.tamper = tamper;
  }

  /** Why it ended. */
  final String end() {
    return end;
  }

  /** Number of messages that it has sent, before they were tampered with. */
  final int sent() {
    return sent;
  }

  /** Waits until the other side ends, even without an answer. */
  final void waitLonger() {
    patienceAfterwards = PATIENCE;
  }

  final boolean isPatient() {
    return patienceAfterwards.equals(PATIENCE);
  }

  /** Connects, and follows the script to its end or until the other side has gone. */
  final void run() throws IOException, InterruptedException {
    try {
      connectAndPlay();
    } catch (TestPeer.GoneException e) {
      end = String.valueOf(e.getMessage());
    }
  }

  abstract void connectAndPlay() throws IOException, InterruptedException, TestPeer.GoneException;

  /** What is sent instead of a message. */
  final List<byte[]> tampered(byte[] message) {
    return tamper.apply(sent, message);
  }

  @SuppressWarnings("ReferenceEquality") // an array that was not tampered with is the same one
  final void send(TestPeer peer, byte[] message)
      throws IOException, InterruptedException, TestPeer.GoneException {
    List<byte[]> instead = tampered(message);
    if (instead.size() != 1 || instead.getFirst() != message) {
      peer.setPatience(patienceAfterwards);
    }
    sent++;
    for (byte[] part : instead) {
      peer.send(part);
    }
  }

  static byte[] receive(TestPeer peer, ControlType expected)
      throws IOException, InterruptedException, TestPeer.GoneException {
    return require(peer.receive(), expected);
  }

  static byte[] require(byte[] message, ControlType expected) throws TestPeer.GoneException {
    ControlType type = TestPeer.typeOf(message);
    if (type != expected) {
      throw new TestPeer.GoneException("%s came instead of %s".formatted(type, expected));
    }
    return message;
  }

  static ByteBuffer payload(byte[] message) {
    return ByteBuffer.wrap(message, ControlHeader.BYTES, message.length - ControlHeader.BYTES)
        .slice();
  }

  static int repeatOf(byte[] message) {
    return ByteBuffer.wrap(message).getInt(8);
  }
}
