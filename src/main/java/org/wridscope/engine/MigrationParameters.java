// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

/** Parameters of a migration; the limits may be changed while it runs, from any thread. */
public final class MigrationParameters {
  private final Settings settings;
  private final boolean extensions;
  private volatile long bandwidthLimit;
  private volatile long downtimeLimitNanos;

  private MigrationParameters(Settings settings, boolean extensions) {
    if (settings.get(MigrationSetting.PIN_ALL) && settings.get(MigrationSetting.UNREGISTER)) {
      throw new IllegalArgumentException(
          "RAM that is registered as a whole cannot be deregistered in parts");
    }
    this.settings = settings;
    this.extensions = extensions;
    setBandwidthLimit(settings.get(MigrationSetting.BANDWIDTH));
    setDowntimeLimit(settings.get(MigrationSetting.DOWNTIME_LIMIT));
  }

  /** With these settings, and the extensions between two Wridscopes. */
  public MigrationParameters(Settings settings) {
    this(settings, true);
  }

  /** A copy that offers the extensions between two Wridscopes or does not. */
  public MigrationParameters extending(boolean offered) {
    return new MigrationParameters(settings, offered);
  }

  /** A setting, with its value at the beginning. */
  public <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  /** Whether to offer the extensions between two Wridscopes. */
  public boolean extensions() {
    return extensions;
  }

  /** Whether sends and receives complete in one queue; the peer must have the same. */
  public boolean sharedQueue() {
    return get(MigrationSetting.COMPLETION_QUEUES) == CompletionQueues.SHARED;
  }

  /** Whether a reply of the peer releases what its completion should. */
  public boolean releaseOnReply() {
    return get(MigrationSetting.RELEASE) == ReleaseTime.ON_REPLY;
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
