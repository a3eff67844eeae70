// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.wridscope.verbs.QueuePairAttributes;

/**
 * A call of {@code ibv_modify_qp}: what a {@link EventKind#PROGRAM_MODIFIED} tells. Only what is in
 * the mask was set. A program that was refused may have set anything, so that numbers are as it
 * wrote them; those above 255 are 255.
 *
 * @param errno 0 if it was not refused; 16 bits
 * @param mask bits of {@code enum ibv_qp_attr_mask}
 * @param state a number of {@code enum ibv_qp_state}
 * @param pathMtu a number of {@code enum ibv_mtu}
 * @param minRnrTimer a code, see {@link QueuePairAttributes#rnrTimerNanos}
 * @param access bits of {@code enum ibv_access_flags}
 */
public record QueuePairChange(
    QueueId queue,
    int errno,
    int mask,
    int state,
    int pathMtu,
    int port,
    int timeout,
    int retries,
    int rnrRetries,
    int minRnrTimer,
    int access) {
  private static final int OCTET = 0xff;
  private static final int MAX_ERRNO = (1 << 16) - 1;

  /** Some functions return a negative errno. */
  public QueuePairChange {
    errno = Math.min(Math.abs(Math.max(errno, -MAX_ERRNO)), MAX_ERRNO);
    state = octet(state);
    pathMtu = octet(pathMtu);
  }

  private static int octet(int value) {
    return value < 0 ? OCTET : Math.min(value, OCTET);
  }

  /** The call of an event. */
  public static QueuePairChange of(Event event) {
    return of(event.detail(), event.length(), event.wrid(), event.argument());
  }

  /** The call of an event with these values. */
  public static QueuePairChange of(int detail, int length, long wrid, long argument) {
    return new QueuePairChange(
        QueueId.ofArgument(argument),
        detail,
        length,
        octet(wrid, 0),
        octet(wrid, 1),
        octet(wrid, 2),
        octet(wrid, 3),
        octet(wrid, 4),
        octet(wrid, 5),
        octet(wrid, 6),
        (int) (argument >>> 32));
  }

  private static int octet(long of, int index) {
    return (int) (of >>> (8 * index)) & OCTET;
  }

  /** The wrid of its event; detail and length are errno and mask. */
  public long wrid() {
    long packed = 0;
    int[] octets = {state, pathMtu, port, timeout, retries, rnrRetries, minRnrTimer};
    for (int i = 0; i < octets.length; i++) {
      packed |= (long) (octets[i] & OCTET) << (8 * i);
    }
    return packed;
  }

  /** The argument of its event. */
  public long argument() {
    return (long) access << 32 | queue.argument();
  }

  public boolean isRefused() {
    return errno != 0;
  }

  /** Whether it set an attribute, a bit of the mask. */
  public boolean has(int attribute) {
    return (mask & attribute) != 0;
  }

  /** Whether the queue pair was to enter a state, a number of {@code enum ibv_qp_state}. */
  public boolean isTo(int wanted) {
    return has(QueuePairAttributes.STATE) && state == wanted;
  }

  /** What is set after a later call that was not refused. */
  public QueuePairChange and(QueuePairChange later) {
    return new QueuePairChange(
        queue,
        0,
        mask | later.mask,
        later.has(QueuePairAttributes.STATE) ? later.state : state,
        later.has(QueuePairAttributes.PATH_MTU) ? later.pathMtu : pathMtu,
        later.has(QueuePairAttributes.PORT) ? later.port : port,
        later.has(QueuePairAttributes.TIMEOUT) ? later.timeout : timeout,
        later.has(QueuePairAttributes.RETRY_COUNT) ? later.retries : retries,
        later.has(QueuePairAttributes.RNR_RETRY) ? later.rnrRetries : rnrRetries,
        later.has(QueuePairAttributes.MIN_RNR_TIMER) ? later.minRnrTimer : minRnrTimer,
        later.has(QueuePairAttributes.ACCESS_FLAGS) ? later.access : access);
  }
}
