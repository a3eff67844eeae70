// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.verbs.soft.FaultPlan;

/**
 * The behaviour of one end's device in a scenario.
 *
 * @param rules of these, the first that selects a request applies to it
 * @param linkBytesPerSecond rate of its link, 0 for the speed of memory
 * @param limits its reduced limits
 * @param queuePairIds number of ids of a queue pair, 1 to {@link FaultPlan#MOST_IDS}
 * @param freesNumbersEarly whether late events reach the next queue pair with the number
 */
public record FaultScript(
    List<FaultRule> rules,
    long linkBytesPerSecond,
    DeviceLimits limits,
    int queuePairIds,
    boolean freesNumbersEarly) {

  /** No faults and no limits. */
  public static final FaultScript NONE = new FaultScript(List.of(), 0, DeviceLimits.NONE);

  /** A script for a device whose queue pairs have no ids but their numbers. */
  public FaultScript(List<FaultRule> rules, long linkBytesPerSecond, DeviceLimits limits) {
    this(rules, linkBytesPerSecond, limits, 1, false);
  }

  public FaultScript {
    rules = List.copyOf(rules);
  }

  /** A copy without the rule with this index. */
  FaultScript without(int index) {
    var rest = new ArrayList<>(rules);
    rest.remove(index);
    return new FaultScript(rest, linkBytesPerSecond, limits, queuePairIds, freesNumbersEarly);
  }
}
