// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Automaton;
import org.wridscope.verbs.SendRequest;

/** A step of a software device under a schedule. */
public final class DeviceStep extends Automaton.Step {
  /** Bytes that a device moves in a nanosecond of the schedule's clock. */
  private static final int BYTES_PER_NANO = 4;

  /** What a step does. */
  public enum Kind {
    /** The oldest request is executed: its message reaches the peer. */
    EXECUTE(
        "executes %s",
        "A send queue is executed in order, at any time after the request was posted (IBTA"
            + " 10.8.3)."),
    /** The acknowledgement of the oldest executed request arrives, which completes. */
    ACKNOWLEDGE(
        "receives the acknowledgement of %s",
        "An acknowledgement arrives at any time after the request was executed (IBTA 9.7.5.1.2)."),
    /** The transport timer has expired: unacknowledged requests are sent again. */
    RESEND(
        "sends again, from %s on",
        "Without an acknowledgement the transport timer expires (9.7.6.1.3)."),
    /**
     * The acknowledgements of all executed requests are lost, the oldest first: they are resent.
     */
    LOSE(
        "loses the acknowledgement of %s, and sends again from it on",
        "Packets may be lost. Without an acknowledgement the transport timer expires, and the"
            + " requester sends again (IBTA 9.7.6.1.3)."),
    /** The cable to the peer is cut. */
    CUT(
        "loses its cable (%s)",
        "A link may fail at any time. What is sent then gets no answer, and fails with"
            + " RETRY_EXC_ERR (IBTA 9.7.6.1.3)."),
    /** Outstanding requests complete as flushed, because the queue pair has failed. */
    FLUSH("flushes %s", "In the error state all requests complete as flushed (IBTA 10.3.1.5).");

    private final String phrase;
    private final String rule;

    Kind(String phrase, String rule) {
      this.phrase = phrase;
      this.rule = rule;
    }
  }

  private final SoftQueuePair queuePair;
  private final Kind kind;
  private final LongSupplier ordinal;
  private final Runnable action;

  /**
   * @param ordinal of the request that it is about; negative for all of the queue pair
   */
  DeviceStep(SoftQueuePair queuePair, Kind kind, LongSupplier ordinal, Runnable action) {
    this.queuePair = queuePair;
    this.kind = kind;
    this.ordinal = ordinal;
    this.action = action;
  }

  public Kind kind() {
    return kind;
  }

  /** The number of the request that it is about, in its queue; negative if it is about all. */
  public long ordinal() {
    return ordinal.getAsLong();
  }

  /** The request that it is about; null if it is about all. */
  public @Nullable PostedRequest request() {
    long at = ordinal.getAsLong();
    return at < 0 ? null : queuePair.sends().request(at, queuePair.device().keys());
  }

  /** The kind of request that it is about; null if it is about all. */
  public SendRequest.@Nullable Opcode opcode() {
    long at = ordinal.getAsLong();
    return at < 0 ? null : queuePair.sends().opcode(queuePair.sends().slot(at));
  }

  /** The request that it is about; 0 if it is about all. */
  public long workRequestId() {
    long at = ordinal.getAsLong();
    return at < 0 ? 0 : queuePair.sends().workRequestId(queuePair.sends().slot(at));
  }

  @Override
  protected long take() {
    long at = ordinal.getAsLong();
    int bytes =
        at < 0 || kind == Kind.ACKNOWLEDGE
            ? 0
            : queuePair.sends().length(queuePair.sends().slot(at));
    queuePair.takeStep(action);
    return bytes / BYTES_PER_NANO;
  }

  @Override
  public String who() {
    return queuePair.device().name();
  }

  @Override
  public String what() {
    return what("%s %#x".formatted(opcode(), workRequestId()));
  }

  /**
   * What happens, a phrase without its subject.
   *
   * @param request names the request that it is about
   */
  public String what(String request) {
    String about =
        ordinal.getAsLong() < 0 ? "queue pair %d".formatted(queuePair.number()) : request;
    return kind.phrase.formatted(about);
  }

  @Override
  public String rule() {
    return kind.rule;
  }
}
