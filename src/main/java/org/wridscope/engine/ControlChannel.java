// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.engine.CompletionPolicy.Awaited;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;
import org.wridscope.time.Time;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;

/**
 * Sends and receives control messages, and keeps the rule that the source sends one only after the
 * destination has sent READY. Every receive buffer is posted except while its message is being
 * handled.
 */
final class ControlChannel implements CompletionPoller.ControlCompletions {
  /** Most commands per message between two Wridscopes. */
  static final int MAX_COMMANDS = 256;

  /** Most bytes of the reason in an ERROR message. */
  private static final int MAX_REASON = 512;

  private final Endpoint endpoint;
  private final CompletionPoller poller;
  private final Role role;
  private SessionTelemetry telemetry;
  private final Limits limits;

  /** The receive buffers, and after them the send buffers. */
  private final ByteBuffer[] buffers;

  private final int receives;

  /** Whether a send buffer is in use, by its index in {@link #buffers}. */
  private final boolean[] sending;

  private final ArrayDeque<Message> inbox;
  private final SendRequest sendRequest = new SendRequest();
  private final ReceiveRequest receiveRequest = new ReceiveRequest();
  private final BooleanSupplier readyCame = () -> ready() > 0;
  private final BooleanSupplier messageCame = () -> !messages().isEmpty();
  private final BooleanSupplier sendBufferFree = () -> freeSendBuffer() >= 0;
  private final BooleanSupplier allSent = () -> !hasFailed() && !isSending();

  /** Index of the send buffer that {@link #payload} returned last. */
  private int filling;

  /** READY messages that no message has answered, 0 or 1. */
  private int ready;

  private int sendsOutstanding;
  private long posted;
  private boolean extensions;

  /** Whether RUNNING was sent. */
  private boolean runningSent;

  /** Whether the peer has shown that it has noted the outcome, which RUNNING told it. */
  private boolean outcomeNoted;

  private long lastSent = Time.nanos();
  private long lastHeard = Time.nanos();

  /** Posts the receives, before the peer can send its first message. */
  ControlChannel(Endpoint endpoint, CompletionPoller poller, Role role, SessionTelemetry telemetry)
      throws IOException {
    this.endpoint = endpoint;
    this.poller = poller;
    this.role = role;
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
    telemetry.metrics().set(Metric.COMPLETION_QUEUE_SHARED, endpoint.sharesQueue() ? 1 : 0);
    telemetry.metrics().set(Metric.SEND_QUEUE_DEPTH, depths.sends());
    telemetry.metrics().set(Metric.RECEIVE_QUEUE_DEPTH, receives);
    for (int i = 0; i < receives; i++) {
      postReceive(i);
    }
  }

  /**
   * Enables the extensions between two Wridscopes: heartbeats, private messages, several commands
   * per message.
   */
  void enableExtensions() {
    extensions = true;
    lastHeard = Time.nanos();
  }

  boolean extensions() {
    return extensions;
  }

  /** Notes everything in this telemetry from now on, which has adopted the one before. */
  void setTelemetry(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /** Most commands per message. */
  int maxCommands() {
    // QEMU 7.2 answers only the first of several commands of a REGISTER REQUEST.
    return extensions ? MAX_COMMANDS : 1;
  }

  // ---------------------------------------------------------------------------------- sending

  /** A buffer for the payload of the next message; waits for a free one. */
  ByteBuffer payload() throws IOException, InterruptedException {
    poller.await(sendBufferFree, Awaited.SEND, new Wait(Wait.Kind.SEND_BUFFER), limits.answer());
    filling = reserve();
    return buffers[filling];
  }

  /** Sends the message in the buffer from {@link #payload()}, without waiting for READY. */
  void send(ControlType type, int repeat) throws IOException, InterruptedException {
    post(filling, type, repeat);
    poller.posted(type, wridOf(filling), allSent);
  }

  private static long wridOf(int sendBuffer) {
    return WorkRequestId.of(WorkRequestId.CONTROL_SEND, 0, sendBuffer);
  }

  /** Takes a free send buffer and positions it after the header. */
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
    runningSent |= type == ControlType.RUNNING;
    lastSent = Time.nanos();
    long wrid = wridOf(index);
    // Before: an unexpected exception does not say that the device has refused it.
    posted++;
    try {
      endpoint
          .sendQueue()
          .postMessage(
              sendRequest.send(wrid, endpoint.bufferAddress(index), bytes, endpoint.bufferKey()),
              index);
    } catch (VerbsException e) {
      posted--;
      throw e;
    }
    telemetry.event(lastSent, EventKind.CONTROL_SENT, type.value(), length, wrid, repeat);
  }

  /** Messages that were posted, or may have been; each of them may have arrived. */
  long posted() {
    return posted;
  }

  /** Sends a message without a payload, without waiting for READY. */
  void sendEmpty(ControlType type) throws IOException, InterruptedException {
    payload();
    send(type, 1);
  }

  /** Tells the destination that this source has noted the outcome, and waits until that is sent. */
  void sendNoted() throws IOException, InterruptedException {
    payload();
    send(ControlType.HEARTBEAT, ControlType.HAS_NOTED);
    awaitSent();
  }

  /**
   * Whether a source has shown that it knows and has noted what RUNNING told it. That RUNNING was
   * sent does not: the program of the source may never look at it.
   */
  boolean isOutcomeNoted() {
    return outcomeNoted;
  }

  /** Sends the message in the buffer from {@link #payload()}, after the destination's READY. */
  void sendWhenReady(ControlType type, int repeat) throws IOException, InterruptedException {
    long begin = Time.nanos();
    // The destination may have work to do before, such as writing RAM to a disk.
    poller.await(readyCame, Awaited.RECEIVE, new Wait(Wait.Kind.READY), limits.work());
    telemetry.metrics().add(Metric.WAIT_READY_TIME, Time.nanos() - begin);
    requireNoMessage(type.text());
    ready--;
    send(type, repeat);
  }

  /**
   * Checks that no message has arrived, which would be mistaken for the answer to the next one.
   *
   * @param next name of the message to be sent next
   */
  void requireNoMessage(String next) throws ProtocolException {
    if (!inbox.isEmpty()) {
      throw ProtocolException.of(
          "control message before " + next, inbox.element().header().type().text(), "none");
    }
  }

  /** Waits until every SEND has completed. */
  void awaitSent() throws IOException, InterruptedException {
    poller.await(allSent, Awaited.SEND, new Wait(Wait.Kind.LAST_SEND), limits.answer());
  }

  /** Sends ERROR to a Wridscope peer, if that is possible without waiting. */
  void sendErrorIfPossible(String reason) throws IOException {
    // QEMU may mistake ERROR for READY, or have no receive posted for it; it notices the
    // disconnect.
    if (extensions && freeSendBuffer() >= 0) {
      int index = reserve();
      byte[] text = reason.getBytes(StandardCharsets.UTF_8);
      buffers[index].put(text, 0, Math.min(text.length, MAX_REASON));
      post(index, ControlType.ERROR, 1);
    }
  }

  /** Index of a free send buffer, -1 if there is none. */
  private int freeSendBuffer() {
    for (int i = receives; i < sending.length; i++) {
      if (!sending[i]) {
        return i;
      }
    }
    return -1;
  }

  /** Whether the SEND of a message has not completed. */
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

  /** Waits for the next message, which must be {@linkplain #release released}. */
  Message receive(Wait what, Duration limit) throws IOException, InterruptedException {
    poller.await(messageCame, Awaited.RECEIVE, what, limit);
    return inbox.remove();
  }

  /** The first message that has arrived and was not received yet; null if there is none. */
  @Nullable Message arrived() {
    return inbox.peek();
  }

  /** Waits for the next message, which must be of this type and {@linkplain #release released}. */
  Message receive(ControlType type, Duration limit) throws IOException, InterruptedException {
    Message message = receive(new Wait(Wait.Kind.MESSAGE, type.value()), limit);
    if (message.header().type() != type) {
      throw ProtocolException.of(
          "control message type", message.header().type().text(), type.text());
    }
    return message;
  }

  /** Posts the buffer of a message again. */
  void release(Message message) throws IOException {
    postReceive(message.buffer());
  }

  @Override
  public void received(int buffer, int bytes) throws IOException {
    lastHeard = Time.nanos();
    ByteBuffer message = buffers[buffer].clear();
    ControlHeader header = ControlHeader.decode(message, bytes);
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
        // the receiver of the message checks its payload
      }
    }
    if (header.type() != ControlType.HEARTBEAT) {
      poller.answered();
    }
    if (header.type() == ControlType.READY && role == Role.SOURCE) {
      noteReady();
      postReceive(buffer);
      return;
    }
    outcomeNoted |=
        runningSent
            && (header.type() == ControlType.DIGESTS
                || (header.type() == ControlType.HEARTBEAT
                    && header.repeat() == ControlType.HAS_NOTED));
    switch (header.type()) {
      case HEARTBEAT -> postReceive(buffer);
      case ERROR -> throw new PeerGaveUpException(reasonOf(message, header.length()));
      default ->
          inbox.add(
              new Message(header, message.slice(ControlHeader.BYTES, header.length()), buffer));
    }
  }

  /** A destination sends one READY for each message that it waits for. */
  private void noteReady() throws ProtocolException {
    if (ready > 0) {
      throw ProtocolException.of("number of READY messages in a row", ready + 1, "1");
    }
    ready++;
  }

  private String reasonOf(ByteBuffer message, int length) {
    String peer = role == Role.SOURCE ? "The destination gave up" : "The source gave up";
    if (!extensions || length == 0) {
      return peer + " without a reason; see what it reports itself.";
    }
    byte[] text = new byte[Math.min(length, MAX_REASON)];
    message.get(ControlHeader.BYTES, text);
    return peer + ": " + Legible.of(new String(text, StandardCharsets.UTF_8));
  }

  private void postReceive(int buffer) throws IOException {
    long wrid = WorkRequestId.of(WorkRequestId.CONTROL_RECEIVE + buffer, 0, 0);
    long now = Time.nanos();
    endpoint
        .queuePair()
        .postReceive(
            receiveRequest.fill(
                wrid,
                endpoint.bufferAddress(buffer),
                ControlHeader.MAX_MESSAGE,
                endpoint.bufferKey()));
    telemetry.event(now, EventKind.POST_RECEIVE, 0, ControlHeader.MAX_MESSAGE, wrid, 0);
  }

  // ----------------------------------------------------------------------------------- liveness

  /** Sends a heartbeat if one is due, and checks for the peer's; between two Wridscopes only. */
  @Override
  public void idle() throws IOException {
    if (!extensions || !poller.isPipelined()) {
      return;
    }
    long now = Time.nanos();
    if (now - lastHeard > limits.silence().toNanos()) {
      throw new StrangerException(
          Reason.SILENT,
          "Nothing came from the peer for %s, not even a heartbeat; check its host and the link."
              .formatted(Format.duration(limits.silence().toNanos())));
    }
    if (now - lastSent > limits.heartbeat().toNanos() && freeSendBuffer() >= 0) {
      post(reserve(), ControlType.HEARTBEAT, 1);
    }
  }
}
