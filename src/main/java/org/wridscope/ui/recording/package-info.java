// SPDX-License-Identifier: Apache-2.0
/** Recordings in the window: open and running ones, the player, and the comparison of two. */
@NullMarked
package org.wridscope.ui.recording;

import org.jspecify.annotations.NullMarked;
