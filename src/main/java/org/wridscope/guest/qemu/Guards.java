// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import org.wridscope.guest.qemu.JournalEntry.Role;

/**
 * Starts guards: processes that put a QEMU right if this process ends before it can do so itself,
 * whatever ended it. A guard is started before the first change in the QEMU, and notes each stage
 * of the migration. It uses QMP only when this process is gone, because a QMP socket has one client
 * at a time.
 */
public interface Guards extends AutoCloseable {

  /**
   * Starts a process ahead of need, and does not wait for it, so that the next guard is ready
   * sooner.
   *
   * @param role for which it gets ready; it can guard the other end too
   */
  default void ready(Role role) {}

  /**
   * Checks that nothing is left in a QEMU by an earlier process of this program.
   *
   * @throws IOException if something is, or another process migrates its guest; one sentence that
   *     says what to do
   */
  default void check(GuardedQemu qemu) throws IOException {}

  /**
   * Starts a guard for a QEMU whose guest leaves, and waits until it is ready. If this process ends
   * from now on, the guard cancels the migration and restores the settings; whether the guest runs
   * stays as QEMU has it, until {@link SourceGuard#stopping} is noted.
   *
   * @throws IOException if there is no guard; nothing may be changed in the QEMU then
   */
  SourceGuard guardSource(GuardedQemu qemu, GuardedSettings before) throws IOException;

  /**
   * Starts a guard for a QEMU that waits for a guest, and waits until it is ready. If this process
   * ends from now on, the guard restores the settings, and the QEMU continues to wait.
   *
   * @throws IOException if there is no guard; nothing may be changed in the QEMU then
   */
  DestinationGuard guardDestination(GuardedQemu qemu, GuardedSettings before) throws IOException;

  /** Ends a process that was started ahead of need and not used. */
  @Override
  default void close() {}
}
