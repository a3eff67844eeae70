// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * What the operator of a guest did to it, as with QEMU's {@code stop} and {@code cont}; the detail
 * of an event of the kind {@link EventKind#GUEST_OPERATED}. Recordings contain the ordinals, so new
 * ones are added at the end.
 */
public enum OperatorAct {
  /** The guest ran, and stands still now. */
  PAUSED("the operator paused the guest"),
  /** The guest stood still, and runs now. */
  CONTINUED("the operator let the guest run"),
  /** The guest is awaited, and is to stand still when it arrives. */
  TO_ARRIVE_PAUSED("the operator wants the guest to arrive paused"),
  /** The guest is awaited, and is to run when it arrives, if it ran at the source. */
  TO_ARRIVE_RUNNING("the operator wants the guest to run when it arrives");

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
