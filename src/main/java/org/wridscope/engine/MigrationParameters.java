// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;

/** What a user sets about a migration; the limits may change while it runs, from any thread. */
public final class MigrationParameters {
  private final boolean pinAll;
  private final boolean extensions;
  private final boolean unregister;
  private final boolean sharedQueue;
  private final boolean refusePinAll;
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
    this(pinAll, extensions, false, false, timeout, bandwidthLimit, downtimeLimit);
  }

  /** Parameters of a source, or of a destination that grants pin-all. */
  public MigrationParameters(
      boolean pinAll,
      boolean extensions,
      boolean unregister,
      boolean sharedQueue,
      Duration timeout,
      long bandwidthLimit,
      Duration downtimeLimit) {
    this(
        pinAll, extensions, unregister, sharedQueue, false, timeout, bandwidthLimit, downtimeLimit);
  }

  /**
   * @param pinAll whether to ask for all RAM to be registered at the beginning
   * @param extensions whether to offer what two Wridscopes add to the protocol
   * @param unregister whether registrations are given back as soon as what they are for was sent;
   *     not possible with pinAll
   * @param sharedQueue whether the send queue and the receive queue complete in one queue, with the
   *     waits that QEMU had before its commit b390afd8c50b: both ends have to, and a migration may
   *     hang
   * @param refusePinAll whether a destination does not register all RAM at the beginning when a
   *     source asks for it
   * @param timeout after which the migration is given up, zero for never
   * @param bandwidthLimit bytes of RAM a second, 0 for no limit
   * @param downtimeLimit how long the guest may stand still, more than zero
   */
  public MigrationParameters(
      boolean pinAll,
      boolean extensions,
      boolean unregister,
      boolean sharedQueue,
      boolean refusePinAll,
      Duration timeout,
      long bandwidthLimit,
      Duration downtimeLimit) {
    if (pinAll && unregister) {
      throw new IllegalArgumentException("what is pinned as a whole cannot be given back in parts");
    }
    this.pinAll = pinAll;
    this.extensions = extensions;
    this.unregister = unregister;
    this.sharedQueue = sharedQueue;
    this.refusePinAll = refusePinAll;
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

  public boolean unregister() {
    return unregister;
  }

  public boolean sharedQueue() {
    return sharedQueue;
  }

  /** Of a destination. */
  public boolean refusePinAll() {
    return refusePinAll;
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
