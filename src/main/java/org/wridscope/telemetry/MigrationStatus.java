// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The status of a migration: those of QEMU's {@code MigrationStatus}, and {@link #UNDECIDED}. */
public enum MigrationStatus {
  NONE("none", false),
  SETUP("setup", false),
  ACTIVE("active", false),
  /**
   * The source could switch over, and waits for permission. QEMU pauses the guest for that time;
   * Wridscope's engine lets it run, and goes on sending what it dirties.
   */
  PRE_SWITCHOVER("pre-switchover", false),
  /** The guest is paused; its last pages and its device state are being sent. */
  DEVICE("device", false),
  CANCELLING("cancelling", false),
  /** It has failed and gives back what it holds; since QEMU 11. {@link #FAILED} follows. */
  FAILING("failing", false),
  COMPLETED("completed", true),
  FAILED("failed", true),
  CANCELLED("cancelled", true),
  /**
   * Not a status of QEMU: the connection broke during the switch-over, and the destination could
   * not be asked whether it took over the guest. The source keeps its guest, paused.
   */
  UNDECIDED("undecided", true);

  private final String qemuName;
  private final boolean end;

  MigrationStatus(String qemuName, boolean end) {
    this.qemuName = qemuName;
    this.end = end;
  }

  /** Its name in {@code query-migrate}. */
  public String qemuName() {
    return qemuName;
  }

  /** All that are final. */
  public static Set<MigrationStatus> ends() {
    return Stream.of(values())
        .filter(MigrationStatus::isEnd)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(MigrationStatus.class)));
  }

  /** Whether it is final. */
  public boolean isEnd() {
    return end;
  }
}
