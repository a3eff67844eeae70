// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.OptionalInt;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioVariant;

/**
 * The virtio block and network device of a synthetic guest.
 *
 * @param load what their drivers do
 * @param variant how both devices differ from sound ones
 */
public record VirtioSettings(VirtioLoad load, VirtioVariant variant) {
  private static final long USUAL = 100;

  /** Enough for a fault to become visible in a migration of one second. */
  private static final long SHOWING = 1000;

  /** Devices with this rate of requests; sound ones are disturbed, others only by what they do. */
  public VirtioSettings(long requestsPerSecond, VirtioVariant variant) {
    this(load(requestsPerSecond, variant), variant);
  }

  /** The same, with a fault and the usual policy. */
  public VirtioSettings(long requestsPerSecond, VirtioFault fault) {
    this(requestsPerSecond, VirtioVariant.of(fault));
  }

  private static VirtioLoad load(long requestsPerSecond, VirtioVariant variant) {
    double rate = (double) requestsPerSecond;
    return variant.isSound() ? VirtioLoad.of(rate) : VirtioLoad.showing(variant.fault(), rate);
  }

  /** The usual rate: the default where the user gives none. */
  public static VirtioSettings usual(long dirtyRate, VirtioVariant variant) {
    if (!variant.isSound()) {
      return new VirtioSettings(SHOWING, variant);
    }
    return new VirtioSettings(dirtyRate > 0 ? USUAL : 0, variant);
  }

  /** The same, with a fault and the usual policy. */
  public static VirtioSettings usual(long dirtyRate, VirtioFault fault) {
    return usual(dirtyRate, VirtioVariant.of(fault));
  }

  /** Requests per second of both devices together, 0 for none. */
  public long requestsPerSecond() {
    return (long) load.requestsPerSecond();
  }

  /**
   * These devices with other disturbances.
   *
   * @param mapChangeEvery requests between two changes of the memory map, on average, 0 for none;
   *     empty for as many as now
   * @param resetEvery the same for resets of a device by its driver
   */
  VirtioSettings disturbed(OptionalInt mapChangeEvery, OptionalInt resetEvery) {
    return new VirtioSettings(
        new VirtioLoad(
            load.requestsPerSecond(),
            mapChangeEvery.orElse(load.mapChangeEvery()),
            resetEvery.orElse(load.resetEvery())),
        variant);
  }
}
