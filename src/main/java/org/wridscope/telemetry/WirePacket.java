// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * The packet that a {@link EventKind#WIRE_RETRANSMISSION}, {@link EventKind#WIRE_NAK} or {@link
 * EventKind#WIRE_CNP} is about, and the request that it belongs to.
 *
 * @param what the same data (0) or other data (1) sent again, or the syndrome of a negative
 *     acknowledgement; 8 bits
 * @param ofProgram whether the wrid is of a program that is not ours, so that it is not decoded
 * @param psn packet sequence number, 24 bits
 * @param wrid of the request; 0 if that is not known
 * @param queuePair that sent the request, or is asked to slow down
 * @param request how many requests were posted before it; {@link #UNKNOWN} if it is not known
 */
public record WirePacket(
    int what, boolean ofProgram, int psn, long wrid, QueueId queuePair, long request) {
  /** The request is not known. */
  public static final long UNKNOWN = -1;

  private static final int WHAT_MASK = 0xff;
  private static final int OF_PROGRAM = 0x100;

  /** The packet of an event. */
  public static WirePacket of(Event event) {
    return of(event.detail(), event.length(), event.wrid(), event.argument());
  }

  /** The packet of an event with these values. */
  public static WirePacket of(int detail, int length, long wrid, long argument) {
    return new WirePacket(
        detail & WHAT_MASK,
        (detail & OF_PROGRAM) != 0,
        length,
        wrid,
        QueueId.ofArgument(argument),
        (argument >>> 32) - 1);
  }

  /** The detail of its event. */
  public int detail() {
    return what | (ofProgram ? OF_PROGRAM : 0);
  }

  /** The argument of its event. */
  public long argument() {
    return (request + 1) << 32 | queuePair.argument();
  }

  /** Whether the wrid is known; one of a program may be 0. */
  public boolean hasWrid() {
    return wrid != 0 || request != UNKNOWN;
  }

  /** Whether other data was sent than before. */
  public boolean isChanged() {
    return what == 1;
  }
}
