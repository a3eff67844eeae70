// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.List;

/**
 * What one end's device does in a scenario.
 *
 * @param rules the first that meets a request decides about it
 * @param linkBytesPerSecond how fast its link is, 0 for as fast as memory
 * @param memoryRegions how many memory regions it can have, 0 for as many as the device
 */
public record FaultScript(List<FaultRule> rules, long linkBytesPerSecond, int memoryRegions) {

  /** Nothing goes wrong. */
  public static final FaultScript NONE = new FaultScript(List.of(), 0, 0);

  public FaultScript {
    rules = List.copyOf(rules);
  }
}
