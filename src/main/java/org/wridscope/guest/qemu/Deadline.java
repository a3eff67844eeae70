// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.time.Duration;
import org.wridscope.guest.GuestException;

/** The end of a wait for QEMU. */
final class Deadline {
  /** Time between two looks. */
  private static final Duration PAUSE = Duration.ofMillis(2);

  private final Duration limit;
  private final long start = System.nanoTime();

  Deadline(Duration limit) {
    this.limit = limit;
  }

  boolean isOver() {
    return System.nanoTime() - start > limit.toNanos();
  }

  /**
   * Checks that there is time left.
   *
   * @param what has not happened, the beginning of a sentence
   * @throws GuestException with that sentence if there is none
   */
  void check(String what) throws GuestException {
    if (isOver()) {
      throw new GuestException(
          "%s within %d s; see whether it still answers (query-status) and what it has printed."
              .formatted(what, limit.toSeconds()));
    }
  }

  /** Waits for some milliseconds, after {@link #check}. */
  void pause(String what) throws GuestException {
    check(what);
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** For a thread that was interrupted, which it stays. */
  static GuestException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new GuestException("The session's thread was interrupted", e);
  }
}
