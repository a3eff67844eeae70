// SPDX-License-Identifier: Apache-2.0
/** The QEMUs that the user has connected: what they are, and what can be done with them. */
@NullMarked
package org.wridscope.ui.qemu;

import org.jspecify.annotations.NullMarked;
