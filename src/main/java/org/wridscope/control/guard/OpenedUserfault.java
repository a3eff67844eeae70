// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.util.OptionalInt;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.process.UserfaultInjection;

/** A userfaultfd that this process opens in a QEMU, and closes there when its owner has its own. */
final class OpenedUserfault {
  private final GuardedQemu qemu;
  private OptionalInt descriptor = OptionalInt.empty();

  OpenedUserfault(GuardedQemu qemu) {
    this.qemu = qemu;
  }

  /**
   * Opens one.
   *
   * @return its number in the QEMU
   */
  int open() throws IOException {
    if (descriptor.isPresent()) {
      throw new IOException("a userfaultfd is open there already");
    }
    if (!qemu.isAlive()) {
      throw new IOException("the QEMU %d has ended".formatted(qemu.pid()));
    }
    int opened = UserfaultInjection.open(qemu.pid());
    descriptor = OptionalInt.of(opened);
    return opened;
  }

  /** Closes it in the QEMU. Does nothing if there is none, or the QEMU has ended. */
  void close() throws IOException {
    if (descriptor.isPresent()) {
      int opened = descriptor.getAsInt();
      if (qemu.isAlive()) {
        UserfaultInjection.close(qemu.pid(), opened);
      }
      descriptor = OptionalInt.empty();
    }
  }
}
