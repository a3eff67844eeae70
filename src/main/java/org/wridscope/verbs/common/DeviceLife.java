// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * Whether a device is open and works, and how many objects made from it are alive. Thread-safe; its
 * lock is taken last.
 */
public final class DeviceLife {
  private final String name;
  private int objects;
  private boolean failed;
  private boolean closed;

  /** Why it failed, in parentheses and after a space; empty when there is nothing to say. */
  private String cause = "";

  /**
   * @param name of the device, for messages
   */
  public DeviceLife(String name) {
    this.name = name;
  }

  /**
   * The device failed for good.
   *
   * @param defect the cause, or an empty string
   * @return false when it had failed or was closed before
   */
  public synchronized boolean fail(String defect) {
    if (failed || closed) {
      return false;
    }
    failed = true;
    cause = defect.isEmpty() ? "" : " (" + defect + ")";
    return true;
  }

  /**
   * Checks that the device can be used.
   *
   * @throws VerbsException with {@link Errno#ENODEV} when it was closed, {@link Errno#EIO} when it
   *     failed
   */
  public synchronized void checkAlive() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the device %s was closed".formatted(name));
    }
    if (failed) {
      throw new VerbsException(
          Errno.EIO,
          "the device %s failed%s; open it again, or another one".formatted(name, cause));
    }
  }

  /**
   * Counts an object that is about to be made; the device must be {@linkplain #checkAlive alive}.
   */
  public synchronized void add() throws VerbsException {
    checkAlive();
    objects++;
  }

  /** An object is gone. */
  public synchronized void remove() {
    objects--;
  }

  /**
   * Closes the device.
   *
   * @return false when it was closed before
   * @throws VerbsException with {@link Errno#EBUSY} while it has objects
   */
  public synchronized boolean close() throws VerbsException {
    if (closed) {
      return false;
    }
    if (objects > 0) {
      throw new VerbsException(
          Errno.EBUSY,
          "the device %s still has %d objects; close them first".formatted(name, objects));
    }
    closed = true;
    return true;
  }
}
