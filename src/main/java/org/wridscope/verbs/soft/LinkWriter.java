// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts together what goes out over a {@link NetworkLink}: frames of the connection manager, answers
 * and messages. Payload goes from registered memory straight to the socket.
 */
final class LinkWriter {
  private static final Logger LOG = LoggerFactory.getLogger(LinkWriter.class);

  /** Messages, or bytes, after which an acknowledgement is sent while more is coming in. */
  private static final int ACKNOWLEDGE_MESSAGES = 16;

  private static final int ACKNOWLEDGE_BYTES = 1 << 20;

  /** Room for all frames but messages that are ever to be sent at once. */
  private static final int CONTROL_BYTES = 1024;

  private final NetworkThread thread;
  private final SocketChannel channel;
  private final ByteBuffer control = ByteBuffer.allocateDirect(CONTROL_BYTES);
  private final ByteBuffer[] gather = new ByteBuffer[1 + 2 * NetworkRequester.BATCH];
  private @Nullable NetworkRequester sender;
  private boolean controlOffered;
  private @Nullable Response answer;
  private long answerSequence;
  private int unacknowledged;
  private int unacknowledgedBytes;
  private long fillerLeft;

  /** The socket takes nothing more until the selector says so. */
  private boolean blocked;

  /** No message is begun any more; the output ends when all else is sent. */
  private boolean finishing;

  private boolean ended;
  private long lastSent = System.nanoTime();

  LinkWriter(NetworkThread thread, SocketChannel channel) {
    this.thread = thread;
    this.channel = channel;
  }

  void attach(NetworkRequester requester) {
    sender = requester;
    lastSent = System.nanoTime();
  }

  /** Where frames without a message are encoded; they are sent with the next write. */
  ByteBuffer control() {
    return control;
  }

  /** Sends a line of text to a peer that is no software device. */
  void putText(String line) {
    control.put(line.getBytes(StandardCharsets.US_ASCII));
  }

  /** Sends an answer with the next write; it stands for all answers before it. */
  void answer(Response response, long sequence) {
    answer = response;
    answerSequence = sequence;
  }

  /**
   * Acknowledges a message with the next write.
   *
   * @return whether that write should not wait for more messages
   */
  boolean acknowledge(long sequence, int length) {
    answer(Response.ACK, sequence);
    unacknowledged++;
    unacknowledgedBytes += Math.min(length, ACKNOWLEDGE_BYTES);
    return unacknowledged >= ACKNOWLEDGE_MESSAGES || unacknowledgedBytes >= ACKNOWLEDGE_BYTES;
  }

  /** Completes the frame that is going out with zeros: the peer has refused it. */
  void fill(long bytes) {
    fillerLeft = bytes;
  }

  /**
   * Ends the output once everything is sent; no message is begun any more.
   *
   * @param disconnect whether to send DISCONNECT first
   */
  void finish(boolean disconnect) {
    if (!finishing && disconnect) {
      Frame.encode(control, Frame.Type.DISCONNECT);
    }
    finishing = true;
  }

  void endIfFinished() {
    if (finishing && !hasOutput()) {
      end();
    }
  }

  /** Ends the output now, even in the middle of a frame. */
  void end() {
    if (ended) {
      return;
    }
    ended = true;
    finishing = true;
    try {
      channel.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("the peer is gone already: {}", e.getMessage());
    }
  }

  /** The socket is closed or broken: nothing is written any more. */
  void drop() {
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Whether the socket takes nothing more at the moment, or ever. */
  boolean isBlocked() {
    return blocked || ended;
  }

  /** The socket takes more. */
  void unblock() {
    blocked = false;
  }

  /** Whether something is left to send besides messages. */
  boolean hasUnsent() {
    return !ended && (control.position() > 0 || answer != null || finishing);
  }

  private boolean hasOutput() {
    return control.position() > 0
        || answer != null
        || fillerLeft > 0
        || (sender != null && sender.isInFrame());
  }

  /** Encodes a KEEPALIVE if nothing was sent for so long; returns whether to write. */
  boolean keepAlive(long now, long nanos) {
    if (isBlocked() || now - lastSent <= nanos) {
      return false;
    }
    if (control.position() == 0 && !finishing) {
      Frame.encode(control, Frame.Type.KEEPALIVE);
    }
    return true;
  }

  /**
   * Writes what there is to write, as far as the socket takes it, up to the link's budget.
   *
   * @return false when the memory of a message was freed after a part of it was sent
   */
  boolean write() throws IOException {
    long budget = NetworkLink.BUDGET;
    while (!isBlocked() && budget > 0) {
      long offered = 0;
      long written;
      int controlBytes;
      try {
        int count = assemble();
        if (count == 0) {
          return true;
        }
        for (int i = 0; i < count; i++) {
          offered += gather[i].remaining();
        }
        controlBytes = controlOffered ? control.remaining() : 0;
        written = offer(count);
        if (written < 0) {
          if (sender == null || !sender.memoryIsGone()) {
            return false;
          }
          continue;
        }
      } finally {
        if (controlOffered) {
          controlOffered = false;
          control.compact();
        }
        if (sender != null) {
          sender.releaseSources();
        }
      }
      settle(written, controlBytes);
      blocked = written < offered;
      budget -= written;
      if (written > 0) {
        lastSent = System.nanoTime();
      }
    }
    return true;
  }

  /** Negative when memory was freed although it is registered. */
  private long offer(int count) throws IOException {
    try {
      return count == 1 ? channel.write(gather[0]) : channel.write(gather, 0, count);
    } catch (IllegalStateException e) {
      return -1;
    }
  }

  /** Gathers what goes out next; a frame is completed before another one begins. */
  private int assemble() {
    if (fillerLeft > 0) {
      gather[0] = thread.zeros(fillerLeft);
      return 1;
    }
    if (sender != null && sender.isInFrame()) {
      return sender.gatherRest(gather);
    }
    int count = 0;
    if (answer != null && control.remaining() >= Frame.HEADER_BYTES) {
      Frame.encodeAcknowledge(control, answer, answerSequence);
      answer = null;
      unacknowledged = 0;
      unacknowledgedBytes = 0;
    }
    if (control.position() > 0) {
      controlOffered = true;
      gather[count++] = control.flip();
    }
    return sender == null || finishing ? count : sender.gather(gather, count);
  }

  private void settle(long written, int controlBytes) {
    if (fillerLeft > 0) {
      fillerLeft -= written;
    } else if (sender != null && written > controlBytes) {
      sender.settle(written - controlBytes);
    }
  }
}
