// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.time.Duration;
import org.wridscope.control.Defaults;
import org.wridscope.control.Parse;
import picocli.CommandLine.Option;

/**
 * The options about how a source migrates. The methods refuse what cannot be read with a sentence.
 */
final class MigrationOptions {
  @Option(
      names = "--pin-all",
      description = "Register all RAM at the beginning, not a chunk at a time (rdma-pin-all)")
  private boolean pinAll;

  @Option(
      names = "--unregister",
      description = "Give registrations back as soon as what they are for was sent: pins less RAM")
  private boolean unregister;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      description = "Limit of the throughput, 0 for none. Default: ${DEFAULT-VALUE}")
  private String bandwidth;

  @Option(
      names = "--downtime-limit",
      paramLabel = "TIME",
      description = "How long the guest may stand still. Default: ${DEFAULT-VALUE}")
  private String downtimeLimit;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Give up after this time, 0 for never. Default: ${DEFAULT-VALUE}")
  private String timeout;

  MigrationOptions(Defaults defaults) {
    bandwidth = defaults.bandwidth();
    downtimeLimit = defaults.downtimeLimit();
    timeout = defaults.timeout();
  }

  boolean pinAll() {
    return pinAll;
  }

  boolean unregister() throws InputException {
    if (unregister && pinAll) {
      throw new InputException(
          "--unregister: leave it out with --pin-all, which keeps all RAM registered to the end.");
    }
    return unregister;
  }

  /** Bytes a second, 0 for none. */
  long bandwidth() {
    return Parse.rate("--bandwidth", bandwidth);
  }

  Duration downtimeLimit() {
    return Parse.downtimeLimit("--downtime-limit", downtimeLimit);
  }

  /** Zero for never. */
  Duration timeout() {
    return Parse.duration("--timeout", timeout);
  }
}
