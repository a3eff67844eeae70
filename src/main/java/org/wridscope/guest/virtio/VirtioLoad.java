// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * The load that the drivers of a guest generate.
 *
 * @param requestsPerSecond of disk and network together, up to {@value #MAX_RATE}; 0 for idle
 *     drivers
 * @param mapChangeEvery requests between two changes of the memory map, on average; 0 for none
 * @param resetEvery requests between two resets of a device by its driver, on average; 0 for none
 */
public record VirtioLoad(double requestsPerSecond, int mapChangeEvery, int resetEvery) {
  public static final long MAX_RATE = 1_000_000;

  /** No requests. */
  public static final VirtioLoad IDLE = new VirtioLoad(0, 0, 0);

  /** Requests are in flight at any moment, for 0.1 percent of a processor. */
  public static final VirtioLoad LIGHT = of(100);

  /** A typical load, with occasional changes of the memory map and resets by drivers. */
  public static VirtioLoad of(double requestsPerSecond) {
    return new VirtioLoad(requestsPerSecond, 500, 2000);
  }

  /**
   * A load that shows a fault or a policy: the devices are stopped only by a migration, and reset
   * only if the fault concerns resets.
   */
  public static VirtioLoad showing(VirtioFault fault, double requestsPerSecond) {
    return new VirtioLoad(requestsPerSecond, 0, fault == VirtioFault.INDEX_KEPT_AT_RESET ? 50 : 0);
  }

  /**
   * Checks each value.
   *
   * @throws IllegalArgumentException naming the value that is wrong
   */
  public VirtioLoad {
    if (!(requestsPerSecond >= 0 && requestsPerSecond <= MAX_RATE)) {
      throw new IllegalArgumentException(
          "%s virtio requests a second: there must be from 0 to %d"
              .formatted(requestsPerSecond, MAX_RATE));
    }
    checkEvery("changes of the memory map", mapChangeEvery);
    checkEvery("resets", resetEvery);
  }

  private static void checkEvery(String what, int every) {
    if (every < 0) {
      throw new IllegalArgumentException(
          "%d requests between %s: it must be 0 or more".formatted(every, what));
    }
  }
}
