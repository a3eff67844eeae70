// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.metrics.MetricsFile;
import org.wridscope.metrics.MetricsServer;

/** Where the metrics of a migration go. */
final class MetricsOutput implements AutoCloseable {
  private final @Nullable MetricsServer server;
  private final Duration stay;
  private final @Nullable MetricsFile file;

  /**
   * @param server null if nothing is served
   * @param stay how long to wait at the end until the last values were read
   * @param file null if none is written
   */
  MetricsOutput(@Nullable MetricsServer server, Duration stay, @Nullable MetricsFile file) {
    this.server = server;
    this.stay = stay;
    this.file = file;
  }

  /** Serves these sessions from now on. */
  void show(Supplier<List<Session>> sessions) {
    if (server != null) {
      server.show(sessions);
    }
  }

  /** Writes the file, if one was requested. */
  void write(List<Session> sessions, Terminal terminal) {
    if (file == null) {
      return;
    }
    try {
      file.write(sessions);
      String displaced = file.displaced();
      if (displaced != null) {
        terminal.message(displaced);
      }
    } catch (IOException e) {
      terminal.problem(String.valueOf(e.getMessage()));
    }
  }

  /** Waits until the last values were read, if that was requested. */
  void stay(BooleanSupplier interrupted) throws InterruptedException {
    if (server != null && stay.isPositive()) {
      server.awaitRead(stay, interrupted);
    }
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
