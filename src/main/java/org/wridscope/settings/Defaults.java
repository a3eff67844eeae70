// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

import java.time.Duration;

/** What is used where nothing is given. */
public final class Defaults {
  /** A source or a destination; without a time limit, as in QEMU. */
  public static final Settings SESSION = Settings.USUAL;

  /** A lab at full speed. */
  public static final Settings LAB = SESSION.with(MigrationSetting.TIMEOUT, Duration.ofSeconds(60));

  /** A lab in the window, slow enough to watch: both ends share this machine's memory bus. */
  public static final Settings WATCHED_LAB =
      SESSION
          .with(GuestSetting.RAM, 1L << 30)
          .with(GuestSetting.DIRTY_RATE, 50L << 20)
          .with(MigrationSetting.BANDWIDTH, 128L << 20);

  private Defaults() {}
}
