// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.function.LongSupplier;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.telemetry.Format;

/** Whether the ends of a migration that are here fit into this machine. */
final class FreeMemory {
  /** That of the machine, or of the control group. */
  static final FreeMemory HERE = new FreeMemory(AvailableMemory::bytes);

  private final LongSupplier bytes;

  /**
   * @param bytes gives how much is free now
   */
  FreeMemory(LongSupplier bytes) {
    this.bytes = bytes;
  }

  /**
   * Refuses a guest that does not fit twice, before the first half was made ready for nothing.
   *
   * @param option what the user calls the RAM, for the message
   */
  void require(String option, long ramBytes) throws InputException {
    long free = bytes.getAsLong();
    if (ramBytes > free / 2) {
      throw new InputException(
          "%s: %s are needed twice, for the source and for the destination, and only %s are free;"
                  .formatted(option, Format.exactBytes(ramBytes), Format.bytes(free))
              + " choose less.");
    }
  }

  /**
   * Refuses a guest that does not fit, before part of it was made ready for nothing.
   *
   * @param option what the user calls the RAM, for the message
   */
  void requireOnce(String option, long ramBytes) throws InputException {
    long free = bytes.getAsLong();
    if (ramBytes > free) {
      throw new InputException(
          "%s: %s are needed, and only %s are free; choose less."
              .formatted(option, Format.exactBytes(ramBytes), Format.bytes(free)));
    }
  }
}
