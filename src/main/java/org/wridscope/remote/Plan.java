// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.time.Duration;
import java.util.OptionalLong;
import org.wridscope.control.MigrationSettings;

/** What clients set before a migration begins. Thread-safe. */
final class Plan {
  private boolean pinAll;
  private boolean paused;
  private OptionalLong bandwidth = OptionalLong.empty();
  private OptionalLong downtimeMillis = OptionalLong.empty();

  synchronized void setPinAll(boolean wanted) {
    pinAll = wanted;
  }

  synchronized boolean pinAll() {
    return pinAll;
  }

  /** Whether the guest is paused when its migration begins. */
  synchronized void setPaused(boolean wanted) {
    paused = wanted;
  }

  /** Limits that are empty stay as they are. */
  synchronized void setLimits(OptionalLong newBandwidth, OptionalLong newDowntimeMillis) {
    bandwidth = newBandwidth.isPresent() ? newBandwidth : bandwidth;
    downtimeMillis = newDowntimeMillis.isPresent() ? newDowntimeMillis : downtimeMillis;
  }

  synchronized OptionalLong bandwidth() {
    return bandwidth;
  }

  synchronized OptionalLong downtimeMillis() {
    return downtimeMillis;
  }

  /** The settings of a command line or of a dialog, with what clients have changed. */
  synchronized MigrationSettings applyTo(MigrationSettings settings) {
    return new MigrationSettings(
        settings.guest(),
        (pinAll || settings.pinAll()) && !settings.unregister(),
        bandwidth.orElse(settings.bandwidthLimit()),
        downtimeMillis.isPresent()
            ? Duration.ofMillis(downtimeMillis.getAsLong())
            : settings.downtimeLimit(),
        settings.timeout(),
        settings.monitored(),
        settings.unregister(),
        settings.pauseBeforeSwitchover(),
        paused || settings.paused());
  }
}
