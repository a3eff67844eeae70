// SPDX-License-Identifier: Apache-2.0
/** Starts real QEMUs as separate processes and controls them through QMP. */
@NullMarked
package org.wridscope.control.qemu;

import org.jspecify.annotations.NullMarked;
