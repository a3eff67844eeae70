// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.SendRequest;

/**
 * Decides which work requests of a device go wrong; see {@link SoftDevice#setFaultPlan}. Asked once
 * for each send request, in the order of execution, by the device's thread: it must not block.
 */
@FunctionalInterface
public interface FaultPlan {

  /** Nothing goes wrong. */
  FaultPlan NONE = (queuePairNumber, ordinal, opcode, workRequestId) -> Fault.PROCEED;

  /**
   * What becomes of a request.
   *
   * @param queuePairNumber the queue pair it was posted to
   * @param ordinal how many requests were executed on that queue pair before, from 0
   */
  Fault decide(int queuePairNumber, long ordinal, SendRequest.Opcode opcode, long workRequestId);

  /**
   * How long the link carries a message before the next one can go, which a slower link makes
   * longer.
   *
   * @param length of the message, in bytes
   * @return nanoseconds, at least 0
   */
  default long wireNanos(int length) {
    return 0;
  }

  /**
   * The attributes of the device, which grants nothing beyond them; real devices have far smaller
   * queues than this one (IBTA 11.2.1.2, HCA attributes). Asked by whoever asks the device, and by
   * whoever makes a queue or registers memory.
   *
   * @param most what the device can do without a plan
   * @return at most that
   */
  default DeviceCapabilities capabilities(DeviceCapabilities most) {
    return most;
  }

  /** A plan that meets the request with this ordinal with {@code fault}, and no other. */
  static FaultPlan at(long ordinal, Fault fault) {
    return (queuePairNumber, at, opcode, workRequestId) -> at == ordinal ? fault : Fault.PROCEED;
  }
}
