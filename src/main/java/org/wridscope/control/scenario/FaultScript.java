// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.List;

/**
 * What one end's device does in a scenario.
 *
 * @param rules the first that meets a request decides about it
 * @param linkBytesPerSecond how fast its link is, 0 for as fast as memory
 * @param limits what it has less of
 */
public record FaultScript(List<FaultRule> rules, long linkBytesPerSecond, DeviceLimits limits) {

  /** Nothing goes wrong. */
  public static final FaultScript NONE = new FaultScript(List.of(), 0, DeviceLimits.NONE);

  public FaultScript {
    rules = List.copyOf(rules);
  }
}
