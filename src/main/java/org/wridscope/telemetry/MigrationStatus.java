// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** The state of a migration; names of QEMU's {@code MigrationStatus}, and one of our own. */
public enum MigrationStatus {
  NONE("none", false),
  SETUP("setup", false),
  ACTIVE("active", false),
  /** The guest stands still, its last pages and its device state are on their way. */
  DEVICE("device", false),
  CANCELLING("cancelling", false),
  COMPLETED("completed", true),
  FAILED("failed", true),
  CANCELLED("cancelled", true),
  /**
   * Not QEMU's: the connection broke at the very moment of the switch-over and the destination
   * could not be asked whether it took the guest. The source's guest is kept, standing still.
   */
  UNDECIDED("undecided", true);

  private final String qemuName;
  private final boolean end;

  MigrationStatus(String qemuName, boolean end) {
    this.qemuName = qemuName;
    this.end = end;
  }

  /** As {@code query-migrate} spells it. */
  public String qemuName() {
    return qemuName;
  }

  /** Whether nothing comes after it. */
  public boolean isEnd() {
    return end;
  }
}
