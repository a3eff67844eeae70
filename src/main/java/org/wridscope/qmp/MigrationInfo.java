// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.time.Duration;
import java.util.Optional;

/**
 * A QEMU's migration: the answer to {@code query-migrate}. What a QEMU does not tell is empty.
 *
 * @param status QEMU's MigrationStatus, for example {@code active}, {@code completed} or {@code
 *     failed}; {@code none} if there was no migration
 * @param totalTime since the start; after the end, until then
 * @param downtime measured, after the end
 * @param expectedDowntime while it runs
 * @param errorDesc why it failed
 */
public record MigrationInfo(
    String status,
    Optional<Duration> totalTime,
    Optional<Duration> downtime,
    Optional<Duration> expectedDowntime,
    Optional<Duration> setupTime,
    Optional<Ram> ram,
    Optional<String> errorDesc) {

  /**
   * Progress of RAM: QEMU's MigrationStats. Numbers that an older QEMU does not tell are 0.
   *
   * @param transferred bytes sent
   * @param remaining bytes of pages that are dirty
   * @param total bytes of the guest's RAM
   * @param mbps throughput in 10^6 bits per second
   * @param dirtyPagesRate pages that the guest made dirty per second
   * @param dirtySyncCount number of rounds
   * @param pageSize in bytes
   * @param duplicate number of pages that were sent as one byte value
   * @param normal number of pages that were sent whole
   */
  public record Ram(
      long transferred,
      long remaining,
      long total,
      double mbps,
      long dirtyPagesRate,
      long dirtySyncCount,
      long pageSize,
      long duplicate,
      long normal) {}

  /**
   * Whether it runs, is about to, or waits at the switch-over; or whether a destination listens.
   */
  public boolean isInProgress() {
    return isInProgress(status);
  }

  private static boolean isInProgress(String status) {
    return !status.equals("none") && !isOver(status);
  }

  /**
   * Whether it runs, is about to, or waits at the switch-over.
   *
   * @param state what the QEMU says in {@code query-status}: while a destination listens, a QEMU
   *     10.0 or 11.1 has the status {@code setup}, and 7.2 none
   */
  public boolean isInProgress(RunState state) {
    return isInProgress(status, state);
  }

  /** The same for a status alone. */
  public static boolean isInProgress(String status, RunState state) {
    boolean listens = state.status().equals("inmigrate") && status.equals("setup");
    return isInProgress(status) && !listens;
  }

  /** Whether it has ended. */
  public boolean isOver() {
    return isOver(status);
  }

  private static boolean isOver(String status) {
    return switch (status) {
      case "completed", "failed", "cancelled" -> true;
      default -> false;
    };
  }
}
