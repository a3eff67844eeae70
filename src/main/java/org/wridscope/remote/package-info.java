// SPDX-License-Identifier: Apache-2.0
/**
 * Wridscope controlled by other programs: its sessions as the migrations of a QEMU, through the
 * QEMU Machine Protocol, with commands of its own for what a QEMU does not have.
 */
@NullMarked
package org.wridscope.remote;

import org.jspecify.annotations.NullMarked;
