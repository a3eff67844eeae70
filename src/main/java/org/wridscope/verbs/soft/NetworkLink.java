// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.AsyncEventType;

/**
 * One end of a TCP connection between two software devices, from its opening to its end. A {@link
 * LinkReader} takes apart what comes in, a {@link LinkWriter} puts together what goes out.
 *
 * <p>Belongs to the device's thread, which alone calls it.
 */
final class NetworkLink implements NetworkThread.Selected {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkLink.class);

  /** Bytes to read or write in one go; then other links have their turn. */
  static final long BUDGET = 8L << 20;

  private final NetworkThread thread;
  private final SocketChannel channel;
  private final SocketAddress peer;
  private final boolean caller;
  private final LinkReader reader;
  private final LinkWriter writer;
  private final long openedAt = System.nanoTime();
  private LinkUser user;
  private @Nullable SelectionKey key;
  private @Nullable NetworkRequester requester;

  /** Whether the peer has sent a frame of the connection manager. */
  private boolean introduced;

  private boolean reading;
  private boolean lost;
  private boolean released;
  private long releasedAt;
  private boolean closed;

  /**
   * @param channel connected, and not blocking
   * @param caller whether this end opened the connection, and greets first
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
    writer = new LinkWriter(thread, channel);
    reader = new LinkReader(this, thread, channel, writer);
  }

  /** Begins to receive from the peer. */
  void register() {
    if (closed) {
      return;
    }
    thread.add(this);
    try {
      key = channel.register(thread.selector(), SelectionKey.OP_READ, this);
    } catch (IOException e) {
      lose(Loss.reset("%s is gone".formatted(peer)));
    }
  }

  void setUser(LinkUser user) {
    this.user = user;
  }

  LinkWriter writer() {
    return writer;
  }

  /** Attaches a queue pair: from now on messages may pass. */
  void attach(NetworkRequester sender, NetworkResponder receiver) {
    requester = sender;
    reader.attach(sender, receiver);
    writer.attach(sender);
    sender.attach(this);
  }

  private boolean isAttached() {
    return requester != null;
  }

  // ---------------------------------------------------------- frames of the connection manager

  void request(int rnrRetries, byte[] privateData) {
    Frame.encodeGreeting(writer.control());
    Frame.encode(writer.control(), Frame.Type.REQUEST, rnrRetries, privateData);
    write();
  }

  void accept(int rnrRetries, byte[] privateData) {
    Frame.encode(writer.control(), Frame.Type.ACCEPT, rnrRetries, privateData);
    write();
  }

  void reject(byte[] privateData) {
    Frame.encode(writer.control(), Frame.Type.REJECT, 0, privateData);
    writer.finish(false);
    release();
  }

  /** Confirms the connection with the next write. */
  void establish() {
    Frame.encode(writer.control(), Frame.Type.ESTABLISHED);
  }

  /** Ends the stream to the peer, which may go on sending. */
  void disconnect() {
    writer.finish(isAttached());
    write();
  }

  /** Answers the peer's greeting, also one of another version, so that it can name ours. */
  void answerGreeting() {
    if (!caller) {
      Frame.encodeGreeting(writer.control());
    }
  }

  /** A DISCONNECT arrived. */
  void disconnected() {
    lose(Loss.disconnected("%s disconnected".formatted(peer)));
  }

  /** A frame of the connection manager arrived. */
  void manage(Frame frame, byte[] privateData) throws BrokenStreamException {
    introduced = true;
    user.manage(frame, privateData);
  }

  // ---------------------------------------------------------------------------------------- end

  /** Nobody uses this link any more; it closes once everything is sent and the peer has closed. */
  void release() {
    if (!released) {
      released = true;
      releasedAt = System.nanoTime();
      if (!closed && !caller && !isAttached()) {
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
      LOG.debug("{} was gone before it was cut off: {}", peer, e.getMessage());
    }
    close();
    lose(Loss.reset("the connection to %s was cut".formatted(peer)));
  }

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    reader.end();
    writer.drop();
    thread.remove(this);
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("the connection to {} cannot be closed: {}", peer, e.getMessage());
    }
  }

  /** Reports once that nothing comes from the peer any more. */
  void lose(Loss loss) {
    if (lost) {
      return;
    }
    lost = true;
    if (requester != null) {
      requester.peerIsGone();
    }
    user.lost(loss);
  }

  /** The stream from the peer ended. */
  void endOfStream() {
    reader.end();
    lose(
        caller && !isAttached()
            ? Loss.reset(
                "%s closed the connection without an answer; see what happens there"
                    .formatted(peer))
            : Loss.reset("%s is gone".formatted(peer)));
  }

  /** The peer violated the protocol. */
  private void violated(BrokenStreamException e) {
    String sentence =
        "%s broke the rules of the software device: %s".formatted(peer, e.getMessage());
    if (caller || isAttached()) {
      LOG.warn("{}", sentence);
    } else {
      thread.rejections().add(sentence);
    }
    failQueuePair(AsyncEventType.QP_REQ_ERR);
    if (isAttached()) {
      lose(Loss.broken(sentence));
      abort();
    } else {
      // A peer of another version is to read our greeting.
      dismiss(Loss.broken(sentence));
    }
  }

  /** The peer is no software device, as its first bytes tell. */
  void refuseForeignProtocol(String firstBytes) {
    String sentence =
        "%s is not a software device of Wridscope: it began with %s"
            .formatted(caller ? "what listens on " + peer : peer, firstBytes);
    if (!caller) {
      thread.rejections().add(sentence);
      writer.putText(
          "This is the software RDMA device of a Wridscope; it talks only to other ones.\r\n");
    }
    dismiss(Loss.broken(sentence));
  }

  /** Ignores what the peer sends from now on, but sends what is left to send. */
  private void dismiss(Loss loss) {
    // It is read and discarded: closing a socket with unread bytes makes the kernel drop what was
    // not sent yet.
    reader.discardRest();
    lose(loss);
    writer.finish(false);
    release();
  }

  private void failQueuePair(AsyncEventType type) {
    if (requester != null) {
      requester.owner.fail(type);
    }
  }

  // -------------------------------------------------------------------------- reading and writing

  @Override
  public void ready() {
    SelectionKey selected = key;
    if (closed || selected == null || !selected.isValid()) {
      return;
    }
    int operations = selected.readyOps();
    if ((operations & SelectionKey.OP_WRITE) != 0) {
      writer.unblock();
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

  /** Reads what has arrived, before the selector reports it. */
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
    try {
      reader.read();
    } catch (BrokenStreamException e) {
      violated(e);
    } catch (IOException e) {
      endOfStream();
      close();
    } finally {
      reading = false;
    }
    write();
  }

  /** Writes what there is to write, as far as the socket takes it. */
  void write() {
    if (key != null) {
      try {
        if (!writer.write()) {
          abort();
        }
      } catch (IOException e) {
        // What the peer sent before it went has still to be read.
        writer.drop();
        read();
      }
    }
    if (closed) {
      return;
    }
    writer.endIfFinished();
    if (writer.hasEnded() && reader.hasEnded()) {
      close();
      return;
    }
    updateInterest();
    NetworkRequester sender = requester;
    if (sender != null && (sender.hasWork() || sender.isHeld())) {
      thread.schedule(sender.owner);
    }
  }

  private void updateInterest() {
    SelectionKey selected = key;
    if (selected == null || !selected.isValid()) {
      return;
    }
    int wanted =
        (reader.hasEnded() ? 0 : SelectionKey.OP_READ)
            | (writer.isBlocked() && !writer.hasEnded() ? SelectionKey.OP_WRITE : 0);
    if (selected.interestOps() != wanted) {
      selected.interestOps(wanted);
    }
  }

  // ------------------------------------------------------------------------------------ timeouts

  /** Checks the time limits. */
  void tick(long now) {
    NetworkLimits limits = thread.limits();
    if (released) {
      if (now - releasedAt > limits.linger().toNanos()) {
        close();
      }
    } else if (isAttached()) {
      if (!reader.hasEnded() && now - reader.lastHeard() > limits.silence().toNanos()) {
        Loss loss =
            Loss.silent(
                "nothing was heard from %s for %d s".formatted(peer, limits.silence().toSeconds()));
        LOG.info("{}", loss.sentence());
        // In this order: the first loss is the one that is reported.
        lose(loss);
        abort();
      } else if (writer.keepAlive(now, limits.keepalive().toNanos())) {
        write();
      }
    } else if (!caller && !introduced && now - openedAt > limits.greeting().toNanos()) {
      thread
          .rejections()
          .add("%s connected and sent no request in time; it was cut off".formatted(peer));
      abort();
    }
  }
}
