// SPDX-License-Identifier: Apache-2.0
/** QEMU's logs as sessions, and recorded sessions as QEMU's traces. */
@NullMarked
package org.wridscope.recording.qemu;

import org.jspecify.annotations.NullMarked;
