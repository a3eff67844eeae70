// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

/**
 * The control messages between the two sessions of a migration. A reliable connection neither loses
 * nor reorders messages, so the n-th message that one end sent is the n-th that the other received.
 * Not thread-safe.
 */
public final class Ladder {
  /** An unknown moment. */
  public static final long UNKNOWN = Long.MIN_VALUE;

  private final BothEnds both;

  /** Either is null when it is in another process. */
  public Ladder(@Nullable Requests source, @Nullable Requests destination) {
    both = new BothEnds(source, destination);
  }

  /**
   * A message.
   *
   * @param from the end that sent it
   * @param number number among the messages of that end, from 0
   * @param type its value on the wire, {@link Messages#UNKNOWN} when it was not decoded
   * @param sentNanos {@link #UNKNOWN} when the sender is in another process
   * @param receivedNanos {@link #UNKNOWN} when it has not arrived, or the receiver is in another
   *     process
   * @param dropped whether the completion of its receive was dropped
   */
  public record Rung(
      Role from,
      long number,
      int type,
      int length,
      long repeat,
      long sentNanos,
      long sentEvent,
      long receivedNanos,
      long receivedEvent,
      boolean dropped) {
    /** Whether it only says that its sender is there. */
    public boolean isHeartbeat() {
      return type == ControlType.HEARTBEAT.value();
    }

    /** The earliest known moment. */
    public long firstNanos() {
      return sentNanos == UNKNOWN ? receivedNanos : sentNanos;
    }

    /** The latest known moment. */
    public long lastNanos() {
      return receivedNanos == UNKNOWN ? sentNanos : receivedNanos;
    }
  }

  private @Nullable Messages sentBy(Role role) {
    Requests end = both.end(role);
    return end == null ? null : end.sent();
  }

  private @Nullable Messages receivedFrom(Role from) {
    Requests receiver = both.end(from.other());
    return receiver == null ? null : receiver.received();
  }

  /** Whether both ends are known and neither missed an event, so that messages can be paired. */
  public boolean isPaired() {
    return both.isPaired();
  }

  /** How many messages one end has sent, as far as known. */
  public long count(Role from) {
    Messages known = known(from);
    return known == null ? 0 : known.end();
  }

  /** How many of them were heartbeats. */
  public long heartbeats(Role from) {
    Messages known = known(from);
    return known == null ? 0 : known.heartbeats();
  }

  private @Nullable Messages known(Role from) {
    Messages sent = sentBy(from);
    return sent == null ? receivedFrom(from) : sent;
  }

  /** The oldest known message of one end. */
  public long first(Role from) {
    Messages known = known(from);
    return known == null ? 0 : known.first();
  }

  /** The number of the first message of one end that arrived at or after a moment. */
  public long indexOf(Role from, long nanos) {
    Messages sent = sentBy(from);
    Messages received = receivedFrom(from);
    if (received != null && (sent == null || isPaired())) {
      return Math.clamp(received.indexOf(nanos), first(from), count(from));
    }
    return sent == null ? 0 : sent.indexOf(nanos);
  }

  /** A message of one end, which must be known. */
  public Rung rung(Role from, long number) {
    Messages sent = sentBy(from);
    Requests receiver = both.end(from.other());
    boolean paired = isPaired();
    Messages arrived =
        receiver != null && (sent == null || paired) && receiver.received().has(number)
            ? receiver.received()
            : null;
    boolean dropped = false;
    if (arrived != null && receiver != null) {
      long request = arrived.request(number);
      dropped = receiver.receives().has(request) && receiver.receives().dropped(request);
    }
    Messages known = sent != null ? sent : arrived;
    if (known == null) {
      throw new IllegalArgumentException("no message " + number + " of the " + from);
    }
    return new Rung(
        from,
        number,
        known.type(number),
        known.length(number),
        known.repeat(number),
        sent == null ? UNKNOWN : sent.nanos(number),
        sent == null ? -1 : sent.event(number),
        arrived == null ? UNKNOWN : arrived.nanos(number),
        arrived == null ? -1 : arrived.event(number),
        dropped);
  }

  /** The message that an event of one end sent or received, or null. */
  public @Nullable Rung ofEvent(Role end, long event) {
    Requests requests = both.end(end);
    if (requests == null) {
      return null;
    }
    long sent = requests.sent().ofEvent(event);
    if (sent >= 0) {
      return rung(end, sent);
    }
    Role other = end.other();
    long received = requests.received().ofEvent(event);
    boolean known = received >= first(other) && received < count(other);
    return known && (sentBy(other) == null || isPaired()) ? rung(other, received) : null;
  }
}
