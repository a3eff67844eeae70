// SPDX-License-Identifier: Apache-2.0
/** Captured packets as sessions. */
@NullMarked
package org.wridscope.recording.packets;

import org.jspecify.annotations.NullMarked;
