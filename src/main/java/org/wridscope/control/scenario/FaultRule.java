// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;

/**
 * Which work requests a fault meets: of one kind, from one on, again each so many, a limited number
 * of times, and of those a share at random.
 *
 * @param kind of request
 * @param from the first that can be met, counted from 0 among those of this kind on the device
 * @param fromRun whether the number of the run is added to {@code from}
 * @param every how many further on the next one is that can be met, at least 1
 * @param count how many are met at most, at least 1
 * @param share of them that are met, 0 to 1
 * @param fault that they meet
 * @param onlyRun the one run in which this happens, -1 for each
 */
public record FaultRule(
    Kind kind,
    long from,
    boolean fromRun,
    long every,
    long count,
    double share,
    Fault fault,
    long onlyRun) {

  /** Kinds of work request. */
  public enum Kind {
    ANY,
    SEND,
    WRITE;

    boolean has(SendRequest.Opcode opcode) {
      return this == ANY || (this == SEND) == (opcode == SendRequest.Opcode.SEND);
    }
  }

  public FaultRule {
    if (from < 0 || every < 1 || count < 1 || !(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "from %d, every %d, count %d, share %s".formatted(from, every, count, share));
    }
  }

  /** A fault that one request meets. */
  public static FaultRule once(Kind kind, long from, Fault fault) {
    return new FaultRule(kind, from, false, 1, 1, 1, fault, -1);
  }
}
