// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionStatus;

/** What a {@link FaultPlan} does to a work request. */
public sealed interface Fault {

  /** No fault: the request is executed. */
  Fault PROCEED = new Proceed();

  /** The cable is cut before the request is executed. */
  Fault CUT = new Cut();

  /** Executes the request. */
  record Proceed() implements Fault {}

  /** The request is executed at once, and completes later. */
  sealed interface Held extends Fault permits HoldCompletion, Retransmit {

    /** How much later, at most. */
    long nanos();
  }

  /**
   * Cuts the connection as {@link SoftFabric#cut} does: this request completes with {@link
   * WorkCompletionStatus#RETRY_EXC_ERR}, the rest is flushed.
   */
  record Cut() implements Fault {}

  /**
   * Completes the request with an error without executing it, which moves the queue pair to the
   * error state.
   *
   * @param status any but {@link WorkCompletionStatus#SUCCESS}
   * @param vendorError reported with the completion
   */
  record Fail(WorkCompletionStatus status, int vendorError) implements Fault {
    public Fail {
      if (status == WorkCompletionStatus.SUCCESS) {
        throw new IllegalArgumentException("a failure cannot have the status SUCCESS");
      }
    }
  }

  /**
   * Executes the request at once but completes it later, and later requests of the same queue pair
   * not before it. Meanwhile the peer has the message and may have replied: an RC send completes
   * only when its acknowledgement has arrived, which a responder may delay and a network may lose,
   * while a reply is a separate message (IBTA 9.7.5.1.2, 9.7.7.1).
   *
   * @param nanos how much later, at least 0
   * @param untilReceive whether to complete as soon as a completion of the same queue pair's
   *     receive queue was polled, which has then overtaken this one
   */
  record HoldCompletion(long nanos, boolean untilReceive) implements Held {
    public HoldCompletion {
      requireNotNegative(nanos);
    }
  }

  /**
   * Executes the request at once, and loses its acknowledgement and those of all later requests
   * until the transport timer has expired. Then the device sends them again, and for that reads
   * their memory again by its local key (IBTA 9.7.6.1.3). A key that is no longer valid is a
   * protection error. The responder has executed the requests: it acknowledges the duplicates and
   * discards their data (IBTA C9-105).
   *
   * @param nanos the transport timer, at least 0
   * @param untilSends expires at the latest when this number of later SENDs of the same queue pair
   *     was executed, 0 for no such limit
   */
  record Retransmit(long nanos, int untilSends) implements Held {
    public Retransmit {
      requireNotNegative(nanos);
      if (untilSends < 0) {
        throw new IllegalArgumentException(untilSends + " SENDs are less than none");
      }
    }
  }

  /**
   * The request is answered with RNR NAK, as if the peer had no receive posted (IBTA 9.7.5.2.8): it
   * is repeated after the RNR NAK timer until the retry count is used up.
   *
   * @param times how often, at least 1
   */
  record ReceiverNotReady(int times) implements Fault {
    public ReceiverNotReady {
      if (times < 1) {
        throw new IllegalArgumentException(times + " times is less than once");
      }
    }
  }

  /**
   * The queue pair fails with QP_FATAL events instead of a completion (IBTA 11.6.3.2: a
   * catastrophic local error), and its requests are flushed.
   *
   * @param events how many, at least 1; all but the first are late
   * @param handlingNanos how long whoever takes the first one is delayed before its
   *     acknowledgement, at least 0
   */
  record Fatal(int events, long handlingNanos) implements Fault {
    public Fatal {
      if (events < 1) {
        throw new IllegalArgumentException(events + " events is less than one");
      }
      requireNotNegative(handlingNanos);
    }

    /** With one event, which is handled at once. */
    public Fatal() {
      this(1, 0);
    }
  }

  /**
   * The device reports an asynchronous event and executes the request.
   *
   * @param type of an event after which what it names can be used
   */
  record Event(AsyncEventType type) implements Fault {
    public Event {
      if (type.consequence() == AsyncEventType.Consequence.FATAL) {
        throw new IllegalArgumentException("after " + type + " the request could not be executed");
      }
    }
  }

  private static void requireNotNegative(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException("a delay of " + nanos + " ns is negative");
    }
  }

  /**
   * Executes the request later; later requests of the same queue pair wait, others do not.
   *
   * @param nanos how much later, at least 0
   */
  record Delay(long nanos) implements Fault {
    public Delay {
      requireNotNegative(nanos);
    }
  }
}
