// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.wridscope.metrics.MetricsAddress;
import org.wridscope.metrics.MetricsServer;
import picocli.CommandLine.Option;

/** The option that serves metrics. */
final class MetricsOption {
  static final String NAME = "--metrics";

  @Option(
      names = NAME,
      paramLabel = "[ADDRESS:]PORT",
      description =
          "Serve metrics for Prometheus at http://ADDRESS:PORT/metrics (docs/metrics.md). Without"
              + " an address, only this machine can read them; port 0 selects a free port. Nothing"
              + " is encrypted, and nobody is asked for a password")
  private @Nullable String address;

  boolean isGiven() {
    return address != null;
  }

  /** Starts to serve, and says where; null if that was not requested. */
  @Nullable MetricsServer start(Terminal terminal) throws InputException, IOException {
    String text = address;
    if (text == null) {
      return null;
    }
    InetSocketAddress parsed = InputException.checked(() -> MetricsAddress.parse(NAME, text));
    MetricsServer server;
    try {
      server = MetricsServer.start(NAME, parsed);
    } catch (IOException e) {
      throw InputException.of(e);
    }
    terminal.result("metrics at " + server.url());
    return server;
  }
}
