// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;

/** Steers a migration by QEMU's own engine. Thread-safe; no method waits. */
public interface QemuSteering {
  /** Requests a cancel; does nothing while the guest is being handed over. */
  void cancel();

  /** Whether the guest is being handed over, after which a cancel would be too late. */
  boolean isSwitchingOver();

  /** Lets a migration switch over that waits for permission. */
  void permitSwitchover();

  /**
   * Limits the bandwidth.
   *
   * @param bytesPerSecond at least 1, or 0 for no limit
   */
  void setBandwidthLimit(long bytesPerSecond);

  /** Limits the downtime. */
  void setDowntimeLimit(Duration limit);
}
