// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.WorkCompletionStatus;

/** What a {@link FaultPlan} makes of a work request. */
public sealed interface Fault {

  /** No fault: the request is executed. */
  Fault PROCEED = new Proceed();

  /** The cable is cut before the request is executed. */
  Fault CUT = new Cut();

  /** Executes the request. */
  record Proceed() implements Fault {}

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
   * Executes the request, but has it complete later. Requests behind it on the same queue are
   * executed and complete behind it; receives are not held up, so that the peer's answer to a
   * message may complete before the message does.
   *
   * <p>The rule: a request of a reliable connection completes when its acknowledgement has arrived,
   * which the responder may coalesce with later ones (IBTA 9.7.5.1.2) and the network may delay or
   * lose until the request is repeated. Completions are in order for one work queue; nothing orders
   * those of a send queue and of a receive queue, wherever they arrive (QEMU commit b390afd8c50b
   * saw it with soft-RoCE, the Linux kernel's xprtrdma with adapters).
   *
   * <p>For devices that are connected within the process; one on a network fails the queue pair.
   *
   * @param nanos how much later, at least 0
   */
  record DelayCompletion(long nanos) implements Fault {
    public DelayCompletion {
      if (nanos < 0) {
        throw new IllegalArgumentException("a delay of " + nanos + " ns is negative");
      }
    }
  }

  /**
   * Executes the request later; requests behind it on the same queue pair wait, others do not.
   *
   * @param nanos how much later, at least 0
   */
  record Delay(long nanos) implements Fault {
    public Delay {
      if (nanos < 0) {
        throw new IllegalArgumentException("a delay of " + nanos + " ns is negative");
      }
    }
  }
}
