// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.wridscope.guest.virtio.VirtioFault;

/**
 * What the virtio block and network device of a synthetic guest do.
 *
 * @param requestsPerSecond of both together, 0 for none, at most {@value
 *     org.wridscope.guest.virtio.VirtioLoad#MAX_RATE}
 * @param fault a mistake that they make on purpose
 */
public record VirtioSettings(long requestsPerSecond, VirtioFault fault) {
  private static final long USUAL = 100;

  /** So many that a fault shows in a migration of a second. */
  private static final long SHOWING = 1000;

  /** What is taken when nobody says how many requests there are to be. */
  public static VirtioSettings usual(long dirtyRate, VirtioFault fault) {
    if (fault != VirtioFault.NONE) {
      return new VirtioSettings(SHOWING, fault);
    }
    return new VirtioSettings(dirtyRate > 0 ? USUAL : 0, fault);
  }
}
