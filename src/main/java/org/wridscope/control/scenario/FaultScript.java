// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.List;

/**
 * The behaviour of one end's device in a scenario.
 *
 * @param rules of these, the first that selects a request applies to it
 * @param linkBytesPerSecond rate of its link, 0 for the speed of memory
 * @param limits its reduced limits
 */
public record FaultScript(List<FaultRule> rules, long linkBytesPerSecond, DeviceLimits limits) {

  /** No faults and no limits. */
  public static final FaultScript NONE = new FaultScript(List.of(), 0, DeviceLimits.NONE);

  public FaultScript {
    rules = List.copyOf(rules);
  }
}
