// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.AsyncEventType;

/**
 * One end of a TCP connection between two software devices: takes frames apart and puts them
 * together. Payload goes between the socket and registered memory, and nowhere else.
 *
 * <p>Belongs to the device's thread, which alone calls it.
 */
final class NetworkLink implements NetworkThread.Selected {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkLink.class);

  /** Bytes after which other links have their turn. */
  private static final long BUDGET = 8L << 20;

  /** Messages, or bytes, after which an acknowledgement goes out while more is coming in. */
  private static final int ACKNOWLEDGE_MESSAGES = 16;

  private static final int ACKNOWLEDGE_BYTES = 1 << 20;

  /** Room for all that is ever to be said besides messages. */
  private static final int CONTROL_BYTES = 1024;

  /** What comes next. */
  private enum Phase {
    GREETING,
    HEADER,
    /** Private data. */
    BODY,
    /** Payload of a message that is taken. */
    PAYLOAD,
    /** Payload of a message that is not. */
    REFUSED
  }

  private final NetworkThread thread;
  private final SocketChannel channel;
  private final SocketAddress peer;
  private final boolean caller;
  private final long openedAt = System.nanoTime();
  private LinkUser user;
  private @Nullable SelectionKey key;
  private @Nullable SoftQueuePair queuePair;
  private @Nullable NetworkRequester requester;
  private @Nullable NetworkResponder responder;
  private boolean closed;
  private boolean lost;
  private long releasedAt;
  private boolean released;

  // What comes in.
  private final ByteBuffer input = ByteBuffer.allocateDirect(Frame.MAX_BODY_BYTES);
  private final ByteBuffer[] scatter = new ByteBuffer[2];
  private final Frame frame = new Frame();
  private Phase phase = Phase.GREETING;

  /** Whether the peer has said what it wants. */
  private boolean introduced;

  private int payloadLeft;
  private boolean reading;
  private boolean inputEnded;
  private boolean farewellHeard;
  private long lastHeard = System.nanoTime();

  // What goes out.
  private final ByteBuffer control = ByteBuffer.allocateDirect(CONTROL_BYTES);
  private final ByteBuffer[] gather = new ByteBuffer[1 + 2 * NetworkRequester.BATCH];
  private boolean controlOffered;
  private @Nullable Response answer;
  private long answerSequence;
  private int unacknowledged;
  private int unacknowledgedBytes;
  private long fillerLeft;
  private boolean blocked;
  private boolean finishing;
  private boolean outputEnded;
  private long lastSent = System.nanoTime();

  /**
   * @param channel connected, and not blocking
   * @param caller whether this end asked for the connection, and greets first
   */
  NetworkLink(
      NetworkThread thread,
      SocketChannel channel,
      SocketAddress peer,
      boolean caller,
      LinkUser user) {
    this.thread = thread;
    this.channel = channel;
    this.peer = peer;
    this.caller = caller;
    this.user = user;
    input.limit(Frame.GREETING_BYTES);
  }

  /** Begins to listen to the peer. */
  void register() {
    if (closed) {
      return;
    }
    thread.add(this);
    try {
      key = channel.register(thread.selector(), SelectionKey.OP_READ, this);
    } catch (IOException e) {
      lose(Loss.reset("%s has gone".formatted(peer)));
    }
  }

  void setUser(LinkUser user) {
    this.user = user;
  }

  /** Lets messages pass. */
  void plug(SoftQueuePair queuePair, NetworkRequester requester, NetworkResponder responder) {
    this.queuePair = queuePair;
    this.requester = requester;
    this.responder = responder;
    requester.plug(this);
    lastHeard = System.nanoTime();
    lastSent = lastHeard;
  }

  /** Whether the socket takes nothing more just now, or ever. */
  boolean isBlocked() {
    return blocked || outputEnded;
  }

  NetworkThread thread() {
    return thread;
  }

  // --------------------------------------------------------------------------------- talking

  void request(int rnrRetries, byte[] privateData) {
    Frame.encodeGreeting(control);
    Frame.encode(control, Frame.Type.REQUEST, rnrRetries, privateData);
    write();
  }

  void accept(int rnrRetries, byte[] privateData) {
    Frame.encode(control, Frame.Type.ACCEPT, rnrRetries, privateData);
    write();
  }

  void reject(byte[] privateData) {
    Frame.encode(control, Frame.Type.REJECT, 0, privateData);
    finishing = true;
    release();
  }

  /** Is sent with the next write. */
  void establish() {
    Frame.encode(control, Frame.Type.ESTABLISHED);
  }

  /** Is sent with the next write, and stands for all answers before it. */
  void answer(Response response, long sequence) {
    answer = response;
    answerSequence = sequence;
  }

  /** Says that nothing more will come; the peer may go on talking. */
  void disconnect() {
    if (!finishing) {
      finishing = true;
      if (requester != null) {
        Frame.encode(control, Frame.Type.DISCONNECT);
      }
    }
    write();
  }

  /** Ends what goes out in the middle of a frame, of which nobody has the rest any more. */
  void breakOff() {
    endOutput();
  }

  /** Ends the frame that is going out with zeros: the peer has refused it. */
  void fill(long bytes) {
    fillerLeft = bytes;
  }

  /** Nobody uses this link any more; it goes when all is said. */
  void release() {
    if (!released) {
      released = true;
      releasedAt = System.nanoTime();
      if (!closed && !caller && requester == null) {
        thread.dismiss(this);
      }
      disconnect();
    }
  }

  /** Cuts the connection. */
  void abort() {
    if (closed) {
      return;
    }
    try {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      LOG.debug("{} has gone before it was cut off: {}", peer, e.getMessage());
    }
    close();
    lose(Loss.reset("the connection to %s was cut".formatted(peer)));
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    inputEnded = true;
    outputEnded = true;
    thread.remove(this);
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("the connection to {} cannot be closed: {}", peer, e.getMessage());
    }
  }

  /** Whether something is still to be said. */
  boolean hasUnsent() {
    return !outputEnded && (control.position() > 0 || answer != null || finishing);
  }

  private void lose(Loss loss) {
    if (lost) {
      return;
    }
    lost = true;
    if (requester != null) {
      requester.peerIsGone();
    }
    user.lost(loss);
  }

  // ----------------------------------------------------------------------------------- events

  @Override
  public void ready() {
    SelectionKey selected = key;
    if (closed || selected == null || !selected.isValid()) {
      return;
    }
    int operations = selected.readyOps();
    if ((operations & SelectionKey.OP_WRITE) != 0) {
      blocked = false;
      write();
    }
    if ((operations & SelectionKey.OP_READ) != 0) {
      read();
    }
  }

  @Override
  public void failed(Throwable defect) {
    failQueuePair(AsyncEventType.QP_FATAL);
    abort();
  }

  private void failQueuePair(AsyncEventType type) {
    SoftQueuePair failing = queuePair;
    if (failing != null && failing.enterError()) {
      failing.device().events().raise(type, failing, failing.number());
    }
  }

  /** Looks at the clock. */
  void tick(long now) {
    NetworkLimits limits = thread.limits();
    if (released) {
      if (now - releasedAt > limits.farewell().toNanos()) {
        close();
      }
    } else if (requester != null) {
      if (!inputEnded && now - lastHeard > limits.silence().toNanos()) {
        Loss loss =
            Loss.silent(
                "nothing was heard from %s for %d s".formatted(peer, limits.silence().toSeconds()));
        LOG.info("{}", loss.sentence());
        // In this order: the first loss is the one that is reported.
        lose(loss);
        abort();
      } else if (!outputEnded && !blocked && now - lastSent > limits.keepalive().toNanos()) {
        if (control.position() == 0 && !finishing) {
          Frame.encode(control, Frame.Type.KEEPALIVE);
        }
        write();
      }
    } else if (!caller && !introduced && now - openedAt > limits.greeting().toNanos()) {
      LOG.info("{} connected and asked for nothing in time; it was cut off", peer);
      abort();
    }
  }

  // ---------------------------------------------------------------------------------- reading

  /** Takes what has come, before the selector says so. */
  void readNow() {
    if (!closed) {
      read();
    }
  }

  private void read() {
    if (reading) {
      return;
    }
    reading = true;
    long budget = BUDGET;
    try {
      while (budget > 0 && !inputEnded) {
        long bytes =
            switch (phase) {
              case GREETING, HEADER, BODY -> channel.read(input);
              case PAYLOAD -> readPayload();
              case REFUSED -> readRefused();
            };
        if (bytes < 0) {
          endOfStream();
        } else if (bytes == 0) {
          break;
        } else {
          budget -= bytes;
          digest();
        }
      }
      lastHeard = System.nanoTime();
    } catch (BrokenStreamException e) {
      breakDown(e);
    } catch (IOException e) {
      endOfStream();
      close();
    } finally {
      reading = false;
    }
    write();
  }

  /** Reads straight to where the payload belongs, and the next header behind it. */
  private long readPayload() throws IOException {
    NetworkResponder taker = Objects.requireNonNull(responder);
    try {
      ByteBuffer target = taker.target(payloadLeft);
      if (target != null) {
        scatter[0] = target;
        scatter[1] = input;
        long bytes = channel.read(scatter, 0, 2);
        payloadLeft -= Math.clamp(bytes, 0, payloadLeft);
        return bytes;
      }
    } catch (IllegalStateException e) {
      // The memory was freed although it is registered.
      taker.memoryIsGone();
    } finally {
      taker.releaseTarget();
    }
    phase = Phase.REFUSED;
    return readRefused();
  }

  private long readRefused() throws IOException {
    int bytes = channel.read(thread.rubbish(payloadLeft));
    if (bytes > 0) {
      payloadLeft -= bytes;
    }
    return bytes;
  }

  /** Looks at what was read. */
  private void digest() throws BrokenStreamException {
    if (phase == Phase.PAYLOAD && payloadLeft == 0) {
      endMessage();
    } else if (phase == Phase.REFUSED && payloadLeft == 0) {
      phase = Phase.HEADER;
    }
    if (phase == Phase.GREETING && !Frame.mayBeGreeting(input)) {
      turnAway();
    }
    while (!inputEnded
        && phase != Phase.PAYLOAD
        && phase != Phase.REFUSED
        && !input.hasRemaining()) {
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
          introduced = true;
          user.manage(frame, body);
        }
      }
    }
  }

  private void expect(int bytes) {
    input.clear().limit(bytes);
  }

  private void greeted() throws BrokenStreamException {
    int version = Frame.version(input);
    if (!caller) {
      // Also to who speaks another version, so that it can say so.
      Frame.encodeGreeting(control);
    }
    if (version != Frame.VERSION) {
      throw new BrokenStreamException(
          "it speaks version %d of the software device's wire format and this end version %d;"
                  .formatted(version, Frame.VERSION)
              + " use the same version of Wridscope at both ends");
    }
    expect(Frame.HEADER_BYTES);
    phase = Phase.HEADER;
  }

  /** Whoever is at the other end is no software device. */
  private void turnAway() {
    String sentence =
        "%s is not a software device of Wridscope: it began with %s"
            .formatted(caller ? "what listens on " + peer : peer, Frame.quote(input));
    if (!caller) {
      LOG.info("{}", sentence);
      control.put(
          "This is the software RDMA device of a Wridscope; it speaks to its like only.\r\n"
              .getBytes(StandardCharsets.US_ASCII));
    }
    dismiss(Loss.broken(sentence));
  }

  /** Hears the peer no more, but has it hear what was said to it. */
  private void dismiss(Loss loss) {
    // Bytes that nobody reads would have the kernel throw away what was not yet sent.
    phase = Phase.REFUSED;
    payloadLeft = Integer.MAX_VALUE;
    lose(loss);
    finishing = true;
    release();
  }

  /** A header came. */
  private void begin() throws BrokenStreamException {
    switch (frame.type()) {
      case REQUEST, ACCEPT, REJECT -> {
        expect(frame.length());
        phase = Phase.BODY;
      }
      case ESTABLISHED -> user.manage(frame, new byte[0]);
      case DISCONNECT -> {
        requirePlugged();
        farewellHeard = true;
        lose(Loss.disconnected("%s disconnected".formatted(peer)));
      }
      case KEEPALIVE -> requirePlugged();
      case ACKNOWLEDGE -> {
        requirePlugged();
        if (requester != null) {
          requester.answered(frame.response(), frame.sequence());
        }
      }
      case SEND, RDMA_WRITE -> {
        requirePlugged();
        if (responder != null) {
          payloadLeft = frame.length();
          phase = responder.begin(frame, this) ? Phase.PAYLOAD : Phase.REFUSED;
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

  private void requirePlugged() throws BrokenStreamException {
    if (requester == null || farewellHeard) {
      throw new BrokenStreamException(
          "%s came %s".formatted(frame.type(), farewellHeard ? "after DISCONNECT" : "too early"));
    }
  }

  private void endMessage() {
    phase = Phase.HEADER;
    NetworkResponder taker = Objects.requireNonNull(responder);
    if (taker.end()) {
      answer(Response.ACK, frame.sequence());
      unacknowledged++;
      unacknowledgedBytes += Math.min(frame.length(), ACKNOWLEDGE_BYTES);
      if (unacknowledged >= ACKNOWLEDGE_MESSAGES || unacknowledgedBytes >= ACKNOWLEDGE_BYTES) {
        write();
      }
    }
  }

  private void endOfStream() {
    inputEnded = true;
    lose(
        caller && requester == null
            ? Loss.reset(
                "%s closed the connection without an answer; see what happens there"
                    .formatted(peer))
            : Loss.reset("%s has gone".formatted(peer)));
  }

  private void breakDown(BrokenStreamException e) {
    String sentence =
        "%s broke the rules of the software device: %s".formatted(peer, e.getMessage());
    LOG.warn("{}", sentence);
    failQueuePair(AsyncEventType.QP_REQ_ERR);
    if (requester == null) {
      // Our greeting goes out yet, for who speaks another version.
      dismiss(Loss.broken(sentence));
    } else {
      lose(Loss.broken(sentence));
      abort();
    }
  }

  // ---------------------------------------------------------------------------------- writing

  /** Writes what there is to write, as far as the socket takes it. */
  void write() {
    NetworkRequester sender = requester;
    if (!outputEnded && key != null) {
      try {
        writeAll(sender);
      } catch (IOException e) {
        // What the peer said before it went is to be read yet.
        outputEnded = true;
        read();
      }
    }
    if (closed) {
      return;
    }
    if (finishing && !outputEnded && !hasOutput()) {
      endOutput();
    }
    if (outputEnded && inputEnded) {
      close();
      return;
    }
    updateInterest();
    if (sender != null && (sender.hasWork() || sender.isHeld())) {
      thread.schedule(sender.owner);
    }
  }

  private void writeAll(@Nullable NetworkRequester sender) throws IOException {
    long budget = BUDGET;
    while (!blocked && budget > 0) {
      long offered = 0;
      long written;
      int controlBytes;
      try {
        int count = assemble(sender);
        if (count == 0) {
          return;
        }
        for (int i = 0; i < count; i++) {
          offered += gather[i].remaining();
        }
        controlBytes = controlOffered ? control.remaining() : 0;
        written = offer(count);
        if (written < 0) {
          if (sender == null || !sender.memoryIsGone()) {
            abort();
            return;
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
      settle(sender, written, controlBytes);
      blocked = written < offered;
      budget -= written;
      if (written > 0) {
        lastSent = System.nanoTime();
      }
    }
  }

  /** Negative when memory was freed although it is registered. */
  private long offer(int count) throws IOException {
    try {
      return count == 1 ? channel.write(gather[0]) : channel.write(gather, 0, count);
    } catch (IllegalStateException e) {
      return -1;
    }
  }

  /** Whatever is to go out next; a frame once begun is ended before another one begins. */
  private int assemble(@Nullable NetworkRequester sender) {
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

  private void settle(@Nullable NetworkRequester sender, long written, int controlBytes) {
    if (fillerLeft > 0) {
      fillerLeft -= written;
    } else if (sender != null && written > controlBytes) {
      sender.settle(written - controlBytes);
    }
  }

  private boolean hasOutput() {
    return control.position() > 0
        || answer != null
        || fillerLeft > 0
        || (requester != null && requester.isInFrame());
  }

  private void endOutput() {
    if (outputEnded) {
      return;
    }
    outputEnded = true;
    finishing = true;
    try {
      channel.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("{} has gone already: {}", peer, e.getMessage());
    }
  }

  private void updateInterest() {
    SelectionKey selected = key;
    if (selected == null || !selected.isValid()) {
      return;
    }
    int wanted =
        (inputEnded ? 0 : SelectionKey.OP_READ)
            | (blocked && !outputEnded ? SelectionKey.OP_WRITE : 0);
    if (selected.interestOps() != wanted) {
      selected.interestOps(wanted);
    }
  }
}
