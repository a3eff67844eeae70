// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.function.LongSupplier;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.text.Format;

/**
 * Watches that a guest with more RAM than there is room has not touched too much of it: asks again
 * and again how much room is left, before a kernel would have to kill a process or a disk were
 * full.
 */
final class ScarceRoom {
  /** Tells how much memory is available; tests replace it to simulate a small machine. */
  static volatile LongSupplier memory = AvailableMemory::bytesHere;

  /** Of more RAM the tables of chunks alone would take much of the memory. */
  private static final long MOST_TIMES = 256;

  /** Bytes that may be taken between two questions. */
  static final long STEP = 64L << 20;

  /** Bytes that stay available for all else that the machine does. */
  static final long SPARE = 256L << 20;

  private final LongSupplier available;
  private final String message;
  private long granted;

  /**
   * @param available tells how many bytes are available now
   * @param message with a %s for them, if they are too few
   */
  ScarceRoom(LongSupplier available, String message) {
    this.available = available;
    this.message = message;
  }

  /** Whether a guest with so much RAM may have touched little enough of it. */
  static boolean mayDo(long ramBytes, long available) {
    return ramBytes / MOST_TIMES <= available;
  }

  /**
   * To be called before memory is taken.
   *
   * @throws GuestException if there would be too little left
   */
  void take(long bytes) throws GuestException {
    granted -= bytes;
    if (granted >= 0) {
      return;
    }
    long now = available.getAsLong();
    if (now - bytes < SPARE) {
      throw new GuestException(message.formatted(Format.bytes(now)));
    }
    granted = Math.min(STEP, now - bytes - SPARE);
  }
}
