// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.Arrays;

/**
 * A phase of a migration, to be marked on a time axis.
 *
 * @param name for example {@code connect}, {@code set-up}, {@code round 3}, {@code switch-over}
 * @param nanos {@link System#nanoTime()} of its start; it lasts until the next phase starts
 */
public record Phase(String name, long nanos) {

  /** Whether it marks the end of a session, and has the name of its last status. */
  public boolean isEnd() {
    return Arrays.stream(MigrationStatus.values())
        .anyMatch(status -> status.isEnd() && status.qemuName().equals(name));
  }
}
