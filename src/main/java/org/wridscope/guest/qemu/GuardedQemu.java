// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.qmp.QmpAddress;

/**
 * A QEMU process of this machine and how it is reached.
 *
 * @param process its process
 * @param qmp where it accepts QMP
 * @param uuid of its machine, as {@code query-uuid} answers; empty if it was not asked
 * @param name of its guest, as given by {@code -name}; empty if it has none
 */
public record GuardedQemu(ProcessIdentity process, QmpAddress qmp, String uuid, String name) {

  /**
   * A process that runs now.
   *
   * @throws IOException if there is no such process
   */
  public static GuardedQemu of(long pid, QmpAddress qmp) throws IOException {
    return new GuardedQemu(ProcessIdentity.of(pid), qmp, "", "");
  }

  /** The same with what it tells of itself. */
  public GuardedQemu called(String uuid, String name) {
    return new GuardedQemu(process, qmp, uuid, name);
  }

  public long pid() {
    return process.pid();
  }

  /** See {@link ProcessIdentity#start}. */
  public long start() {
    return process.start();
  }

  /** Whether the process still runs; false if another one has its id. */
  public boolean isAlive() throws IOException {
    return process.isAlive();
  }
}
