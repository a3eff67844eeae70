// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/** Hears of each write of devices and drivers to RAM, so that none of them escapes a dirty log. */
public interface WriteObserver {

  /**
   * Something is about to be written.
   *
   * @param offset in the RAM block
   * @param length at least 1
   */
  void beforeWrite(long offset, long length);

  /** It was written. */
  void written(long offset, long length);
}
