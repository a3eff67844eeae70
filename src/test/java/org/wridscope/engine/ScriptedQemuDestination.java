// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;

/**
 * A QEMU 7.2 that was started with {@code -incoming rdma:}: it sends READY only when it needs a
 * message, supports one command per message, and exits, which is to disconnect, in every case in
 * which QEMU does. Its messages can be tampered with.
 */
final class ScriptedQemuDestination extends ScriptedServer {
  private static final long HOOK = 0x80;

  private final int rest;
  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private int loops;
  private int hooks;
  private int tailFrom;
  private int received;
  private int leavingAt = Integer.MAX_VALUE;
  private boolean staying;
  private @Nullable Capabilities wanted;

  /**
   * @param guest whose RAM is not zero, so that all of it is overwritten
   * @param rest number of bytes after the RAM, after which it has loaded the guest
   */
  ScriptedQemuDestination(Rig rig, BlockGuest guest, int rest, Tamper tamper) {
    super(rig, guest, tamper);
    this.rest = rest;
  }

  /** Makes it exit when it gets its message of this number, from 0. */
  ScriptedQemuDestination leavingAt(int message) {
    leavingAt = message;
    return this;
  }

  /** Makes it stay connected at the end, until the source has gone. */
  ScriptedQemuDestination staying() {
    staying = true;
    return this;
  }

  /** Number of messages that it has received. */
  int received() {
    return received;
  }

  /** The part of the stream after the RAM. */
  byte[] rest() {
    return Arrays.copyOfRange(stream.toByteArray(), tailFrom, stream.size());
  }

  byte[] stream() {
    return stream.toByteArray();
  }

  Capabilities wanted() {
    return Objects.requireNonNull(wanted);
  }

  @Override
  void serve(TestPeer peer, ConnectionRequest request)
      throws IOException, InterruptedException, TestPeer.GoneException {
    wanted = Capabilities.decode(ByteBuffer.wrap(request.privateData()));
    byte[] granted = wanted.and(Capabilities.PIN_ALL).toBytes();
    request.accept(new ConnectionParameters(granted, 5, 0), PATIENCE);
    play(peer, wanted.pinAll());
    if (staying) {
      peer.awaitDisconnect();
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
      throw new TestPeer.GoneException("bytes came after the end of the stream");
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
      ControlType type = Objects.requireNonNull(TestPeer.typeOf(message));
      if (repeatOf(message) != 1) {
        throw new TestPeer.GoneException("repeat is " + repeatOf(message));
      }
      switch (type) {
        case RAM_BLOCKS_REQUEST -> {
          if (loops != 1) {
            throw new TestPeer.GoneException("RAM blocks are asked for again");
          }
          answerBlocks(peer, pinAll);
        }
        case REGISTER_REQUEST -> {
          if (pinAll) {
            throw new TestPeer.GoneException("a registration with pin-all");
          }
          register(peer, message);
        }
        case UNREGISTER_REQUEST -> unregister(peer, message);
        case COMPRESS -> fill(message);
        case REGISTER_FINISHED -> {
          return;
        }
        default -> throw new TestPeer.GoneException("Unknown control message " + type);
      }
    }
  }

  private byte[] next(TestPeer peer, @Nullable ControlType expected)
      throws IOException, InterruptedException, TestPeer.GoneException {
    send(peer, TestPeer.message(ControlType.READY));
    byte[] message = peer.receive();
    if (received++ == leavingAt) {
      throw new TestPeer.GoneException("it exited");
    }
    return expected == null ? message : require(message, expected);
  }
}
