// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** Is called for each write of devices and drivers to RAM, so that a dirty log records it. */
public interface WriteObserver {

  /**
   * Called before a write.
   *
   * @param offset in the RAM block
   * @param length at least 1
   */
  void beforeWrite(long offset, long length);

  /** Called after the write. */
  void written(long offset, long length);
}
