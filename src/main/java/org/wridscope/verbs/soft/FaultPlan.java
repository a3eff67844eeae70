// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;

/**
 * Decides which work requests of a device fail; see {@link SoftDevice#setFaultPlan}. Called once
 * for each send request, in the order of execution, by the device's thread: it must not block.
 */
@FunctionalInterface
public interface FaultPlan {

  /** Most ids of a queue pair. */
  int MOST_IDS = 5;

  /** No request fails. */
  FaultPlan NONE = (queuePairNumber, ordinal, opcode, workRequestId) -> Fault.PROCEED;

  /**
   * Decides about a request.
   *
   * @param queuePairNumber the queue pair it was posted to
   * @param ordinal how many requests were executed on that queue pair before, from 0
   */
  Fault decide(int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId);

  /**
   * How long a message occupies the link before the next one can be sent; models a slow link.
   *
   * @param length of the message, in bytes
   * @return nanoseconds, at least 0
   */
  default long wireNanos(int length) {
    return 0;
  }

  /**
   * The limits of the device, which the device enforces; real devices have far smaller queues than
   * the software device (IBTA 11.2.1.2, HCA attributes).
   *
   * @param most the limits without a plan
   * @return limits that are at most those
   */
  default DeviceCapabilities capabilities(DeviceCapabilities most) {
    return most;
  }

  /** What was sent when a request was sent again. */
  enum Resent {
    /** The same data. */
    SAME,
    /** Other data: its memory was changed before it completed. */
    OTHER,
    /** Nothing: its memory is not registered any more. */
    NOTHING
  }

  /**
   * A request was sent again. This is what a capture of the link shows; no device reports it.
   *
   * @param queuePairNumber the queue pair it was posted to
   * @param ordinal how many requests were executed on that queue pair before, from 0
   * @param length of its message, in bytes
   */
  default void resent(
      int queuePairNumber, long ordinal, long workRequestId, int length, Resent what) {}

  /**
   * Number of ids of a queue pair that is created: its number and the ids of its work queues, which
   * events name then. An RC queue pair of Microsoft's mana has up to five.
   *
   * @return 1 to {@value #MOST_IDS}
   */
  default int queuePairIds() {
    return 1;
  }

  /**
   * Whether the driver makes the mistake against which Linux's mana_ib counts references: it frees
   * a queue pair's number before it has dealt with all events, so that late ones reach the next
   * queue pair with this number.
   */
  default boolean freesNumbersEarly() {
    return false;
  }

  /** A plan with {@code fault} for the request with this ordinal, and no other fault. */
  static FaultPlan at(long ordinal, Fault fault) {
    return (queuePairNumber, at, opcode, workRequestId) -> at == ordinal ? fault : Fault.PROCEED;
  }
}
