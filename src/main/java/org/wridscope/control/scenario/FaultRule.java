// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.soft.Fault;

/**
 * A fault and the work requests that it applies to.
 *
 * @param kind of request
 * @param from the first request to select, counted from 0 among those of this kind on the device
 * @param fromRun whether the number of the run is added to {@code from}
 * @param every distance from one selected request to the next, at least 1
 * @param count maximum number of requests that the fault applies to, at least 1; {@link #UNLIMITED}
 *     for all
 * @param share of the selected requests that the fault applies to, chosen at random, 0 to 1
 * @param fault the fault
 * @param onlyRun the only run in which the rule applies, from 0; -1 for all runs
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

  /** A {@code count} without a limit. */
  public static final long UNLIMITED = Long.MAX_VALUE;

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

  /** A fault of a single request. */
  public static FaultRule once(Kind kind, long from, Fault fault) {
    return new FaultRule(kind, from, false, 1, 1, 1, fault, -1);
  }
}
