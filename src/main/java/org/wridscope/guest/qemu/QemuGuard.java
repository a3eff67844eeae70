// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A guard of a QEMU; see {@link Guards}. Each note returns when the guard has taken it, and throws
 * if the guard is gone or does not answer: the step that was to follow must not be done then.
 * Thread-safe.
 */
public interface QemuGuard extends AutoCloseable {

  /**
   * Notes that this process is about to create a directory with a socket in it. If it ends after
   * that, the guard deletes both.
   *
   * @param socket with a name that nobody else uses, at any time
   */
  void creating(Path socket) throws IOException;

  /**
   * Has the guard do now what it would do if this process ended, because this process could not put
   * the QEMU right. It must not be connected to it any more. Returns at once; {@link #close} then
   * does nothing.
   */
  void takeOver();

  /**
   * Ends the guard, because this process has done everything itself. The guard changes nothing.
   * Waits for its end, up to a limit after which it is killed. Idempotent.
   */
  @Override
  void close();
}
