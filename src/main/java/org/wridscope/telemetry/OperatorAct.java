// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * What the operator did to a guest or to its migration, as with QEMU's {@code stop}, {@code cont}
 * and {@code migrate-set-parameters}; the detail of an event of the kind {@link
 * EventKind#OPERATED}. Recordings contain the ordinals, so new ones are added at the end.
 */
public enum OperatorAct {
  /** The guest ran, and stands still now. */
  PAUSED("the operator paused the guest"),
  /** The guest stood still, and runs now. */
  CONTINUED("the operator let the guest run"),
  /** The guest is awaited, and is to stand still when it arrives. */
  TO_ARRIVE_PAUSED("the operator wants the guest to arrive paused"),
  /** The guest is awaited, and is to run when it arrives, if it ran at the source. */
  TO_ARRIVE_RUNNING("the operator wants the guest to run when it arrives"),
  /** The guest of an undecided source runs here again. */
  TOLD_POWERED_OFF(
      "the operator took the guest back, and says that the destination is powered off"),
  /** The guest of an undecided source runs here again. */
  TOLD_GUEST_ENDED(
      "the operator took the guest back, and says that it was ended at the destination"),
  /** The guest of an undecided source is ended here. */
  TOLD_GUEST_RUNS("the operator ended the guest here, and says that it runs at the destination"),
  /** The destination proved it; the guest of an undecided source runs here again. */
  LEARNED_NOT_STARTED("the operator asked again, and the destination had not started the guest"),
  /** The destination proved it. */
  LEARNED_RUNNING("the operator asked again, and the destination had started the guest"),
  /** The limit of the bandwidth was changed; the argument is bytes per second, 0 for no limit. */
  LIMITED_BANDWIDTH("the operator changed the bandwidth limit"),
  /** The limit of the downtime was changed; the argument is nanoseconds. */
  LIMITED_DOWNTIME("the operator changed the downtime limit");

  private static final OperatorAct[] VALUES = values();

  private final String text;

  OperatorAct(String text) {
    this.text = text;
  }

  /** A clause. */
  public String text() {
    return text;
  }

  /** The act with this ordinal; null if there is none. */
  public static @Nullable OperatorAct of(int ordinal) {
    return ordinal >= 0 && ordinal < VALUES.length ? VALUES[ordinal] : null;
  }
}
