// SPDX-License-Identifier: Apache-2.0
/**
 * Guests of real QEMUs, controlled through QMP: their RAM is shared with this process, and their
 * device states pass through a socket.
 */
@NullMarked
package org.wridscope.guest.qemu;

import org.jspecify.annotations.NullMarked;
