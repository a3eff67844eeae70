// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * A queue of a program that is not ours: the send and receive queue of a queue pair, or a shared
 * receive queue.
 *
 * @param value 24 bits of number, 7 bits of context, 1 bit that is set for a shared receive queue
 */
public record QueueId(int value) {
  private static final int NUMBER_BITS = 24;
  private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
  private static final int SHARED = 1 << 31;

  /** The highest number of a context; all later contexts share it. */
  public static final int MAX_CONTEXT = 127;

  /**
   * A queue pair.
   *
   * @param context the how manieth {@code ibv_context} of the program it is in, from 0, because
   *     queue pairs of two devices may have the same number
   * @param number {@code ibv_qp.qp_num}; its low 24 bits
   */
  public static QueueId ofQueuePair(int context, int number) {
    return new QueueId(Math.min(context, MAX_CONTEXT) << NUMBER_BITS | (number & NUMBER_MASK));
  }

  /**
   * A shared receive queue.
   *
   * @param number in the order in which the program used them, from 1
   */
  public static QueueId ofSharedReceiveQueue(int number) {
    return new QueueId(SHARED | (number & NUMBER_MASK));
  }

  /** The queue of an event: the low 32 bits of its argument. */
  public static QueueId ofArgument(long argument) {
    return new QueueId((int) argument);
  }

  /** Whether it is a shared receive queue. */
  public boolean isShared() {
    return value < 0;
  }

  /** The number of the queue pair or the shared receive queue. */
  public int number() {
    return value & NUMBER_MASK;
  }

  /** The how manieth context of the program a queue pair is in, from 0. */
  public int context() {
    return isShared() ? 0 : value >>> NUMBER_BITS;
  }

  /** The argument of an event about it, without more. */
  public long argument() {
    return Integer.toUnsignedLong(value);
  }

  /** Its name in views, such as {@code QP 17}, {@code QP 17 (context 2)} or {@code SRQ 1}. */
  public String text() {
    if (isShared()) {
      return "SRQ " + number();
    }
    return context() == 0
        ? "QP " + number()
        : "QP %d (context %d%s)"
            .formatted(number(), context() + 1, context() == MAX_CONTEXT ? " or later" : "");
  }
}
