// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.rmi.Remote;
import org.wridscope.telemetry.Role;

/** A machine on which an end can be started. */
@FunctionalInterface
interface KillEnds extends Remote {
  /**
   * Starts a QEMU and then the program.
   *
   * @param qemu a {@code qemu-system-x86_64}
   * @param uri where the destination listens, or will listen
   */
  KillEnd start(KillSetting setting, String qemu, Role role, String uri)
      throws IOException, InterruptedException;
}
