// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/**
 * The control messages between two sessions of a migration. A reliable connection neither loses nor
 * reorders, so the n-th message that one end sent is the n-th that the other one received. Not
 * thread-safe.
 */
public final class Ladder {
  /** A moment that is not known. */
  public static final long UNKNOWN = Long.MIN_VALUE;

  private final @Nullable Requests source;
  private final @Nullable Requests destination;

  /** Either may be in another process. */
  public Ladder(@Nullable Requests source, @Nullable Requests destination) {
    this.source = source;
    this.destination = destination;
  }

  /**
   * One message.
   *
   * @param from which end sent it
   * @param number counted from 0 among those of this end
   * @param type on the wire, {@link Messages#UNKNOWN} when nobody told
   * @param sentNanos {@link #UNKNOWN} when the end that sent it is not here
   * @param receivedNanos {@link #UNKNOWN} when it has not arrived, or the other end is not here
   * @param dropped whether the completion of its receive was thrown away
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
    /** The earliest moment that is known of it. */
    public long firstNanos() {
      return sentNanos == UNKNOWN ? receivedNanos : sentNanos;
    }

    /** The latest moment that is known of it. */
    public long lastNanos() {
      return receivedNanos == UNKNOWN ? sentNanos : receivedNanos;
    }
  }

  private @Nullable Messages sentBy(Role role) {
    Requests end = role == Role.SOURCE ? source : destination;
    return end == null ? null : end.sent();
  }

  private @Nullable Requests receiverOf(Role from) {
    return from == Role.SOURCE ? destination : source;
  }

  private @Nullable Messages receivedFrom(Role from) {
    Requests receiver = receiverOf(from);
    return receiver == null ? null : receiver.received();
  }

  /** Whether both ends are here and neither missed an event, so that messages can be paired. */
  public boolean isPaired() {
    return source != null
        && destination != null
        && source.missed() == 0
        && destination.missed() == 0;
  }

  /** How many messages of one end are known. */
  public long count(Role from) {
    return end(from);
  }

  private long end(Role from) {
    Messages sent = sentBy(from);
    if (sent != null) {
      return sent.end();
    }
    Messages received = receivedFrom(from);
    return received == null ? 0 : received.end();
  }

  /** The oldest message of one end that is known. */
  public long first(Role from) {
    Messages sent = sentBy(from);
    if (sent != null) {
      return sent.first();
    }
    Messages received = receivedFrom(from);
    return received == null ? 0 : received.first();
  }

  /** The number of the first message of one end that had not arrived before a moment. */
  public long indexOf(Role from, long nanos) {
    Messages sent = sentBy(from);
    Messages received = receivedFrom(from);
    if (received != null && (sent == null || isPaired())) {
      return Math.clamp(received.indexOf(nanos), first(from), end(from));
    }
    return sent == null ? 0 : sent.indexOf(nanos);
  }

  /** A message of one end; its number must be known. */
  public Rung rung(Role from, long number) {
    Messages sent = sentBy(from);
    Requests receiver = receiverOf(from);
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
    Messages told = sent != null ? sent : arrived;
    if (told == null) {
      throw new IllegalArgumentException("no message " + number + " of the " + from);
    }
    return new Rung(
        from,
        number,
        told.type(number),
        told.length(number),
        told.repeat(number),
        sent == null ? UNKNOWN : sent.nanos(number),
        sent == null ? -1 : sent.event(number),
        arrived == null ? UNKNOWN : arrived.nanos(number),
        arrived == null ? -1 : arrived.event(number),
        dropped);
  }

  /** The message that an event of one end told, or null. */
  public @Nullable Rung ofEvent(Role end, long event) {
    Requests requests = end == Role.SOURCE ? source : destination;
    if (requests == null) {
      return null;
    }
    long sent = requests.sent().ofEvent(event);
    if (sent >= 0) {
      return rung(end, sent);
    }
    Role other = end.other();
    long received = requests.received().ofEvent(event);
    boolean known = received >= first(other) && received < end(other);
    return known && (sentBy(other) == null || isPaired()) ? rung(other, received) : null;
  }
}
