// SPDX-License-Identifier: Apache-2.0
/**
 * Recordings in the window: which are open and which are made, the player, and two side by side.
 */
@NullMarked
package org.wridscope.ui.recording;

import org.jspecify.annotations.NullMarked;
