// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * What the drivers of a guest do.
 *
 * @param requestsPerSecond that they submit, disk and network together, up to {@value #MAX_RATE}; 0
 *     for drivers that do nothing
 * @param mapChangeEvery requests between two changes of the memory map, on average; 0 for none
 * @param resetEvery requests between two resets of a device by its driver, on average; 0 for none
 */
public record VirtioLoad(double requestsPerSecond, int mapChangeEvery, int resetEvery) {
  private static final double MAX_RATE = 1e6;

  /** Devices that are there, and have nothing to do. */
  public static final VirtioLoad IDLE = new VirtioLoad(0, 0, 0);

  /** Enough to have requests in flight at any moment, and a tenth of a percent of a processor. */
  public static final VirtioLoad LIGHT = new VirtioLoad(100, 500, 2000);

  /**
   * Checks each value.
   *
   * @throws IllegalArgumentException naming the value that is wrong
   */
  public VirtioLoad {
    if (!(requestsPerSecond >= 0 && requestsPerSecond <= MAX_RATE)) {
      throw new IllegalArgumentException(
          "%s virtio requests a second: there must be from 0 to %.0f"
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
