// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import org.wridscope.units.Parse;

/**
 * The settings of a source.
 *
 * @param uri address of the destination, {@code rdma:HOST:PORT}
 * @param device the RDMA device to use
 * @param guest the guest to migrate
 * @param pinAll whether all RAM is registered at the beginning (QEMU's {@code rdma-pin-all})
 * @param bandwidthLimit bytes of RAM per second, 0 for no limit
 * @param downtimeLimit how long the guest may be paused at the switch-over
 * @param timeout after which the migration fails, zero for never
 * @param monitored whether events and history are kept
 * @param unregister whether registrations are released as soon as their memory was sent; excludes
 *     pinAll
 */
public record SourceSettings(
    String uri,
    DeviceChoice device,
    GuestSettings guest,
    boolean pinAll,
    long bandwidthLimit,
    Duration downtimeLimit,
    Duration timeout,
    boolean monitored,
    boolean unregister) {

  /** The shortest downtime limit that a scheduler can keep. */
  private static final Duration MIN_DOWNTIME = Duration.ofMillis(1);

  /** QEMU's {@code MAX_MIGRATE_DOWNTIME}. */
  private static final Duration MAX_DOWNTIME = Duration.ofSeconds(2000);

  /**
   * Parses a downtime limit.
   *
   * @return 1 ms to 2000 s
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static Duration parseDowntimeLimit(String field, String text) {
    Duration limit = Parse.duration(field, text);
    if (limit.compareTo(MIN_DOWNTIME) < 0 || limit.compareTo(MAX_DOWNTIME) > 0) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; write 1ms to 2000s.".formatted(field, text.strip()));
    }
    return limit;
  }

  /** A source that keeps its registrations until the end. */
  public SourceSettings(
      String uri,
      DeviceChoice device,
      GuestSettings guest,
      boolean pinAll,
      long bandwidthLimit,
      Duration downtimeLimit,
      Duration timeout,
      boolean monitored) {
    this(uri, device, guest, pinAll, bandwidthLimit, downtimeLimit, timeout, monitored, false);
  }
}
