// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.wridscope.text.Format;

/**
 * Logs connections that a listener has rejected: the first one at once, then at most one line per
 * minute with the number of connections since the last line. Thread-safe.
 */
public final class RejectionLog implements AutoCloseable {
  static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier clock;
  private final Consumer<String> log;
  private boolean logged;
  private long lastLine;
  private long unlogged;
  private String lastReason = "";

  /**
   * @param clock nanoseconds, as {@link System#nanoTime()}
   * @param log receives the lines
   */
  public RejectionLog(LongSupplier clock, Consumer<String> log) {
    this.clock = clock;
    this.log = log;
  }

  /** Notes a rejected connection. */
  public synchronized void add(String reason) {
    unlogged++;
    lastReason = reason;
    if (!logged || clock.getAsLong() - lastLine >= INTERVAL_NANOS) {
      write();
    }
  }

  private void write() {
    log.accept(
        unlogged == 1
            ? "rejected a connection: " + lastReason
            : "rejected %s connections, the last one: %s"
                .formatted(Format.count(unlogged), lastReason));
    logged = true;
    lastLine = clock.getAsLong();
    unlogged = 0;
  }

  /** Logs what was noted since the last line. */
  @Override
  public synchronized void close() {
    if (unlogged > 0) {
      write();
    }
  }
}
