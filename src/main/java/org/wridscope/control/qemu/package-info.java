// SPDX-License-Identifier: Apache-2.0
/** A real QEMU as the peer: started as a process of its own and steered through QMP. */
@NullMarked
package org.wridscope.control.qemu;

import org.jspecify.annotations.NullMarked;
