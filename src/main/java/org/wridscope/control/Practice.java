// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Migrates a small guest within this process, and throws it away. A virtual machine takes several
 * times as long for code that it has not run yet, and without practice it would run much of the
 * switch-over's code for the first time while the guest that matters stands still.
 */
final class Practice {
  private static final Logger LOG = LoggerFactory.getLogger(Practice.class);
  private static final long RAM = 1 << 20;
  private static final long DIRTY_RATE = 1 << 20;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** A property: false for processes of tests, in which no downtime is measured. */
  private static final String PROPERTY = "wridscope.practice";

  private static final AtomicBoolean BEGUN =
      new AtomicBoolean(System.getProperty(PROPERTY, "").equals("false"));

  private Practice() {}

  /** Practises in the background; only once in a process. */
  static void begin() {
    if (BEGUN.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("practice").start(Practice::run);
    }
  }

  private static void run() {
    try {
      LOG.debug("practice: {}", migrate());
    } catch (IOException e) {
      LOG.debug("practice: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how the source ended. */
  static MigrationStatus migrate() throws IOException, InterruptedException {
    var guest =
        new GuestSettings.Synthetic(
            RAM, DIRTY_RATE, 0, 0, 1, new VirtioSettings(0, VirtioVariant.SOUND));
    try (var sessions = new LocalSessions()) {
      Lab lab =
          sessions.startLab(
              new LabSettings(
                  new MigrationSettings(guest)
                      .with(MigrationSetting.DOWNTIME_LIMIT, LIMIT)
                      .with(MigrationSetting.TIMEOUT, LIMIT)
                      .with(MigrationSetting.MONITORED, false)));
      boolean _ = lab.source().await(LIMIT);
      boolean _ = lab.destination().await(LIMIT);
      return lab.source().status();
    }
  }
}
