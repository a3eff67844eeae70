// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * How the virtio devices of a guest differ from sound ones.
 *
 * @param fault of each device
 * @param policy the state of a queue that is carried over from a device to the next one
 */
public record VirtioVariant(VirtioFault fault, VirtioPolicy policy) {
  /** As it should be. */
  public static final VirtioVariant SOUND = of(VirtioFault.NONE);

  /** A fault, with the whole state carried over. */
  public static VirtioVariant of(VirtioFault fault) {
    return new VirtioVariant(fault, VirtioPolicy.WHOLE_STATE);
  }

  public boolean isSound() {
    return equals(SOUND);
  }
}
