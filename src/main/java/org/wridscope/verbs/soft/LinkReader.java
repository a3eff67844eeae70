// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes apart what comes in over a {@link NetworkLink}: the greeting, then frames. Payload goes
 * from the socket straight to registered memory.
 */
final class LinkReader {

  /** What comes next. */
  private enum Phase {
    GREETING,
    HEADER,
    /** Private data. */
    BODY,
    /** Payload of a message that is accepted. */
    PAYLOAD,
    /** Payload of a message that is refused; it is discarded. */
    REFUSED
  }

  private final NetworkLink link;
  private final NetworkThread thread;
  private final SocketChannel channel;
  private final LinkWriter writer;
  private final ByteBuffer input = ByteBuffer.allocateDirect(Frame.MAX_BODY_BYTES);
  private final ByteBuffer[] scatter = new ByteBuffer[2];
  private final Frame frame = new Frame();
  private @Nullable NetworkRequester requester;
  private @Nullable NetworkResponder responder;
  private Phase phase = Phase.GREETING;
  private int payloadLeft;
  private boolean disconnected;
  private boolean ended;
  private long lastHeard = System.nanoTime();

  LinkReader(NetworkLink link, NetworkThread thread, SocketChannel channel, LinkWriter writer) {
    this.link = link;
    this.thread = thread;
    this.channel = channel;
    this.writer = writer;
    input.limit(Frame.GREETING_BYTES);
  }

  void attach(NetworkRequester sender, NetworkResponder receiver) {
    requester = sender;
    responder = receiver;
    lastHeard = System.nanoTime();
  }

  /** Reads nothing any more. */
  void end() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /** When something was read last, in the clock of {@link System#nanoTime}. */
  long lastHeard() {
    return lastHeard;
  }

  /** Discards whatever comes from now on. */
  void discardRest() {
    phase = Phase.REFUSED;
    payloadLeft = Integer.MAX_VALUE;
  }

  /** Reads what has arrived, up to the link's budget. */
  void read() throws IOException {
    long budget = NetworkLink.BUDGET;
    while (budget > 0 && !ended) {
      long bytes =
          switch (phase) {
            case GREETING, HEADER, BODY -> channel.read(input);
            case PAYLOAD -> readPayload();
            case REFUSED -> readRefused();
          };
      if (bytes < 0) {
        link.endOfStream();
      } else if (bytes == 0) {
        break;
      } else {
        budget -= bytes;
        process();
      }
    }
    lastHeard = System.nanoTime();
  }

  /** Reads straight to where the payload belongs, and the next header behind it. */
  private long readPayload() throws IOException {
    NetworkResponder receiver = Objects.requireNonNull(responder);
    try {
      ByteBuffer target = receiver.target(payloadLeft);
      if (target != null) {
        scatter[0] = target;
        scatter[1] = input;
        long bytes = channel.read(scatter, 0, 2);
        payloadLeft -= Math.clamp(bytes, 0, payloadLeft);
        return bytes;
      }
    } catch (IllegalStateException e) {
      // The memory was freed although it is registered.
      receiver.memoryIsGone();
    } finally {
      receiver.releaseTarget();
    }
    phase = Phase.REFUSED;
    return readRefused();
  }

  private long readRefused() throws IOException {
    int bytes = channel.read(thread.discardBuffer(payloadLeft));
    if (bytes > 0) {
      payloadLeft -= bytes;
    }
    return bytes;
  }

  /** Processes what was read. */
  private void process() throws BrokenStreamException {
    if (phase == Phase.PAYLOAD && payloadLeft == 0) {
      endMessage();
    } else if (phase == Phase.REFUSED && payloadLeft == 0) {
      phase = Phase.HEADER;
    }
    if (phase == Phase.GREETING && !Frame.mayBeGreeting(input)) {
      link.refuseForeignProtocol(Frame.quote(input));
    }
    while (!ended && phase != Phase.PAYLOAD && phase != Phase.REFUSED && !input.hasRemaining()) {
      switch (phase) {
        case GREETING -> greeted();
        case HEADER -> {
          frame.decode(input);
          expect(Frame.HEADER_BYTES);
          begin();
        }
        default -> {
          byte[] body = new byte[frame.length()];
          input.get(0, body);
          expect(Frame.HEADER_BYTES);
          phase = Phase.HEADER;
          link.manage(frame, body);
        }
      }
    }
  }

  private void expect(int bytes) {
    input.clear().limit(bytes);
  }

  private void greeted() throws BrokenStreamException {
    int version = Frame.version(input);
    link.answerGreeting();
    if (version != Frame.VERSION) {
      throw new BrokenStreamException(
          "it speaks version %d of the software device's wire format and this end version %d;"
                  .formatted(version, Frame.VERSION)
              + " use the same version of Wridscope at both ends");
    }
    expect(Frame.HEADER_BYTES);
    phase = Phase.HEADER;
  }

  /** A header arrived. */
  private void begin() throws BrokenStreamException {
    switch (frame.type()) {
      case REQUEST, ACCEPT, REJECT -> {
        expect(frame.length());
        phase = Phase.BODY;
      }
      case ESTABLISHED -> link.manage(frame, new byte[0]);
      case DISCONNECT -> {
        requireAttached();
        disconnected = true;
        link.disconnected();
      }
      case KEEPALIVE -> requireAttached();
      case ACKNOWLEDGE -> {
        requireAttached();
        if (requester != null) {
          requester.answered(frame.response(), frame.sequence());
        }
      }
      case SEND, RDMA_WRITE -> {
        requireAttached();
        if (responder != null) {
          payloadLeft = frame.length();
          phase = responder.begin(frame, writer) ? Phase.PAYLOAD : Phase.REFUSED;
          if (payloadLeft == 0) {
            if (phase == Phase.PAYLOAD) {
              endMessage();
            }
            phase = Phase.HEADER;
          }
        }
      }
    }
  }

  private void requireAttached() throws BrokenStreamException {
    if (requester == null || disconnected) {
      throw new BrokenStreamException(
          "%s came %s".formatted(frame.type(), disconnected ? "after DISCONNECT" : "too early"));
    }
  }

  private void endMessage() {
    phase = Phase.HEADER;
    NetworkResponder receiver = Objects.requireNonNull(responder);
    if (receiver.end() && writer.acknowledge(frame.sequence(), frame.length())) {
      link.write();
    }
  }
}
