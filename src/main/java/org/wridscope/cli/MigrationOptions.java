// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.units.Parse;
import picocli.CommandLine.Option;

/**
 * The options of a source's migration. Reading them throws {@link IllegalArgumentException} with
 * one sentence for the user.
 */
final class MigrationOptions {
  static final String PAUSE = "--pause-before-switchover";

  @Option(
      names = "--pin-all",
      description = "Register all RAM at the beginning instead of chunk by chunk (rdma-pin-all)")
  private boolean pinAll;

  @Option(
      names = "--unregister",
      description = "Release each registration as soon as its memory was sent, to pin less RAM")
  private boolean unregister;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      description = "Limit of the throughput, 0 for none. Default: ${DEFAULT-VALUE}")
  private String bandwidth;

  @Option(
      names = "--downtime-limit",
      paramLabel = "TIME",
      description = "Longest time for which the guest may be paused. Default: ${DEFAULT-VALUE}")
  private String downtimeLimit;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Give up after this time, 0 for never. Default: ${DEFAULT-VALUE}")
  private String timeout;

  @Option(
      names = PAUSE,
      description =
          "When the guest could be handed over, wait until Enter is pressed (a line on standard"
              + " input). Unlike with QEMU's option of this name, the guest keeps running"
              + " meanwhile, and --timeout does not count the wait")
  private boolean pauseBeforeSwitchover;

  MigrationOptions(Defaults defaults) {
    bandwidth = defaults.bandwidth();
    downtimeLimit = defaults.downtimeLimit();
    timeout = defaults.timeout();
  }

  /** The settings of a monitored migration of this guest. */
  MigrationSettings settings(GuestSettings guest) throws InputException {
    if (unregister && pinAll) {
      throw new InputException(
          "--unregister: leave it out with --pin-all, which keeps all RAM registered until the"
              + " end.");
    }
    return new MigrationSettings(
        guest,
        pinAll,
        Parse.rate("--bandwidth", bandwidth),
        MigrationSettings.parseDowntimeLimit("--downtime-limit", downtimeLimit),
        Parse.duration("--timeout", timeout),
        true,
        unregister,
        pauseBeforeSwitchover);
  }
}
