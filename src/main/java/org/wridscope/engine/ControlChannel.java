// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.wridscope.engine.CompletionPoller.Awaited;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.Legible;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;

/**
 * Control messages in both directions, and the rule that the source sends one only after the
 * destination said READY. All receive buffers are posted at all times, but for those whose message
 * is being dealt with.
 */
final class ControlChannel implements CompletionPoller.ControlCompletions {
  /** Bytes of the reason in an ERROR message at most. */
  private static final int MAX_REASON = 512;

  private final Endpoint endpoint;
  private final CompletionPoller poller;
  private final SessionTelemetry telemetry;
  private final Limits limits;

  /** Of what arrives, and behind them of what leaves. */
  private final ByteBuffer[] buffers;

  private final int receives;
  private final boolean[] sending;
  private final ArrayDeque<Message> inbox;
  private final SendRequest sendRequest = new SendRequest();
  private final ReceiveRequest receiveRequest = new ReceiveRequest();
  private final BooleanSupplier readyCame = () -> ready() > 0;
  private final BooleanSupplier messageCame = () -> !messages().isEmpty();
  private final BooleanSupplier sendBufferFree = () -> freeSendBuffer() >= 0;
  private final BooleanSupplier allSent = () -> !hasFailed() && !isSending();
  private int filling;
  private int ready;
  private int sendsOutstanding;
  private boolean extensions;
  private long lastSent = System.nanoTime();
  private long lastHeard = System.nanoTime();

  /** Posts the receives, so that the peer's first message finds one. */
  ControlChannel(Endpoint endpoint, CompletionPoller poller, SessionTelemetry telemetry)
      throws IOException {
    this.endpoint = endpoint;
    this.poller = poller;
    this.telemetry = telemetry;
    limits = poller.limits();
    QueueDepths depths = endpoint.depths();
    receives = depths.receives();
    buffers = new ByteBuffer[receives + depths.messages()];
    sending = new boolean[buffers.length];
    inbox = new ArrayDeque<>(receives);
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = endpoint.buffer(i).asByteBuffer();
    }
    poller.setControl(this);
    telemetry.metrics().set(Metric.SEND_QUEUE_DEPTH, depths.sends());
    telemetry.metrics().set(Metric.RECEIVE_QUEUE_DEPTH, receives);
    for (int i = 0; i < receives; i++) {
      postReceive(i);
    }
  }

  /** Begins with what two Wridscopes add: heartbeats, private messages, many commands in one. */
  void enableExtensions() {
    extensions = true;
    lastHeard = System.nanoTime();
  }

  boolean extensions() {
    return extensions;
  }

  /** How many commands one message may carry. */
  int maxCommands() {
    // QEMU 7.2 answers only the first of several REGISTER REQUEST commands.
    return extensions ? 256 : 1;
  }

  // ---------------------------------------------------------------------------------- sending

  /** A buffer for the payload of the next message; waits until one is free. */
  ByteBuffer payload() throws IOException, InterruptedException {
    poller.await(sendBufferFree, Awaited.SEND, 0, "an earlier message to leave", limits.answer());
    filling = reserve();
    return buffers[filling];
  }

  /** Sends what {@link #payload()} was filled with, without waiting for READY. */
  void send(ControlType type, int repeat) throws IOException, InterruptedException {
    post(filling, type, repeat);
    if (endpoint.sharesQueue()) {
      // As QEMU does after each (qemu_rdma_post_send_control).
      poller.await(
          allSent,
          Awaited.SEND,
          wridOf(filling),
          "the SEND of %s to complete".formatted(type.text()),
          limits.answer());
    }
  }

  private static long wridOf(int sendBuffer) {
    return WorkRequestId.of(WorkRequestId.CONTROL_SEND, 0, sendBuffer);
  }

  /** Takes a free send buffer and leaves room for the header in it. */
  private int reserve() {
    int index = freeSendBuffer();
    sending[index] = true;
    buffers[index].clear().position(ControlHeader.BYTES);
    return index;
  }

  private void post(int index, ControlType type, int repeat) throws IOException {
    ByteBuffer buffer = buffers[index];
    int bytes = buffer.position();
    int length = bytes - ControlHeader.BYTES;
    new ControlHeader(length, type, repeat).encode(buffer.position(0));
    sendsOutstanding++;
    lastSent = System.nanoTime();
    long wrid = wridOf(index);
    endpoint
        .sendQueue()
        .postMessage(
            sendRequest.send(wrid, endpoint.buffer(index).address(), bytes, endpoint.bufferKey()),
            index);
    telemetry.messagesSent().increment(type);
    telemetry.metrics().increment(Metric.SENDS_POSTED);
    telemetry.event(EventKind.CONTROL_SENT, type.value(), length, wrid, repeat);
  }

  /** Sends a message that has no payload. */
  void sendEmpty(ControlType type) throws IOException, InterruptedException {
    payload();
    send(type, 1);
  }

  /** Sends what {@link #payload()} was filled with, once the destination is READY. */
  void sendWhenReady(ControlType type, int repeat) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    // A destination may have work to do before it says it, such as to write RAM to a disk.
    poller.await(readyCame, Awaited.RECEIVE, 0, "the destination's READY", limits.work());
    telemetry.metrics().add(Metric.WAIT_READY_TIME, System.nanoTime() - begin);
    requireNoMessage(type.text());
    ready--;
    send(type, repeat);
  }

  /**
   * Checks that the peer said nothing unasked, which would be taken for the answer to what is sent
   * next.
   *
   * @param next name of the message that is sent next
   */
  void requireNoMessage(String next) throws ProtocolException {
    if (!inbox.isEmpty()) {
      throw ProtocolException.of(
          "control message before " + next, inbox.element().header().type().text(), "none");
    }
  }

  /** Waits until every message has arrived at the peer. */
  void awaitSent() throws IOException, InterruptedException {
    poller.await(allSent, Awaited.SEND, 0, "the last message to leave", limits.answer());
  }

  /** Tells a Wridscope, as a courtesy, that this side gives up, if that can be done at once. */
  void sendErrorIfPossible(String reason) throws IOException {
    // A QEMU may take an ERROR for the READY it waits for, or have no receive posted for it: it is
    // told by the disconnect.
    if (extensions && freeSendBuffer() >= 0) {
      int index = reserve();
      byte[] text = reason.getBytes(StandardCharsets.UTF_8);
      buffers[index].put(text, 0, Math.min(text.length, MAX_REASON));
      post(index, ControlType.ERROR, 1);
    }
  }

  /** Index of a send buffer, which come after the receive buffers; -1 when none is free. */
  private int freeSendBuffer() {
    for (int i = receives; i < sending.length; i++) {
      if (!sending[i]) {
        return i;
      }
    }
    return -1;
  }

  /** Whether a message has not left yet. */
  boolean isSending() {
    return sendsOutstanding > 0;
  }

  @Override
  public void sent(int buffer) {
    sending[buffer] = false;
    sendsOutstanding--;
  }

  // --------------------------------------------------------------------------------- receiving

  private int ready() {
    return ready;
  }

  private boolean hasFailed() {
    return poller.hasFailed();
  }

  private ArrayDeque<Message> messages() {
    return inbox;
  }

  /**
   * Takes the next message; {@link #release} it.
   *
   * @param what this side waits for, a phrase for the user
   */
  Message receive(String what, Duration limit) throws IOException, InterruptedException {
    poller.await(messageCame, Awaited.RECEIVE, 0, what, limit);
    return inbox.remove();
  }

  /** Takes the next message, which must be of this type; {@link #release} it. */
  Message receive(ControlType type, Duration limit) throws IOException, InterruptedException {
    Message message = receive("the peer's " + type.text(), limit);
    if (message.header().type() != type) {
      throw ProtocolException.of(
          "control message type", message.header().type().text(), type.text());
    }
    return message;
  }

  /** Gives the buffer of a message back to the receive queue. */
  void release(Message message) throws IOException {
    postReceive(message.buffer());
  }

  @Override
  public void received(int buffer, int bytes) throws IOException {
    lastHeard = System.nanoTime();
    ByteBuffer message = buffers[buffer].clear();
    ControlHeader header = ControlHeader.decode(message, bytes);
    telemetry.messagesReceived().increment(header.type());
    telemetry.event(
        EventKind.CONTROL_RECEIVED,
        header.type().value(),
        header.length(),
        WorkRequestId.of(WorkRequestId.CONTROL_RECEIVE + buffer, 0, 0),
        header.repeat());
    if (header.type().isPrivate() && !extensions) {
      throw ProtocolException.of(
          "control message type", header.type().text(), "one of QEMU's, without our capability");
    }
    switch (header.type()) {
      case READY,
          RAM_BLOCKS_REQUEST,
          REGISTER_FINISHED,
          UNREGISTER_FINISHED,
          HEARTBEAT,
          LOADED,
          SWITCH_OVER,
          RUNNING ->
          header.requireEmpty();
      default -> {
        // has a payload, which whoever takes the message looks at
      }
    }
    if (header.type() != ControlType.HEARTBEAT) {
      poller.progress();
    }
    switch (header.type()) {
      case READY -> {
        noteReady();
        postReceive(buffer);
      }
      case HEARTBEAT -> postReceive(buffer);
      case ERROR -> throw new PeerGaveUpException(reasonOf(message, header.length()));
      default ->
          inbox.add(
              new Message(header, message.slice(ControlHeader.BYTES, header.length()), buffer));
    }
  }

  /** A destination says READY when it waits for a message, and then waits. */
  private void noteReady() throws ProtocolException {
    if (telemetry.role() != Role.SOURCE) {
      throw ProtocolException.of("control message type", "READY", "one that a source sends");
    }
    if (ready > 0) {
      throw ProtocolException.of("number of READY messages in a row", ready + 1, "1");
    }
    ready++;
  }

  private String reasonOf(ByteBuffer message, int length) {
    String peer =
        telemetry.role() == Role.SOURCE
            ? "The destination gave up"
            : MigrationSession.SOURCE_GAVE_UP;
    if (!extensions || length == 0) {
      return peer + " without a reason; see what it reports itself.";
    }
    byte[] text = new byte[Math.min(length, MAX_REASON)];
    message.get(ControlHeader.BYTES, text);
    return peer + ": " + Legible.of(new String(text, StandardCharsets.UTF_8));
  }

  private void postReceive(int buffer) throws IOException {
    long wrid = WorkRequestId.of(WorkRequestId.CONTROL_RECEIVE + buffer, 0, 0);
    endpoint
        .queuePair()
        .postReceive(
            receiveRequest.fill(
                wrid,
                endpoint.buffer(buffer).address(),
                ControlHeader.MAX_MESSAGE,
                endpoint.bufferKey()));
    telemetry.metrics().increment(Metric.RECEIVES_POSTED);
    telemetry.event(EventKind.POST_RECEIVE, 0, ControlHeader.MAX_MESSAGE, wrid, 0);
  }

  // ----------------------------------------------------------------------------------- liveness

  /**
   * Says that this side is alive, and checks that the other one is; between two Wridscopes only.
   */
  @Override
  public void idle() throws IOException {
    // With one completion queue for both, the wait of a SEND would throw heartbeats away.
    if (!extensions || endpoint.sharesQueue()) {
      return;
    }
    long now = System.nanoTime();
    if (now - lastHeard > limits.silence().toNanos()) {
      throw new MigrationException(
          "Nothing was heard from the peer for %s, not even a heartbeat; check its host and the link."
              .formatted(Format.exactDuration(limits.silence().toNanos())));
    }
    if (now - lastSent > limits.heartbeat().toNanos() && freeSendBuffer() >= 0) {
      post(reserve(), ControlType.HEARTBEAT, 1);
    }
  }
}
