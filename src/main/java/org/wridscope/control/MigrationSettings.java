// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import org.wridscope.units.Parse;

/**
 * What a source sends, and how.
 *
 * @param guest the guest to migrate
 * @param pinAll whether all RAM is registered at the beginning (QEMU's {@code rdma-pin-all})
 * @param bandwidthLimit bytes of RAM per second, 0 for no limit
 * @param downtimeLimit how long the guest may be paused at the switch-over
 * @param timeout after which the migration fails, zero for never; the time for which it waits for
 *     permission to switch over does not count
 * @param monitored whether events and history are kept
 * @param unregister whether registrations are released as soon as their memory was sent; excludes
 *     pinAll
 * @param pauseBeforeSwitchover whether it waits for permission before it switches over, while the
 *     guest runs on (QEMU's {@code pause-before-switchover} pauses the guest)
 * @param paused whether its operator has paused the guest before the migration begins
 */
public record MigrationSettings(
    GuestSettings guest,
    boolean pinAll,
    long bandwidthLimit,
    Duration downtimeLimit,
    Duration timeout,
    boolean monitored,
    boolean unregister,
    boolean pauseBeforeSwitchover,
    boolean paused) {

  /** The shortest downtime limit that a scheduler can keep. */
  private static final Duration MIN_DOWNTIME = Duration.ofMillis(1);

  /** QEMU's {@code MAX_MIGRATE_DOWNTIME}. */
  private static final Duration MAX_DOWNTIME = Duration.ofSeconds(2000);

  /** Of a guest that runs. */
  public MigrationSettings(
      GuestSettings guest,
      boolean pinAll,
      long bandwidthLimit,
      Duration downtimeLimit,
      Duration timeout,
      boolean monitored,
      boolean unregister,
      boolean pauseBeforeSwitchover) {
    this(
        guest,
        pinAll,
        bandwidthLimit,
        downtimeLimit,
        timeout,
        monitored,
        unregister,
        pauseBeforeSwitchover,
        false);
  }

  /** Of a guest that runs; keeps registrations until the end, and needs no permission. */
  public MigrationSettings(
      GuestSettings guest,
      boolean pinAll,
      long bandwidthLimit,
      Duration downtimeLimit,
      Duration timeout,
      boolean monitored) {
    this(guest, pinAll, bandwidthLimit, downtimeLimit, timeout, monitored, false, false);
  }

  /** A copy of which neither events nor history are kept. */
  MigrationSettings unmonitored() {
    return new MigrationSettings(
        guest,
        pinAll,
        bandwidthLimit,
        downtimeLimit,
        timeout,
        false,
        unregister,
        pauseBeforeSwitchover,
        paused);
  }

  /** A copy with another guest. */
  MigrationSettings with(GuestSettings other) {
    return new MigrationSettings(
        other,
        pinAll,
        bandwidthLimit,
        downtimeLimit,
        timeout,
        monitored,
        unregister,
        pauseBeforeSwitchover,
        paused);
  }

  /**
   * Parses a downtime limit.
   *
   * @return 1 ms to 2000 s
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static Duration parseDowntimeLimit(String field, String text) {
    Duration limit = Parse.duration(field, text);
    if (!isDowntimeLimit(limit)) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; write 1ms to 2000s.".formatted(field, text.strip()));
    }
    return limit;
  }

  /** Whether a downtime limit is within {@link #MIN_DOWNTIME} and {@link #MAX_DOWNTIME}. */
  public static boolean isDowntimeLimit(Duration limit) {
    return limit.compareTo(MIN_DOWNTIME) >= 0 && limit.compareTo(MAX_DOWNTIME) <= 0;
  }
}
