// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

/**
 * A disk of a guest with a medium.
 *
 * @param device name of the drive, or of the device that it is part of
 * @param file what it is stored in, as QEMU names it
 * @param direct whether QEMU reads and writes it with O_DIRECT ({@code cache.direct}), so that a
 *     host's device may write into the guest's memory
 */
public record BlockDevice(String device, String file, boolean readOnly, boolean direct) {}
