// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;

/** What a user sets about a migration; the limits may change while it runs, from any thread. */
public final class MigrationParameters {
  private final boolean pinAll;
  private final boolean extensions;
  private final Duration timeout;
  private volatile long bandwidthLimit;
  private volatile long downtimeLimitNanos;

  /**
   * @param pinAll whether to ask for all RAM to be registered at the beginning
   * @param extensions whether to offer what two Wridscopes add to the protocol
   * @param timeout after which the migration is given up, zero for never
   * @param bandwidthLimit bytes of RAM a second, 0 for no limit
   * @param downtimeLimit how long the guest may stand still, more than zero
   */
  public MigrationParameters(
      boolean pinAll,
      boolean extensions,
      Duration timeout,
      long bandwidthLimit,
      Duration downtimeLimit) {
    this.pinAll = pinAll;
    this.extensions = extensions;
    this.timeout = timeout;
    setBandwidthLimit(bandwidthLimit);
    setDowntimeLimit(downtimeLimit);
  }

  public boolean pinAll() {
    return pinAll;
  }

  public boolean extensions() {
    return extensions;
  }

  public Duration timeout() {
    return timeout;
  }

  /** Bytes of RAM a second, 0 for no limit. */
  public long bandwidthLimit() {
    return bandwidthLimit;
  }

  public void setBandwidthLimit(long bytesPerSecond) {
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException("bandwidth limit " + bytesPerSecond + " is negative");
    }
    bandwidthLimit = bytesPerSecond;
  }

  public long downtimeLimitNanos() {
    return downtimeLimitNanos;
  }

  public void setDowntimeLimit(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("downtime limit " + limit + " is not positive");
    }
    downtimeLimitNanos = limit.toNanos();
  }
}
