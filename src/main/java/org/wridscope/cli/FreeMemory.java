// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.function.LongSupplier;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.text.Format;

/** Checks that the guests of a migration fit into the free memory. */
final class FreeMemory {
  /** The free memory of the machine, or of the control group. */
  static final FreeMemory HERE = new FreeMemory(AvailableMemory::bytesHere);

  private final LongSupplier bytes;

  /**
   * @param bytes supplies the number of free bytes
   */
  FreeMemory(LongSupplier bytes) {
    this.bytes = bytes;
  }

  /**
   * Refuses a guest that does not fit twice, before memory is allocated.
   *
   * @param option name of the option, for the message
   */
  void require(String option, long ramBytes) throws InputException {
    long free = bytes.getAsLong();
    if (ramBytes > free / 2) {
      throw new InputException(
          "%s: %s is needed twice, for the source and the destination, but only %s is free; choose"
                  .formatted(option, Format.exactBytes(ramBytes), Format.bytes(free))
              + " less.");
    }
  }

  /**
   * Refuses a guest that does not fit, before memory is allocated.
   *
   * @param option name of the option, for the message
   */
  void requireOnce(String option, long ramBytes) throws InputException {
    long free = bytes.getAsLong();
    if (ramBytes > free) {
      throw new InputException(
          "%s: %s is needed, but only %s is free; choose less."
              .formatted(option, Format.exactBytes(ramBytes), Format.bytes(free)));
    }
  }
}
