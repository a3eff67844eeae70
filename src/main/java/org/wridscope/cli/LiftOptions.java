// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.jspecify.annotations.Nullable;
import org.wridscope.control.GuestSettings;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.qmp.QmpAddress;
import picocli.CommandLine.Option;

/** How the guest of a running QEMU is taken. */
final class LiftOptions {
  static final String QEMU = "--qemu";

  private static final String DIRTY_LOG = "--dirty-log";
  private static final String THROTTLE = "--throttle";

  @Option(
      names = DIRTY_LOG,
      paramLabel = "KIND",
      description =
          "With --qemu: how the pages are found that its guest writes: auto, userfaultfd,"
              + " soft-dirty or compare. Default: auto, the first one that works")
  private @Nullable String dirtyLog;

  @Option(
      names = THROTTLE,
      paramLabel = "PERCENT",
      description =
          "With --qemu: stop its guest for this share of the time while RAM is sent, such as 30%%,"
              + " so that it writes less. Default: off")
  private @Nullable String throttle;

  /**
   * The guest of a running QEMU.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  GuestSettings.Lift settings(QmpAddress qmp) {
    return new GuestSettings.Lift(qmp, dirtyLog(), throttle());
  }

  private DirtyLogChoice dirtyLog() {
    return dirtyLog == null ? DirtyLogChoice.AUTO : DirtyLogChoice.parse(DIRTY_LOG, dirtyLog);
  }

  private Throttle throttle() {
    return throttle == null ? Throttle.OFF : Throttle.parse(THROTTLE, throttle);
  }

  /**
   * Refuses these options where no QEMU is named.
   *
   * @param missing the option that is missing, as a user writes it
   */
  void refuseWithout(String missing) throws InputException {
    if (dirtyLog != null || throttle != null) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(dirtyLog == null ? THROTTLE : DIRTY_LOG, missing));
    }
  }
}
