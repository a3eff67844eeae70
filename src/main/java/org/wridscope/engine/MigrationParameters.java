// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;

/** Parameters of a migration; the limits may be changed while it runs, from any thread. */
public final class MigrationParameters {
  private final boolean pinAll;
  private final boolean extensions;
  private final boolean unregister;
  private final boolean sharedQueue;
  private final boolean releaseOnReply;
  private final boolean refusePinAll;
  private final boolean pauseBeforeSwitchover;
  private final Duration timeout;
  private volatile long bandwidthLimit;
  private volatile long downtimeLimitNanos;

  /**
   * @param pinAll whether to request that all RAM is registered at the beginning
   * @param extensions whether to offer the extensions between two Wridscopes
   * @param timeout after which the migration fails, zero for none
   * @param bandwidthLimit bytes of RAM per second, 0 for no limit
   * @param downtimeLimit how long the guest may be paused, more than zero
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
        pinAll,
        extensions,
        unregister,
        sharedQueue,
        false,
        false,
        false,
        timeout,
        bandwidthLimit,
        downtimeLimit);
  }

  /**
   * @param pinAll whether to request that all RAM is registered at the beginning
   * @param extensions whether to offer the extensions between two Wridscopes
   * @param unregister whether RAM is deregistered as soon as it has been sent; not possible with
   *     pinAll
   * @param sharedQueue whether sends and receives complete in one queue, with the waits of QEMU
   *     before its commit b390afd8c50b: both ends must have the same value, and a migration may
   *     hang
   * @param releaseOnReply whether buffers and registrations are released when the peer has answered
   *     instead of when their requests have completed, which is a mistake
   * @param refusePinAll whether a destination does not grant pin-all to a source that requests it
   * @param pauseBeforeSwitchover whether a source waits for permission before it switches over,
   *     while its guest runs on and its RAM is sent again
   * @param timeout after which the migration fails, zero for none; the time for which a source
   *     waits for permission does not count
   * @param bandwidthLimit bytes of RAM per second, 0 for no limit
   * @param downtimeLimit how long the guest may be paused, more than zero
   */
  public MigrationParameters(
      boolean pinAll,
      boolean extensions,
      boolean unregister,
      boolean sharedQueue,
      boolean releaseOnReply,
      boolean refusePinAll,
      boolean pauseBeforeSwitchover,
      Duration timeout,
      long bandwidthLimit,
      Duration downtimeLimit) {
    if (pinAll && unregister) {
      throw new IllegalArgumentException(
          "RAM that is registered as a whole cannot be deregistered in parts");
    }
    this.pinAll = pinAll;
    this.extensions = extensions;
    this.unregister = unregister;
    this.sharedQueue = sharedQueue;
    this.releaseOnReply = releaseOnReply;
    this.refusePinAll = refusePinAll;
    this.pauseBeforeSwitchover = pauseBeforeSwitchover;
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

  /** Whether a reply of the peer releases what its completion should. */
  public boolean releaseOnReply() {
    return releaseOnReply;
  }

  /** Destination only: whether pin-all is not granted. */
  public boolean refusePinAll() {
    return refusePinAll;
  }

  /** Source only: whether it waits for permission before it switches over. */
  public boolean pauseBeforeSwitchover() {
    return pauseBeforeSwitchover;
  }

  public Duration timeout() {
    return timeout;
  }

  /** Bytes of RAM per second, 0 for no limit. */
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
